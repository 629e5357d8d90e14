/** POST /v1/heartbeat/{ident}: an agent says that it lives, and a run that waits for it goes on. */
import * as z from 'zod';

import { Invalid, isFault, NotFound } from '../../layers/domain/fault.ts';
import { keep, note } from '../../layers/domain/notes.ts';
import { check } from '../../layers/domain/schema.ts';
import { waitStates } from '../../layers/domain/states.ts';
import { jsonBody } from '../../layers/http/request.ts';
import { isToken } from '../../layers/store/agent-tokens.ts';
import { changeNode, findNode, isoTime, type StoredNode } from '../../layers/store/nodes.ts';
import { hasInspected } from '../../workflows/inspection.ts';
import { deliver } from '../../workflows/wait.ts';
import type { Call, Deps } from './route.ts';

/** Fields of the body with the microversion 1.N that introduced them. */
const since: { readonly [field: string]: number } = {
  agent_version: 36,
  agent_token: 62,
  agent_verify_ca: 68,
  agent_status: 72,
  agent_status_message: 72,
};

const Beat = z.strictObject({
  callback_url: z.string({ error: 'Missing mandatory parameter: callback_url' }),
  agent_version: z.string().nullish(),
  agent_token: z.string().nullish(),
  agent_verify_ca: z
    .string()
    .max(64 * 1024)
    .nullish(),
  agent_status: z.enum(['start', 'end', 'error']).nullish(),
  agent_status_message: z.string().nullish(),
});
type Beat = z.output<typeof Beat>;

/** States in which a heartbeat means something; in others it is accepted and ignored, as Ironic does. */
const recordStates: readonly string[] = [
  ...waitStates,
  'deploying',
  'deploy hold',
  'cleaning',
  'clean hold',
  'rescuing',
  'servicing',
  'service hold',
];

/** The certificate is the longest of it. Nobody has proved anything when it is parsed. */
const maxBody = 128 * 1024;

/** Arguments come as JSON or as query parameters. Throws Invalid, also for a field that is newer than the request. */
const readBeat = ({ request, version }: Call): Beat => {
  const loose = Object.fromEntries(Object.entries(request.query).map(([name, [value]]) => [name, value]));
  const body = jsonBody(request, maxBody) ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) throw Invalid('The request body must be a JSON object.');
  const beat = { ...loose, ...body };
  const early = Object.keys(beat).find((name) => (since[name] ?? 0) > version);
  if (early) throw Invalid(`${early} needs API version 1.${since[early]}, this request asked for 1.${version}.`);
  return check(Beat, beat);
};

/** The address itself is checked by the proxy against the networks that agents may be in. */
const checkUrl = (url: string, requireTls: boolean): void => {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw Invalid('callback_url must be an http or https URL.');
  if (requireTls && protocol !== 'https:') throw Invalid('callback_url must be https, TLS is required for agents.');
};

/** The same for who names no node of ours and for who is not its agent, so that nobody learns which names there are. */
const Stranger = () => NotFound('Node could not be found, or the agent token is missing or not its own.');

/** Whether the agent says what it said before, if it said anything. */
const same = (before: string | undefined, value: string | null | undefined): boolean =>
  before === undefined || before === value;

/** The rules of ironic-deploy.md 3.2 that look at the node. Throws NotFound (404) for a stranger, Invalid (400). */
const checkBeat = (node: StoredNode, beat: Beat): void => {
  if (!isToken(beat.agent_token, node.agent_token_sha256)) throw Stranger();
  if (!same(note(node, 'agent_url'), beat.callback_url)) {
    throw Invalid('Agent URL has changed since the first heartbeat of this boot, which is not allowed.');
  }
  if (!same(note(node, 'agent_verify_ca'), beat.agent_verify_ca)) {
    throw Invalid('agent_verify_ca has changed since the first heartbeat of this boot, which is not allowed.');
  }
};

/** The node whose agent this is. Throws NotFound (404). */
const findOwn = async (deps: Deps, { ident, source }: Call, beat: Beat): Promise<StoredNode> => {
  const node = await findNode(deps.table, ident).catch((error: unknown) => {
    throw isFault(error) && error.name === 'NotFound' ? Stranger() : error;
  });
  if (isToken(beat.agent_token, node.agent_token_sha256)) return node;
  await deps.witness.refused(node, source, 'a heartbeat without the token of its agent');
  throw Stranger();
};

const isWaiting = ({ provision_state }: StoredNode) => (waitStates as readonly string[]).includes(provision_state);

/** An inspection waits for the inventory, not for a sign of life; should that have got lost on its way, this is it. */
const goesOn = (node: StoredNode): boolean =>
  isWaiting(node) && !node.maintenance && (node.provision_state !== 'inspect wait' || hasInspected(node, node.run));

const record = (node: StoredNode, beat: Beat, now: string): Partial<StoredNode> => ({
  ...keep(node, {
    agent_url: beat.callback_url,
    agent_last_heartbeat: now,
    ...(beat.agent_version && { agent_version: beat.agent_version }),
    ...(beat.agent_verify_ca && { agent_verify_ca: beat.agent_verify_ca }),
  }),
  ...(isWaiting(node) && { provision_updated_at: now }),
});

/**
 * Records the heartbeat whoever holds the lock, and delivers it if the node waits for one. A node in maintenance rests:
 * its agent is recorded, its run does not go on. Throws NotFound (404), Invalid (400).
 */
export const heartbeat = async (deps: Deps, call: Call): Promise<void> => {
  const beat = readBeat(call);
  checkUrl(beat.callback_url, deps.config.requireTls);
  if (!beat.agent_version && !beat.agent_status) throw Invalid('Missing mandatory parameter: agent_version');
  const { uuid } = await findOwn(deps, call, beat);
  const node = await changeNode(deps, uuid, (fresh) => {
    checkBeat(fresh, beat);
    if (!recordStates.includes(fresh.provision_state)) return undefined;
    return { set: record(fresh, beat, isoTime(deps.clock.now())) };
  });
  if (goesOn(node)) await deliver(deps, uuid);
};
