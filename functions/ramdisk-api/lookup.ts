/** GET /v1/lookup: an agent asks which node it runs on, and gets its token if it could not have it otherwise. */
import { hasMediumToken, mayAskForToken } from '../../layers/domain/agent-token.ts';
import { Invalid, NotFound } from '../../layers/domain/fault.ts';
import { mask, maskInstanceInfo, maskNotes } from '../../layers/domain/masking.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { mac } from '../../layers/domain/values.ts';
import { giveAgentToken, newToken, tokenHash } from '../../layers/store/agent-tokens.ts';
import { readNode, type StoredNode } from '../../layers/store/nodes.ts';
import { agentConfig } from './agent-config.ts';
import { maxAddresses, readQuery, uuidsByAddress } from './find.ts';
import type { Call, Deps } from './route.ts';
import { agentEvent } from './witness.ts';

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
  'servicing',
  'service wait',
];

/**
 * What is no MAC address is left out: agents list every interface that they have, InfiniBand included. They are
 * counted before any is looked at. Throws Invalid (400).
 */
const addressesOf = (list: string): string[] => {
  const entries = list.split(',', maxAddresses + 1);
  if (entries.length > maxAddresses) throw Invalid(`addresses may have at most ${maxAddresses} entries.`);
  return entries.flatMap((address) => mac.safeParse(address.trim()).data ?? []);
};

const Unknown = () => NotFound('Node could not be found.');

/**
 * Who has no token yet may only be looked up while its run waits for it, before that and afterwards a question about it
 * is not its agent's.
 */
const isAwaited = (node: StoredNode): boolean =>
  lookupStates.includes(node.provision_state) && (hasMediumToken(node) || mayAskForToken(node));

/** By UUID, else by the addresses of its ports. Whatever is wrong is the same 404: strangers learn nothing. */
const findNode = async (deps: Deps, call: Call): Promise<StoredNode> => {
  const { node_uuid: uuid = '', addresses: list = '' } = readQuery(call, ['addresses', 'node_uuid']);
  const addresses = addressesOf(list);
  if (uuid === '' && addresses.length === 0) {
    throw Invalid('Incomplete lookup: give node_uuid or addresses with valid MACs.');
  }
  const uuids = uuid === '' ? await uuidsByAddress(deps, addresses) : [uuid];
  const node = uuids.length === 1 ? await readNode(deps.table, uuids[0]!) : undefined;
  if (!node) throw Unknown();
  if (isAwaited(node)) return node;
  await deps.witness.refused(node, call.source, `a lookup, as no agent is awaited in state ${node.provision_state}`);
  throw Unknown();
};

/** A token that is asked for is given once, whatever becomes of the answer: two who have it could not be told apart. */
const askForToken = async (deps: Deps, { source }: Call, node: StoredNode): Promise<string> => {
  const token = newToken(deps);
  const after = await giveAgentToken(deps, node.uuid, token, (fresh) => {
    if (!mayAskForToken(fresh) || fresh.agent_token_sha256 !== null) return undefined;
    return { events: [agentEvent(`The agent's token was given to ${source}, which asked for it.`, fresh.run)] };
  });
  if (after.agent_token_sha256 === tokenHash(token)) return token;
  await deps.witness.refused(node, source, "the agent's token, which was given already");
  return mask;
};

const tokenSince = 62;

const tokenFor = async (deps: Deps, call: Call, node: StoredNode): Promise<string | undefined> => {
  if (call.version < tokenSince) return undefined;
  return hasMediumToken(node) || node.agent_token_sha256 !== null ? mask : askForToken(deps, call, node);
};

/**
 * What an agent is told about its node, and from 1.62 the token: ****** if it is on the machine's own medium or was
 * given before. Throws NotFound (404), Invalid (400).
 */
export const lookup = async (deps: Deps, call: Call): Promise<object> => {
  const node = await findNode(deps, call);
  return {
    node: {
      uuid: node.uuid,
      properties: node.properties,
      instance_info: maskInstanceInfo(node.instance_info),
      driver_internal_info: maskNotes(node.driver_internal_info),
      links: resourceLinks(deps.config.publicEndpoint || call.request.base, 'nodes', node.uuid),
    },
    config: agentConfig(await tokenFor(deps, call, node)),
  };
};
