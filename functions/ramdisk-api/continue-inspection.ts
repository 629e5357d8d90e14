/**
 * POST /v1/continue_inspection: a ramdisk tells what it found, and the inspection that waits for it goes on
 * (ironic-api.md 10). It sends no token and no version, so what it may do follows from the state of the node alone.
 */
import { Invalid, NodeLocked, NotFound } from '../../layers/domain/fault.ts';
import { addressesOf, maxCards, type Inspected } from '../../layers/domain/inspection.ts';
import { isUuid } from '../../layers/domain/values.ts';
import { jsonBody } from '../../layers/http/request.ts';
import { inventoryWrite } from '../../layers/store/inventories.ts';
import { nodesBy, type ListedNode } from '../../layers/store/node-lists.ts';
import { changeNode, readNode, type StoredNode } from '../../layers/store/nodes.ts';
import { inspectedBy } from '../../workflows/inspection.ts';
import { deliver } from '../../workflows/wait.ts';
import { introduce, uuidsByAddress } from './lookup.ts';
import type { Call, Deps } from './route.ts';

const maxBody = 16 * 1024 * 1024;

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Logs of the ramdisk are megabytes that nothing reads. Throws Invalid (400), TooLarge (413). */
const readInspected = ({ request }: Call): Inspected => {
  const body = jsonBody(request, maxBody);
  if (!isObject(body)) throw Invalid('The request body must be a JSON object with the key inventory.');
  const { inventory, logs: _logs, ...data } = body;
  if (!isObject(inventory)) throw Invalid('inventory must be a JSON object.');
  const { interfaces } = inventory;
  if (!Array.isArray(interfaces) || !interfaces.every(isObject)) {
    throw Invalid('inventory.interfaces must be a list of objects.');
  }
  if (interfaces.length > maxCards) throw Invalid(`inventory.interfaces may have at most ${maxCards} entries.`);
  return { inventory, plugin_data: data };
};

/** Throws Invalid (400). */
const readUuid = ({ request: { query } }: Call): string | undefined => {
  const strange = Object.keys(query).filter((name) => name !== 'node_uuid');
  if (strange.length > 0) throw Invalid(`Unexpected arguments: ${strange.join(', ')}.`);
  const [uuid] = query['node_uuid'] ?? [];
  if (uuid !== undefined && !isUuid(uuid)) throw Invalid('node_uuid must be a UUID.');
  return uuid?.toLowerCase();
};

const hostOf = ({ driver_info: info }: ListedNode): string | undefined => {
  const address = typeof info['redfish_address'] === 'string' ? info['redfish_address'] : '';
  const url = address.includes('://') ? address : `https://${address}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : undefined;
};

/** IPv6 addresses are spelt in many ways; a URL knows one. */
const normal = (address: string): string => {
  const url = `https://${address.includes(':') ? `[${address}]` : address}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
};

/** A machine whose ports nobody knows yet is told by the address of its BMC, which the ramdisk asks for in band. */
const uuidsByBmc = async ({ table }: Deps, { inventory }: Inspected): Promise<string[]> => {
  const given = [inventory['bmc_address'], inventory['bmc_v6address']];
  const addresses = given.flatMap((value) => (typeof value === 'string' ? [normal(value.split('/')[0]!)] : []));
  const known = addresses.filter((address) => address !== '' && address !== '0.0.0.0' && address !== '::');
  if (known.length === 0) return [];
  const waiting = await nodesBy(table, 'provision_state', ['inspect wait']);
  return waiting.flatMap((node) => (known.includes(hostOf(node) ?? '') ? [node.uuid] : []));
};

const Unknown = () => NotFound('Node could not be found, or it does not wait for an inspection.');

/** By UUID, else by MAC addresses, else by BMC. Whatever is wrong is the same 404: strangers learn nothing. */
const findWaiting = async (deps: Deps, call: Call, inspected: Inspected): Promise<string> => {
  const given = readUuid(call);
  const byAddress = given ? [given] : await uuidsByAddress(deps, addressesOf(inspected));
  const uuids = byAddress.length > 0 ? byAddress : await uuidsByBmc(deps, inspected);
  if (uuids.length !== 1) throw Unknown();
  return uuids[0]!;
};

/**
 * Throws NotFound (404) for a node that is not being inspected, NodeLocked (409) for one whose inspection does not
 * wait yet or any more: the ramdisk sends again then, and goes on to lookup after a few tries.
 */
const checkWaits = ({ uuid, provision_state: state, reservation }: StoredNode): void => {
  if (state === 'inspecting' && reservation) throw NodeLocked(uuid, reservation);
  if (state !== 'inspect wait') throw Unknown();
};

/** Microversion 1.N from which it exists, and answers as lookup does; agents send no version. */
export const inspectionSince = 84;

/**
 * Stores the inventory in the write that notes on the node that it has come, then continues the run. Repeated, it does
 * so again. Throws Invalid (400), NotFound (404), NodeLocked (409), TooLarge (413).
 */
export const continueInspection = async (deps: Deps, call: Call): Promise<object> => {
  const inspected = readInspected(call);
  const uuid = await findWaiting(deps, call, inspected);
  const found = await readNode(deps.table, uuid);
  if (!found) throw Unknown();
  checkWaits(found);
  const write = await inventoryWrite(deps, uuid, inspected);
  const node = await changeNode(deps, uuid, (fresh) => {
    checkWaits(fresh);
    return {
      set: { driver_internal_info: { ...fresh.driver_internal_info, [inspectedBy]: fresh.run } },
      also: [write],
    };
  });
  await deliver(deps, uuid);
  return call.version < inspectionSince ? { uuid } : introduce(deps, call, node);
};
