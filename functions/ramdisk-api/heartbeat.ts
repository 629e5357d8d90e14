/** POST /v1/heartbeat/{ident}: an agent says that it lives, and a run that waits for it goes on. */
import { isWaiting, stateOf } from '../../layers/domain/baremetal/states.ts';
import { Invalid, isFault, NotFound } from '../../layers/domain/fault.ts';
import { keep, note } from '../../layers/domain/notes.ts';
import type { Heartbeat } from '../../layers/domain/baremetal/ramdisk.ts';
import { isToken } from '../../layers/store/agent-tokens.ts';
import { hasInspected } from '../../workflows/inspect/inspection.ts';
import { deliver } from '../../workflows/owners/node/wait.ts';
import type { Answer, Call, Deps } from './route.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { uuidOf } from '../../layers/store/records/find.ts';

/** The address itself is checked by the proxy against the networks that agents may be in. */
const checkUrl = (url: string, requireTls: boolean): void => {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw Invalid('callback_url must be an http or https URL.');
  if (requireTls && protocol !== 'https:') throw Invalid('callback_url must be https, TLS is required for agents.');
};

/** The same for who names no node of ours and for who is not its agent, so that nobody learns which names there are. */
const Stranger = () => NotFound('Node could not be found, or the agent token is missing or not its own.');

const isOwn = (node: StoredNode, { agent_token: token }: Heartbeat): boolean => isToken(token, node.agent_token_sha256);

/** Whether the agent says what it said before, if it said anything. */
const same = (before: string | undefined, value: string | null | undefined): boolean =>
  before === undefined || before === value;

/** What may not change between the heartbeats of one boot (ironic-deploy.md 3.2). Throws Invalid (400). */
const checkBeat = (node: StoredNode, beat: Heartbeat): void => {
  if (!same(note(node, 'agent_url'), beat.callback_url)) {
    throw Invalid('Agent URL has changed since the first heartbeat of this boot, which is not allowed.');
  }
  if (!same(note(node, 'agent_verify_ca'), beat.agent_verify_ca)) {
    throw Invalid('agent_verify_ca has changed since the first heartbeat of this boot, which is not allowed.');
  }
};

/** An inspection waits for the inventory, not for a sign of life; should that have got lost on its way, this is it. */
const goesOn = (node: StoredNode): boolean => {
  const { heartbeat } = stateOf(node);
  if (node.maintenance) return false;
  return heartbeat === 'awaited' || (heartbeat === 'awaited once inspected' && hasInspected(node, node.run));
};

const record = (node: StoredNode, beat: Heartbeat, now: string): Partial<StoredNode> => ({
  ...keep(node, {
    agent_url: beat.callback_url,
    agent_last_heartbeat: now,
    ...(beat.agent_version && { agent_version: beat.agent_version }),
    ...(beat.agent_verify_ca && { agent_verify_ca: beat.agent_verify_ca }),
  }),
  ...(isWaiting(node) && { provision_updated_at: now }),
});

/**
 * Writes the heartbeat down if it is that of the node's own agent. Returns the node as it then is; whose agent it is not
 * leaves it as it was. The node is read once, for the write. Throws NotFound (404) without a node, Invalid (400).
 */
const writeDown = async (deps: Deps, ident: string, beat: Heartbeat): Promise<StoredNode> => {
  const uuid = await uuidOf(deps.table, kinds.node, ident);
  if (uuid === undefined) throw Stranger();
  const { after } = await changeRecord(deps, kinds.node, uuid, (node) => {
    if (!isOwn(node, beat)) return undefined;
    checkBeat(node, beat);
    if (!stateOf(node).heartbeat) return undefined;
    return { set: record(node, beat, isoTime(deps.clock.now())) };
  }).catch((error: unknown) => {
    throw isFault(error) && error.name === 'NotFound' ? Stranger() : error;
  });
  return after;
};

/**
 * Records the heartbeat whoever holds the lock, and delivers it if the node waits for one. A node in maintenance rests:
 * its agent is recorded, its run does not go on. Throws NotFound (404), Invalid (400).
 */
export const heartbeat = async (deps: Deps, { body: beat, params, source }: Call<Heartbeat>): Promise<Answer> => {
  checkUrl(beat.callback_url, deps.config.requireTls);
  if (!beat.agent_version && !beat.agent_status) throw Invalid('Missing mandatory parameter: agent_version');
  const node = await writeDown(deps, params['node_ident']!, beat);
  if (!isOwn(node, beat)) {
    await deps.witness.refused(node, source, 'a heartbeat without the token of its agent');
    throw Stranger();
  }
  if (goesOn(node)) await deliver(deps, node.uuid);
  return {};
};
