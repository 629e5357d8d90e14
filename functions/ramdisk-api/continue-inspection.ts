/**
 * POST /v1/continue_inspection: a ramdisk tells what it found, and the inspection that waits for it goes on
 * (ironic-api.md 10). It sends no version. The key in the address that its medium names proves that it is the one that
 * was booted for it; a ramdisk without a medium has nothing to prove itself by, and is believed less.
 */
import { hasMediumToken } from '../../layers/domain/agent-token.ts';
import { isInWork } from '../../layers/domain/baremetal/states.ts';
import { Invalid, NodeLocked, NotFound } from '../../layers/domain/fault.ts';
import { addressesOf, maxCards, type Inspected } from '../../layers/domain/inspection.ts';
import { keep } from '../../layers/domain/notes.ts';
import { isInspectionKey } from '../../layers/store/agent-tokens.ts';
import { inventoryWrite } from '../../layers/store/inventories.ts';
import { deliver } from '../../workflows/owners/node/wait.ts';
import { readUuid, uuidsByAddress } from './find.ts';
import type { Answer, Call, Deps } from './route.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import { nodesBy } from '../../layers/store/node-lists.ts';
import type { ListedNode, StoredNode } from '../../layers/store/nodes.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { isObject } from '../../layers/domain/values.ts';

/** Inventories come with the logs of the ramdisk. */
const maxBody = 16 * 1024 * 1024;
/** Of somebody who has proved nothing: parsing costs time that others wait for. */
const maxStrange = 2 * 1024 * 1024;

/** Logs of the ramdisk are megabytes that nothing reads. Throws Invalid (400), TooLarge (413). */
const readInspected = ({ raw }: Call, limit: number): Inspected => {
  const body = raw.json(limit);
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
const findWaiting = async (deps: Deps, uuid: string | undefined, inspected: Inspected): Promise<StoredNode> => {
  const byAddress = uuid ? [uuid] : await uuidsByAddress(deps, addressesOf(inspected));
  const uuids = byAddress.length > 0 ? byAddress : await uuidsByBmc(deps, inspected);
  const node = uuids.length === 1 ? await readRecord(deps.table, kinds.node, uuids[0]!) : undefined;
  if (!node) throw Unknown();
  return node;
};

/**
 * Throws NotFound (404) for a node that is not being inspected, NodeLocked (409) for one whose inspection does not
 * wait yet or any more: the ramdisk sends again then, and goes on to lookup after a few tries.
 */
const checkWaits = ({ uuid, provision_state: state, reservation }: StoredNode): void => {
  if (state === 'inspecting' && reservation) throw NodeLocked(uuid, reservation);
  if (state !== 'inspect wait') throw Unknown();
};

/** What was sent, by whom it is, and whether that is proved. */
type Told = { readonly node: StoredNode; readonly inspected: Inspected; readonly proved: boolean };

/** Who has the key is let in before the body is looked at. Throws NotFound (404), Invalid (400), TooLarge (413). */
const readProved = async (deps: Deps, call: Call, uuid: string | undefined, key: string): Promise<Told> => {
  const node = uuid ? await readRecord(deps.table, kinds.node, uuid) : undefined;
  if (!node) throw Unknown();
  if (!isInspectionKey(key, node.agent_token_sha256)) {
    await deps.witness.refused(node, call.source, 'an inventory with a key that is not that of the ramdisk');
    throw Unknown();
  }
  return { node, inspected: readInspected(call, maxBody), proved: true };
};

/** A ramdisk whose medium has the key uses it; who comes without is somebody else. Throws as above. */
const readStrange = async (deps: Deps, call: Call, uuid: string | undefined): Promise<Told> => {
  const inspected = readInspected(call, maxStrange);
  const node = await findWaiting(deps, uuid, inspected);
  if (hasMediumToken(node) && deps.config.tellsWhere) {
    await deps.witness.refused(node, call.source, 'an inventory without the key that the ramdisk has on its medium');
    throw Unknown();
  }
  return { node, inspected, proved: false };
};

/**
 * Stores the inventory in the write that notes on the node that it has come, then continues the run. Repeated, it does
 * so again. Answers the UUID and nothing else. Throws Invalid (400), NotFound (404), NodeLocked (409), TooLarge (413).
 */
export const continueInspection = async (deps: Deps, call: Call): Promise<Answer> => {
  const given = readUuid(call);
  const [key] = call.query['key'] ?? [];
  const told = key === undefined ? await readStrange(deps, call, given) : await readProved(deps, call, given, key);
  const { node, inspected, proved } = told;
  if (!isInWork(node, 'inspect')) {
    await deps.witness.refused(node, call.source, `an inventory in state ${node.provision_state}`);
  }
  checkWaits(node);
  const { uuid } = node;
  const write = await inventoryWrite(deps, uuid, inspected);
  await changeRecord(deps, kinds.node, uuid, (fresh) => {
    checkWaits(fresh);
    const run = fresh.run !== null && { inspected_by_run: fresh.run };
    return { set: keep(fresh, { ...run, inspected_with_key: proved }), also: [write] };
  });
  await deliver(deps, uuid);
  return { body: { uuid } };
};
