/** Runbooks and their traits (ironic-api.md 9, since 1.92): who sees and changes which is in ironic-rbac.md 3 and 7. */
import * as z from 'zod';

import { Invalid } from '../../layers/domain/fault.ts';
import { quoted } from '../../layers/domain/foreign-text.ts';
import { denied, ownOf, type Subject } from '../../layers/domain/policy.ts';
import { runbookFilters } from '../../layers/domain/runbook.ts';
import { checkTrait, maxTraits } from '../../layers/domain/traits.ts';
import { kinds, type StoredRunbook } from '../../layers/store/kinds/kinds.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { identFinder, recordRoutes, type Values } from './crud.ts';
import { type Call, type Deps, route, type Route } from './route.ts';

/** Who does not see all sees those of the own project. Throws Forbidden (403) for a project that is not the caller's. */
const narrow = ({ only, query }: Pick<Call, 'only' | 'query'>) => {
  if (only === null) return query;
  if ((query['project']?.[0] ?? only) !== only) throw denied('baremetal:runbook:list_all');
  return { ...query, project: [only] };
};

/** What a project makes is its own, and not for everybody. Throws Invalid (400). */
const completeNew = (values: Values, subject: Subject): Values => {
  const own = ownOf(subject);
  if (!own) return values;
  if ((values['owner'] ?? own.owner) !== own.owner) {
    throw Invalid(
      `The owner of a runbook that a project creates is the project itself, not ${quoted(values['owner'])}.`,
    );
  }
  if (values['public'] === true) throw Invalid('A project can not create a public runbook.');
  return { ...values, owner: own.owner };
};

/** What becomes public has no owner any more. */
const completeChange = (values: Values): Values => ({ ...(values['public'] === true && { owner: null }), ...values });

const complete = (values: Values, { subject, version }: Pick<Call, 'subject' | 'version'>, before?: StoredRunbook) => {
  if (typeof values['name'] === 'string' && version < 112) checkTrait(values['name']);
  return before ? completeChange(values) : completeNew(values, subject);
};

/** Refuses a runbook as a whole. Throws Invalid (400). */
export const checkRunbook = (record: Values): void => {
  if (record['public'] === true && (record['owner'] ?? null) !== null) {
    throw Invalid('There cannot be an owner for a public runbook: give one of owner and public.');
  }
};

const find = identFinder(kinds.runbook);

const recordPart = recordRoutes({
  collection: 'runbooks',
  ident: 'ident',
  since: 92,
  tooOld: 405,
  kind: kinds.runbook,
  policy: {
    list: 'baremetal:runbook:list_all',
    own: 'baremetal:runbook:list',
    get: 'baremetal:runbook:get',
    create: 'baremetal:runbook:create',
    update: 'baremetal:runbook:update',
    delete: 'baremetal:runbook:delete',
  },
  filters: runbookFilters,
  narrow,
  find,
  complete,
  checkWhole: checkRunbook,
});

/** Changes the sorted set of traits. Throws Invalid (400) for too many. */
const changeTraits = async (
  deps: Deps,
  { uuid }: StoredRunbook,
  change: (traits: readonly string[]) => readonly string[],
): Promise<object> => {
  await changeRecord(deps, kinds.runbook, uuid, (stored) => {
    const traits = [...new Set(change(stored.traits))].sort();
    if (traits.length <= maxTraits) return { set: { traits } };
    throw Invalid(`A runbook can have at most ${maxTraits} traits, these would be ${traits.length}.`);
  });
  return {};
};

const traitsBody = z.strictObject({ traits: z.array(z.string()) });
const at = '/v1/runbooks/{ident}/traits';
const change = { since: 112, policy: 'baremetal:runbook:update', find } as const;

const traitPart = [
  route<undefined, StoredRunbook>({
    ...change,
    at: `GET ${at}`,
    policy: 'baremetal:runbook:get',
    handle: async (_deps, { target }) => ({ body: { traits: target.traits } }),
  }),
  route<z.output<typeof traitsBody>, StoredRunbook>({
    ...change,
    at: `PUT ${at}`,
    body: traitsBody,
    handle: async (deps, { target, body: { traits } }) => {
      traits.forEach(checkTrait);
      return changeTraits(deps, target, () => traits);
    },
  }),
  route<object, StoredRunbook>({
    ...change,
    at: `PUT ${at}/{trait}`,
    body: z.strictObject({}),
    arguments: true,
    handle: async (deps, { target, params: { ident, trait = '' } }) => {
      checkTrait(trait);
      await changeTraits(deps, target, (traits) => [...traits, trait]);
      return { location: `/v1/runbooks/${ident}/traits/${trait}` };
    },
  }),
  route<undefined, StoredRunbook>({
    ...change,
    at: `DELETE ${at}`,
    handle: async (deps, { target }) => changeTraits(deps, target, () => []),
  }),
  route<undefined, StoredRunbook>({
    ...change,
    at: `DELETE ${at}/{trait}`,
    // One that is not there is as good as removed, unlike that of a node.
    handle: async (deps, { target, params }) =>
      changeTraits(deps, target, (traits) => traits.filter((name) => name !== params['trait'])),
  }),
];

export const runbookRoutes: readonly Route[] = [...recordPart, ...traitPart];
