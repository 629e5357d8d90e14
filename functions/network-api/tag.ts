/** Tags of records: words by which clients find them. */
import * as z from 'zod';

import { NotFound } from '../../layers/domain/fault.ts';
import { tag as oneTag, tags as allTags } from '../../layers/domain/network/standard.ts';
import { check } from '../../layers/domain/schema.ts';
import type { Kept, KindOf } from '../../layers/store/kinds/kind.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { finder, type Resource } from './crud.ts';
import { type Deps, route, type Route } from './route.ts';
import type { Standard } from './view.ts';

type Tagged = Kept & { readonly tags: readonly string[] };

const body = z.strictObject({ tags: allTags });

const nameOf = (text: string | undefined): string => check(z.object({ tag: oneTag }), { tag: text }).tag;

/** The tags of a record as `decide` makes them. */
const change = async <R extends Standard>(
  deps: Deps,
  kind: KindOf<R>,
  uuid: string,
  decide: (before: readonly string[]) => readonly string[],
): Promise<readonly string[]> => {
  const { after } = await changeRecord(deps, kind as unknown as KindOf<Tagged>, uuid, ({ tags }) => ({
    set: { tags: check(allTags, [...new Set(decide(tags))]) },
  }));
  return after.tags;
};

const TagNotFound = (tag: string) => NotFound(`Tag ${tag} could not be found.`);

/** The routes of the tags of a resource. */
export const tagRoutes = <R extends Standard>(resource: Resource<R>): Route[] => {
  const { collection, name, kind } = resource;
  const at = `/v2.0/${collection}/{id}/tags` as const;
  const find = finder(resource);
  const tagsOf = (record: R): readonly string[] => (record as unknown as Tagged).tags;
  const [sees, changes] = [`get_${name}`, `update_${name}`] as const;
  return [
    route<undefined, R>({
      at: `GET ${at}`,
      policy: sees,
      doc: `tags of a ${name}`,
      shows: body,
      find,
      handle: async (_deps, { target }) => ({ body: { tags: tagsOf(target) } }),
    }),
    route<z.output<typeof body>, R>({
      at: `PUT ${at}`,
      policy: changes,
      doc: `set the tags of a ${name}`,
      body,
      shows: body,
      find,
      handle: async (deps, call) => ({
        body: { tags: await change(deps, kind, call.target.uuid, () => call.body.tags) },
      }),
    }),
    route<undefined, R>({
      at: `DELETE ${at}`,
      policy: changes,
      doc: `remove the tags of a ${name}`,
      find,
      handle: async (deps, { target }) => {
        await change(deps, kind, target.uuid, () => []);
        return {};
      },
    }),
    route<undefined, R>({
      at: `GET ${at}/{tag}`,
      policy: sees,
      doc: `whether a ${name} has a tag`,
      status: 204,
      find,
      handle: async (_deps, { target, params }) => {
        if (!tagsOf(target).includes(params['tag']!)) throw TagNotFound(params['tag']!);
        return {};
      },
    }),
    route<undefined, R>({
      at: `PUT ${at}/{tag}`,
      policy: changes,
      doc: `tag a ${name}`,
      status: 201,
      find,
      handle: async (deps, { target, params }) => {
        await change(deps, kind, target.uuid, (before) => [...before, nameOf(params['tag'])]);
        return {};
      },
    }),
    route<undefined, R>({
      at: `DELETE ${at}/{tag}`,
      policy: changes,
      doc: `remove a tag of a ${name}`,
      find,
      handle: async (deps, { target, params }) => {
        await change(deps, kind, target.uuid, (before) => {
          if (!before.includes(params['tag']!)) throw TagNotFound(params['tag']!);
          return before.filter((one) => one !== params['tag']);
        });
        return {};
      },
    }),
  ];
};
