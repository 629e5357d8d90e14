/** GET /v1/lookup: an agent asks which node it runs on, and gets its token. */
import { createHash } from 'node:crypto';

import { Conflict, Invalid, NotFound } from '../../layers/domain/fault.ts';
import { mask, maskInstanceInfo, maskSecrets } from '../../layers/domain/masking.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { isUuid, mac } from '../../layers/domain/values.ts';
import { portByAddress } from '../../layers/store/node-ports.ts';
import { readSecrets, secretsWrite } from '../../layers/store/node-secrets.ts';
import { changeNode, readNode, type StoredNode } from '../../layers/store/nodes.ts';
import { isConditionFailed } from '../../layers/store/table.ts';
import { agentCalled } from '../../workflows/agent.ts';
import { agentConfig } from './agent-config.ts';
import type { Call, Deps } from './route.ts';

/** States in which a deploy ramdisk may be running (ironic-states.md 1). */
const lookupStates: readonly string[] = [
  'deploying',
  'wait call-back',
  'cleaning',
  'clean wait',
  'inspecting',
  'inspect wait',
  'rescuing',
  'rescue wait',
  'service wait',
];

const parameters = ['addresses', 'node_uuid'];

/** What is no MAC address is left out: agents list every interface that they have, InfiniBand included. */
const addressesOf = ({ request: { query } }: Call): string[] =>
  (query['addresses'] ?? [])
    .flatMap((list) => list.split(','))
    .flatMap((address) => mac.safeParse(address.trim()).data ?? []);

/** The nodes that have a port with one of these MAC addresses. */
export const uuidsByAddress = async ({ table }: Deps, addresses: readonly string[]): Promise<string[]> => {
  const ports = await Promise.all([...new Set(addresses)].map(async (address) => portByAddress(table, address)));
  return [...new Set(ports.flatMap((port) => (port ? [port.node_uuid] : [])))];
};

/** By UUID, else by the addresses of its ports. Whatever is wrong is the same 404: strangers learn nothing. */
const findNode = async (deps: Deps, call: Call): Promise<StoredNode> => {
  const { query } = call.request;
  const strange = Object.keys(query).filter((name) => !parameters.includes(name));
  if (strange.length > 0) throw Invalid(`Unexpected arguments: ${strange.join(', ')}.`);
  const [uuid] = query['node_uuid'] ?? [];
  const addresses = addressesOf(call);
  if (!uuid && addresses.length === 0) throw Invalid('Incomplete lookup: give node_uuid or addresses with valid MACs.');
  if (uuid && !isUuid(uuid)) throw Invalid('node_uuid must be a UUID.');
  const uuids = uuid ? [uuid.toLowerCase()] : await uuidsByAddress(deps, addresses);
  const node = uuids.length === 1 ? await readNode(deps.table, uuids[0]!) : undefined;
  if (!node || !lookupStates.includes(node.provision_state)) throw NotFound('Node could not be found.');
  return node;
};

/**
 * A token is handed out once. Until its first use by a heartbeat the same address may ask again and gets another in
 * its place: the first answer may never have arrived, and an agent without a token would be lost.
 */
const mayHaveToken = (node: StoredNode, source: string): boolean =>
  node.agent_token_sha256 === null ||
  (!agentCalled(node) && node.driver_internal_info['agent_lookup_address'] === source && source !== '');

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const maxTries = 5;

/** The token for this agent, or the mask. It is stored sealed and as a hash, in the write that shows its existence. */
const giveToken = async (deps: Deps, uuid: string, source: string): Promise<string> => {
  const token = `${deps.ids.uuid()}${deps.ids.uuid()}`.replaceAll('-', '');
  const sealed = await deps.sealer.seal(token, { node: uuid, name: 'agent_secret_token' });
  for (let attempt = 1; attempt <= maxTries; attempt += 1) {
    const secrets = await readSecrets(deps.table, uuid);
    try {
      const node = await changeNode(deps, uuid, (fresh) => {
        if (!mayHaveToken(fresh, source)) return undefined;
        return {
          set: {
            agent_token_sha256: sha256(token),
            driver_internal_info: {
              ...fresh.driver_internal_info,
              agent_secret_token: mask,
              agent_lookup_address: source,
            },
          },
          also: [secretsWrite(uuid, secrets, { ...secrets.values, agent_secret_token: sealed })],
        };
      });
      return node.agent_token_sha256 === sha256(token) ? token : mask;
    } catch (error) {
      // Somebody changed the node's other secrets in between.
      if (!isConditionFailed(error)) throw error;
    }
  }
  throw Conflict(`Node ${uuid} is being changed by others all the time, try again.`);
};

const tokenSince = 62;

/** What an agent is told about its node, and from 1.62 the token, once. */
export const introduce = async (deps: Deps, call: Call, node: StoredNode): Promise<object> => {
  const token = call.version >= tokenSince ? await giveToken(deps, node.uuid, call.source) : undefined;
  return {
    node: {
      uuid: node.uuid,
      properties: node.properties,
      instance_info: maskInstanceInfo(node.instance_info),
      driver_internal_info: maskSecrets(node.driver_internal_info),
      links: resourceLinks(deps.config.publicEndpoint || call.request.base, 'nodes', node.uuid),
    },
    config: agentConfig(token),
  };
};

/** Throws NotFound (404), Invalid (400). */
export const lookup = async (deps: Deps, call: Call): Promise<object> =>
  introduce(deps, call, await findNode(deps, call));
