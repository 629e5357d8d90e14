/** /flavors/{id}/os-extra_specs (compute-api.md 4): what a machine must be besides its size. */
import * as z from 'zod';

import { extraSpecs } from '../../../layers/domain/compute/extra-specs.ts';
import { Invalid, NotFound } from '../../../layers/domain/fault.ts';
import type { Rule } from '../../../layers/domain/policy.ts';
import { check } from '../../../layers/domain/schema.ts';
import { computeKinds, type StoredFlavor } from '../../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { findFlavor as find } from './view.ts';

type Specs = Record<string, string>;

const ruleOf = (what: 'index' | 'show' | 'create' | 'update' | 'delete') =>
  `os_compute_api:os-flavor-extra-specs:${what}` as const satisfies Rule;

const at = '/v2.1/flavors/{flavor_id}/os-extra_specs';

const shows = z.object({ extra_specs: extraSpecs });

const unknown = ({ params }: Call<unknown, StoredFlavor>) =>
  NotFound(`Flavor ${params['flavor_id']} has no extra specs with key ${params['key']}.`);

/** Changes them, all of which have to be possible afterwards. Throws Invalid (400). */
const change = async (deps: Deps, { target }: Call<unknown, StoredFlavor>, make: (specs: Specs) => Specs) => {
  const { after } = await changeRecord(deps, computeKinds.flavor, target.uuid, ({ extra_specs: specs }) => ({
    set: { extra_specs: make({ ...specs }) },
  }));
  return after.extra_specs;
};

export const extraSpecRoutes: readonly Route[] = [
  route<undefined, StoredFlavor>({
    at: `GET ${at}`,
    policy: ruleOf('index'),
    shows,
    find,
    handle: async (_deps, { target }) => ({ body: { extra_specs: target.extra_specs } }),
  }),
  route<{ extra_specs: Specs }, StoredFlavor>({
    at: `POST ${at}`,
    movesIn: true,
    policy: ruleOf('create'),
    shows,
    body: z.strictObject({ extra_specs: extraSpecs }),
    find,
    handle: async (deps, call) => {
      const { extra_specs: given } = call.body;
      await change(deps, call, (specs) => ({ ...specs, ...given }));
      return { body: { extra_specs: given } };
    },
  }),
  route<undefined, StoredFlavor>({
    at: `GET ${at}/{key}`,
    policy: ruleOf('show'),
    shows: extraSpecs,
    find,
    handle: async (_deps, call) => {
      const [specs, key] = [call.target.extra_specs, call.params['key']!];
      if (!Object.hasOwn(specs, key)) throw unknown(call);
      return { body: { [key]: specs[key] } };
    },
  }),
  route<Record<string, unknown>, StoredFlavor>({
    at: `PUT ${at}/{key}`,
    policy: ruleOf('update'),
    takes: extraSpecs,
    shows: extraSpecs,
    body: z.record(z.string(), z.unknown()),
    find,
    handle: async (deps, call) => {
      const { extra_specs: given } = check(z.strictObject({ extra_specs: extraSpecs }), { extra_specs: call.body });
      const names = Object.keys(given);
      if (names.length !== 1 || names[0] !== call.params['key']) {
        throw Invalid('The body must have exactly one key, that of the URL.');
      }
      await change(deps, call, (specs) => ({ ...specs, ...given }));
      return { body: given };
    },
  }),
  route<undefined, StoredFlavor>({
    at: `DELETE ${at}/{key}`,
    policy: ruleOf('delete'),
    status: 200,
    find,
    handle: async (deps, call) => {
      await change(deps, call, ({ [call.params['key']!]: gone, ...specs }) => {
        if (gone === undefined) throw unknown(call);
        return specs;
      });
      return {};
    },
  }),
];
