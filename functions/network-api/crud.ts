/**
 * What the resources of the Networking API have in common: lists, one, made one by one or several at once, changed,
 * removed. A resource says what is special (`Resource`).
 */
import { allows, denied, type Owned, type Rule, type Subject } from '../../layers/domain/policy.ts';
import { ResourceNotFound } from '../../layers/domain/network/faults.ts';
import { isUuid, json } from '../../layers/domain/values.ts';
import type { Table } from '../../layers/platform/table.ts';
import { tellAddressesOf } from '../../workflows/owners/server/addresses.ts';
import { authorizeFields, maxBulk, readAll, readChange, readNew, readOne, type Values } from './body.ts';
import { answerList, type Listing, queryOf, words } from './list.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import { type Standard, viewOf } from './view.ts';

export type Resource<R extends Standard> = Listing<R> & {
  /** Its name in bodies and rules. */
  readonly name: 'network' | 'subnet' | 'port' | 'floatingip';
  /** The record of this UUID. Throws NotFound (404). */
  find(table: Table, uuid: string): Promise<R>;
  /** Makes one of what was read; `given` is how the body said it. */
  create(deps: Deps, call: Pick<Call, 'subject'>, values: Values, given: Values): Promise<R>;
  change(deps: Deps, call: Pick<Call, 'subject'>, target: R, values: Values): Promise<R>;
  remove(deps: Deps, call: Pick<Call, 'subject'>, target: R): Promise<void>;
  /** The ports whose addresses are others when one is made, changed or removed; missing: those of none. */
  ports?(record: R): readonly string[];
};

/** What their schemas are called in the documents. */
const titles = { network: 'Network', subnet: 'Subnet', port: 'Port', floatingip: 'FloatingIp' } as const;

/** Refuses to make what belongs to another project. Throws Forbidden (403). */
const authorizeProject = (rule: Rule, subject: Subject, { project_id: project }: Values): void => {
  if (!allows(rule, subject, { project_id: project as string })) throw denied(rule);
};

/** The record that a path names. Throws NotFound (404). */
export const finder =
  <R extends Standard>({ name, find }: Pick<Resource<R>, 'name' | 'find'>) =>
  async ({ table }: Deps, { id = '' }: Readonly<Record<string, string>>): Promise<R> => {
    if (!isUuid(id)) throw ResourceNotFound(name, id);
    return find(table, id.toLowerCase());
  };

/** Its records, in a list of this name, or one under its own. */
const shapeOf = <R extends Standard>({ name, collection, rows }: Resource<R>) => {
  const shape = { name: titles[name], rows };
  return { one: { ...shape, under: name }, list: { ...shape, list: collection } };
};

const listRoute = <R extends Standard>(resource: Resource<R>): Route => {
  const rule: Rule = `get_${resource.name}`;
  return route({
    at: `GET /v2.0/${resource.collection}`,
    policy: rule,
    query: queryOf(resource),
    answers: shapeOf(resource).list,
    handle: async (deps, call) => {
      const { subject } = call;
      return answerList(deps, call, resource, {
        all: allows(rule, subject, {}),
        sees: (record) => allows(rule, subject, record as Owned),
      });
    },
  });
};

/** Whoever has the ports whose addresses a write has changed is told of it, by what the record was and is. */
const tell = async <R extends Standard>(deps: Deps, { ports }: Resource<R>, ...forms: readonly R[]): Promise<void> =>
  tellAddressesOf(deps, ports ? forms.flatMap(ports) : []);

/** Makes one after the other; if one is refused, those before it go again. */
const makeAll = async <R extends Standard>(
  deps: Deps,
  call: Call,
  { create, remove }: Resource<R>,
  wanted: readonly { readonly values: Values; readonly given: Values }[],
): Promise<R[]> => {
  const made: R[] = [];
  try {
    for (const { values, given } of wanted) made.push(await create(deps, call, values, given));
  } catch (error) {
    await Promise.allSettled(made.map(async (one) => remove(deps, call, one)));
    throw error;
  }
  return made;
};

const createRoute = <R extends Standard>(resource: Resource<R>): Route => {
  const { collection, name, rows, shown } = resource;
  const rule: Rule = `create_${name}`;
  return route<Values>({
    at: `POST /v2.0/${collection}`,
    policy: rule,
    status: 201,
    body: json,
    answers: { ...shapeOf(resource).one, bulk: collection },
    doc: `create ${name}, or up to ${maxBulk} in a list ${collection}`,
    handle: async (deps, call) => {
      const { bulk, given } = readAll(call.body, name, collection);
      const wanted = given.map((one) => ({ given: one, values: readNew(rows, one, call.subject) }));
      for (const { values } of wanted) {
        authorizeProject(rule, call.subject, values);
        authorizeFields(rows, values, call.subject, { project_id: values['project_id'] as string });
      }
      const all = await makeAll(deps, call, resource, wanted);
      await tell(deps, resource, ...all);
      const made = all.map(viewOf(rows, shown, call));
      return { body: bulk ? { [collection]: made } : { [name]: made[0] } };
    },
  });
};

/** All routes of a resource. */
export const resourceRoutes = <R extends Standard>(resource: Resource<R>): Route[] => {
  const { collection, name, rows, shown } = resource;
  const at = `/v2.0/${collection}/{id}` as const;
  const find = finder(resource);
  const { one } = shapeOf(resource);
  return [
    listRoute(resource),
    createRoute(resource),
    route<undefined, R>({
      at: `GET ${at}`,
      policy: `get_${name}`,
      query: { fields: {} },
      answers: one,
      find,
      handle: async (_deps, call) => {
        const view = viewOf(rows, shown, call, words(call.query['fields'] ?? []));
        return { body: { [name]: view(call.target) } };
      },
    }),
    route<Values, R>({
      at: `PUT ${at}`,
      policy: `update_${name}`,
      body: json,
      takes: one,
      answers: one,
      find,
      handle: async (deps, call) => {
        const values = readChange(rows, readOne(call.body, name));
        authorizeFields(rows, values, call.subject, call.target);
        const changed = await resource.change(deps, call, call.target, values);
        await tell(deps, resource, call.target, changed);
        return { body: { [name]: viewOf(rows, shown, call)(changed) } };
      },
    }),
    route<undefined, R>({
      at: `DELETE ${at}`,
      policy: `delete_${name}`,
      find,
      handle: async (deps, call) => {
        await resource.remove(deps, call, call.target);
        await tell(deps, resource, call.target);
        return {};
      },
    }),
  ];
};
