/** The traits of a node (ironic-api.md 2.1, since 1.37). */
import * as z from 'zod';

import { Invalid, NodeLocked, NotFound } from '../../../layers/domain/fault.ts';
import { checkTrait, maxTraits } from '../../../layers/domain/traits.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { type Deps, type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';

/** Changes the sorted set of traits. Throws Invalid for a bad or surplus trait, NodeLocked (409). */
const changeTraits = async (
  deps: Deps,
  uuid: string,
  change: (traits: string[]) => readonly string[],
): Promise<void> => {
  await changeRecord(deps, kinds.node, uuid, (node) => {
    if (node.reservation) throw NodeLocked(uuid, node.reservation);
    const traits = [...new Set(change(node.traits))].sort();
    if (traits.length > maxTraits)
      throw Invalid(`A node can have at most ${maxTraits} traits, these would be ${traits.length}.`);
    return { set: { traits } };
  });
};

const body = z.strictObject({ traits: z.array(z.string()) });
const noBody = z.strictObject({});
const at = '/v1/nodes/{ident}/traits';
const common = { since: 37, tooOld: 405, find: findByIdent } as const;

export const traitRoutes: Route[] = [
  route<undefined, StoredNode>({
    ...common,
    tooOld: 406,
    at: `GET ${at}`,
    policy: 'baremetal:node:traits:list',
    handle: async (_deps, { target }) => ({ body: { traits: target.traits } }),
  }),
  route<z.output<typeof body>, StoredNode>({
    ...common,
    at: `PUT ${at}`,
    fenced: false,
    policy: 'baremetal:node:traits:set',
    body,
    handle: async (deps, { target, body: { traits } }) => {
      traits.forEach(checkTrait);
      await changeTraits(deps, target.uuid, () => traits);
      return {};
    },
  }),
  route<object, StoredNode>({
    ...common,
    at: `PUT ${at}/{trait}`,
    fenced: false,
    policy: 'baremetal:node:traits:set',
    body: noBody,
    arguments: true,
    handle: async (deps, { target, params }) => {
      const trait = params['trait']!;
      checkTrait(trait);
      await changeTraits(deps, target.uuid, (traits) => [...traits, trait]);
      return { location: `/v1/nodes/${params['ident']}/traits/${trait}` };
    },
  }),
  route<undefined, StoredNode>({
    ...common,
    at: `DELETE ${at}`,
    fenced: false,
    policy: 'baremetal:node:traits:delete',
    handle: async (deps, { target }) => {
      await changeTraits(deps, target.uuid, () => []);
      return {};
    },
  }),
  route<undefined, StoredNode>({
    ...common,
    at: `DELETE ${at}/{trait}`,
    fenced: false,
    policy: 'baremetal:node:traits:delete',
    handle: async (deps, { target, params }) => {
      const trait = params['trait']!;
      await changeTraits(deps, target.uuid, (traits) => {
        if (!traits.includes(trait)) throw NotFound(`Node ${target.uuid} has no trait ${trait}.`);
        return traits.filter((name) => name !== trait);
      });
      return {};
    },
  }),
];
