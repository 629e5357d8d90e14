/** GET /v1/lookup: an agent asks which node it runs on, and gets its token if it could not have it otherwise. */
import { hasMediumToken, mayAskForToken } from '../../layers/domain/agent-token.ts';
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { Invalid, NotFound } from '../../layers/domain/fault.ts';
import { mask, maskRecord } from '../../layers/domain/masking.ts';
import { node as nodeFields } from '../../layers/domain/node.ts';
import { resourceLinks } from '../../layers/domain/projection.ts';
import { mac } from '../../layers/domain/values.ts';
import { giveAgentToken, newToken, tokenHash } from '../../layers/store/agent-tokens.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { agentConfig } from './agent-config.ts';
import { maxAddresses, readUuid, uuidsByAddress } from './find.ts';
import type { Answer, Call, Deps } from './route.ts';
import { agentEvent } from './witness.ts';

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
  stateOf(node).lookup === true && (hasMediumToken(node) || mayAskForToken(node));

/** By UUID, else by the addresses of its ports. Whatever is wrong is the same 404: strangers learn nothing. */
const findAwaited = async (deps: Deps, call: Call): Promise<StoredNode> => {
  const uuid = readUuid(call) ?? '';
  const addresses = addressesOf(call.query['addresses']?.[0] ?? '');
  if (uuid === '' && addresses.length === 0) {
    throw Invalid('Incomplete lookup: give node_uuid or addresses with valid MACs.');
  }
  const uuids = uuid === '' ? await uuidsByAddress(deps, addresses) : [uuid];
  const node = uuids.length === 1 ? await readRecord(deps.table, kinds.node, uuids[0]!) : undefined;
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
export const lookup = async (deps: Deps, call: Call): Promise<Answer> => {
  const node = await findAwaited(deps, call);
  const { uuid, properties, instance_info, driver_internal_info } = maskRecord(nodeFields, node);
  const links = resourceLinks(call.base, 'nodes', uuid);
  const shown = {
    node: { uuid, properties, instance_info, driver_internal_info, links },
    config: agentConfig(deps.config.heartbeatTimeout, await tokenFor(deps, call, node)),
  };
  return { body: shown };
};
