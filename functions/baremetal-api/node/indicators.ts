/** /v1/nodes/{ident}/management/indicators: the lights of a machine (ironic-api.md 2.1, since 1.63). */
import * as z from 'zod';

import { validateInterface } from '../../../layers/bmc/validation.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { indicatorComponents, indicatorStates } from '../../../layers/domain/management.ts';
import { resourceLinks } from '../../../layers/domain/projection.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Call, type Route } from '../route.ts';
import { askMachine } from './ask.ts';
import { findByIdent } from './find.ts';

const at = '/v1/nodes/{ident}/management/indicators';
const common = { since: 63, find: findByIdent } as const;
const body = z.strictObject({ state: z.enum(indicatorStates) });

type Component = (typeof indicatorComponents)[number];
const isComponent = (name: string): name is Component => (indicatorComponents as readonly string[]).includes(name);

/** The path names it <name>@<component>. Throws Invalid (400) for anything else. */
const named = ({ params, target }: Call<unknown, StoredNode>): { component: Component; name: string } => {
  const whole = params['indicator']!;
  const cut = whole.lastIndexOf('@');
  const [name, component] = [whole.slice(0, Math.max(cut, 0)), whole.slice(cut + 1)];
  if (name === '' || !isComponent(component)) {
    throw Invalid(`"${whole}" is no indicator: it has to be <name>@<one of ${indicatorComponents.join(', ')}>.`);
  }
  validateInterface(target, 'management');
  return { component, name };
};

export const indicatorRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    ...common,
    at: `GET ${at}`,
    policy: 'baremetal:node:get_indicator_state',
    handle: async (deps, call) => {
      validateInterface(call.target, 'management');
      const found = await askMachine(deps, call, 'list_indicators', {});
      const indicators = found.map(({ component, name, readonly, states }) => ({
        name: `${name}@${component}`,
        component,
        readonly,
        states,
        links: resourceLinks(call.base, `nodes/${call.target.uuid}/management/indicators`, `${name}@${component}`),
      }));
      return { body: { indicators } };
    },
  }),
  route<undefined, StoredNode>({
    ...common,
    at: `GET ${at}/{indicator}`,
    policy: 'baremetal:node:get_indicator_state',
    handle: async (deps, call) => ({ body: await askMachine(deps, call, 'get_indicator', named(call)) }),
  }),
  route<z.output<typeof body>, StoredNode>({
    ...common,
    at: `PUT ${at}/{indicator}`,
    fenced: true,
    policy: 'baremetal:node:set_indicator_state',
    body,
    arguments: true,
    handle: async (deps, call) => {
      await askMachine(deps, call, 'set_indicator', { ...named(call), state: call.body.state });
      return {};
    },
  }),
];
