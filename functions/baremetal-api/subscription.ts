/** Vendor passthru of redfish nodes: subscriptions to events of the machine, as Metal3 makes them (ironic-clients.md 5). */
import * as z from 'zod';

import { wantedSubscription, type Subscription } from '../../layers/bmc/settings.ts';
import { Invalid, NotFound } from '../../layers/domain/fault.ts';
import { check } from '../../layers/domain/schema.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { askMachine } from './node/ask.ts';
import type { Call, Deps } from './route.ts';

type NodeCall = Call<Record<string, unknown>, StoredNode>;

const web = z.string().refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), {
  error: 'must be an http or https URL',
});
const wish = wantedSubscription.extend({ Destination: web });
const named = z.strictObject({ id: z.union([z.string().min(1), z.int().transform(String)]) });

const withoutPath = ({ path: _path, ...shown }: Subscription) => shown;

const all = async (deps: Deps, call: NodeCall) => askMachine(deps, call, 'list_subscriptions', {});

const find = async (deps: Deps, call: NodeCall): Promise<Subscription> => {
  const { id } = check(named, call.body);
  const found = (await all(deps, call)).find(({ Id }) => Id === id);
  if (found) return found;
  throw NotFound(`Node ${call.target.uuid} has no subscription ${id}; get_all_subscriptions lists them.`);
};

const create = async (deps: Deps, call: NodeCall) => {
  const given = Object.entries(call.body).filter(([, value]) => value !== null);
  const made = await askMachine(deps, call, 'create_subscription', check(wish, Object.fromEntries(given)));
  if (!made) throw Invalid(`Node ${call.target.uuid} has no BMC that could be subscribed to.`);
  return withoutPath(made);
};

/** By the names of the methods (layers/domain/vendor.ts). All are answered at once. */
export const subscriptionCallers = {
  create_subscription: create,
  delete_subscription: async (deps: Deps, call: NodeCall) =>
    askMachine(deps, call, 'delete_subscription', check(named, call.body)),
  get_subscription: async (deps: Deps, call: NodeCall) => withoutPath(await find(deps, call)),
  get_all_subscriptions: async (deps: Deps, call: NodeCall) => {
    const found = await all(deps, call);
    const members = found.map(({ path }) => ({ '@odata.id': path }));
    return { Name: 'Event Subscriptions', 'Members@odata.count': members.length, Members: members };
  },
};
