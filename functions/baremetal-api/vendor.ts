/** Vendor passthru of nodes and drivers (ironic-api.md 2.1, 6): methods that only one kind of hardware has. */
import * as z from 'zod';

import { validateInterface } from '../../layers/bmc/validation.ts';
import { Invalid, NodeLocked, NotFound } from '../../layers/domain/fault.ts';
import { hardwareTypes } from '../../layers/domain/hardware-types.ts';
import { chooseMethod, fakeWords, vendorMethods, type VendorMethods } from '../../layers/domain/vendor.ts';
import { json } from '../../layers/domain/values.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { startManagement } from './node/ask.ts';
import { findByIdent } from './node/find.ts';
import { route, type Answer, type Call, type Deps, type Route } from './route.ts';
import { subscriptionCallers } from './subscription.ts';

type Arguments = Record<string, unknown>;
type NodeCall = Call<Arguments, StoredNode>;

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Verb = (typeof verbs)[number];

/** As in Ironic: whether the argument is the word; only the method that is not asynchronous tells. */
const callFake = async (_deps: Deps, { body }: NodeCall, name: string): Promise<unknown> => {
  if (!body['bar']) throw Invalid(`Parameter 'bar' not passed to method '${name}'.`);
  return body['bar'] === fakeWords[name];
};

const ejectBody = z.strictObject({ boot_device: z.enum(['cd', 'dvd', 'usb']).nullish() });

/** The older form of DELETE vmedia. */
const eject = async (deps: Deps, call: NodeCall): Promise<void> => {
  const { success, data } = ejectBody.safeParse(call.body);
  if (!success) throw Invalid('eject_vmedia takes nothing but boot_device, which must be cd, dvd or usb.');
  const slot = data.boot_device ? (data.boot_device === 'usb' ? 'usb' : 'cd') : 'all';
  const permit = (node: StoredNode) => void validateInterface(node, 'vendor');
  const told = 'Asked for empty virtual drives.';
  await startManagement(deps, call, { request: { action: 'detach_media', slots: [slot] }, told, permit });
};

type Caller = (deps: Deps, call: NodeCall, name: string) => Promise<unknown>;

/** By method. */
const redfish: { readonly [method: string]: Caller } = { eject_vmedia: eject, ...subscriptionCallers };

/** What is done, by vendor interface. */
const callers: { readonly [implementation: string]: Caller } = {
  fake: callFake,
  redfish: async (deps, call, name) => redfish[name]!(deps, call, name),
};

const callNode = async (deps: Deps, call: NodeCall, name: string | undefined, verb: Verb): Promise<Answer> => {
  const { target } = call;
  validateInterface(target, 'vendor');
  const method = chooseMethod(vendorMethods(target.vendor_interface), name, verb);
  if (method.require_exclusive_lock && target.reservation) throw NodeLocked(target.uuid, target.reservation);
  const result = await callers[target.vendor_interface!]!(deps, call, name!);
  return method.async ? { status: 202 } : { status: 200, body: result ?? null };
};

/** No hardware type has methods of its own. */
const ofDriver = (params: Call['params']): VendorMethods => {
  const name = params['driver']!;
  if (!Object.hasOwn(hardwareTypes, name)) throw NotFound(`Driver ${name} could not be found.`);
  return {};
};

/** Throws Invalid (400): there is nothing to call. */
const callDriver = (params: Call['params'], name: string | undefined, verb: Verb): Answer => {
  const { async } = chooseMethod(ofDriver(params), name, verb);
  return { status: async ? 202 : 200 };
};

/** What of these it is, and what it shows, says the method. */
const common = { body: json, arguments: true, status: 202, otherwise: 200, shows: z.unknown() } as const;
const atNode = '/v1/nodes/{ident}/vendor_passthru';
const atDriver = '/v1/drivers/{driver}/vendor_passthru';
const ofNodes = { ...common, policy: 'baremetal:node:vendor_passthru', find: findByIdent } as const;
const ofDrivers = { ...common, policy: 'baremetal:driver:vendor_passthru' } as const;

/** Both forms of naming the method: in the path, or as a query parameter. */
const forms = (verb: Verb): Route[] => [
  route<Arguments, StoredNode>({
    ...ofNodes,
    at: `${verb} ${atNode}/{method}`,
    fenced: verb !== 'GET',
    handle: async (deps, call) => callNode(deps, call, call.params['method'], verb),
  }),
  route<Arguments, StoredNode>({
    ...ofNodes,
    at: `${verb} ${atNode}`,
    fenced: verb !== 'GET',
    query: { method: {} },
    handle: async (deps, call) => callNode(deps, call, call.query['method']?.[0], verb),
  }),
  route<Arguments>({
    ...ofDrivers,
    at: `${verb} ${atDriver}/{method}`,
    handle: async (_deps, { params }) => callDriver(params, params['method'], verb),
  }),
  route<Arguments>({
    ...ofDrivers,
    at: `${verb} ${atDriver}`,
    query: { method: {} },
    handle: async (_deps, { params, query }) => callDriver(params, query['method']?.[0], verb),
  }),
];

export const vendorRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    at: `GET ${atNode}/methods`,
    policy: 'baremetal:node:vendor_passthru',
    find: findByIdent,
    handle: async (_deps, { target }) => {
      validateInterface(target, 'vendor');
      return { body: vendorMethods(target.vendor_interface) };
    },
  }),
  route({
    at: `GET ${atDriver}/methods`,
    policy: 'baremetal:driver:vendor_passthru',
    handle: async (_deps, { params }) => ({ body: ofDriver(params) }),
  }),
  ...verbs.flatMap(forms),
];
