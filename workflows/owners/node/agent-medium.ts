/**
 * How the agent of a boot gets its token (ADR 9): on a medium of its own in the machine's second virtual drive. Where
 * there is no such drive, or the operator's ISO does not look for it, the agent has to ask by lookup, which is weaker.
 */
import { agentMediumKey, askedMedium, networkOf } from '../../../layers/domain/agent-medium.ts';
import { hasMediumToken } from '../../../layers/domain/agent-token.ts';
import { buildAgentMedium } from '../../../layers/configdrive/agent-medium.ts';
import { Fault, isFault } from '../../../layers/domain/fault.ts';
import { drop, forget, keep, note, type Noted, type Notes } from '../../../layers/domain/notes.ts';
import { giveAgentToken, inspectionKey, newToken, tokenHash } from '../../../layers/store/agent-tokens.ts';
import { requireLock } from '../../../layers/store/reservation.ts';
import { weakToken } from './history.ts';
import { isFake } from './hardware.ts';
import { done, type Outcome, type PhaseContext } from './phase.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Change } from '../../../layers/store/records/plan.ts';

const asked = (node: StoredNode): boolean | undefined => askedMedium(node).value;

/** An agent without an address could not ask for anything, so there is no weaker way for it. */
const needsMedium = (node: StoredNode): boolean => asked(node) === true || networkOf(node) !== undefined;

const wantsMedium = (node: StoredNode): boolean =>
  needsMedium(node) || (asked(node) ?? note(node, 'removable_media') !== false);

/** What the agent reads. The address for inventories is for who inspects only: agents send one to it at every boot. */
const wordsOf = ({ node, settings: { agentEndpoint: api } }: PhaseContext, token: string) => {
  const key = inspectionKey(tokenHash(token));
  const inspects = node.run_workflow === 'inspect' && api !== '';
  return {
    'ipa-api-url': api,
    'ipa-agent-token': token,
    'ipa-inspection-callback-url': inspects ? `${api}/v1/continue_inspection?node_uuid=${node.uuid}&key=${key}` : '',
  };
};

/** The key of the medium that was made last; undefined if there is none. */
const mediumOf = (node: Noted): string | undefined => note(node, 'agent_medium');

/** The token is there for this boot already: an attempt that was cut off goes on with its medium. */
const isMade = (node: StoredNode): boolean => hasMediumToken(node) && mediumOf(node) !== undefined;

/**
 * Makes the medium and notes its token in one write, so that nothing is ever inserted whose token the node does not
 * know. Of attempts that do so at the same time one wins; what the others stored is swept.
 */
const makeMedium = async (context: PhaseContext): Promise<string> => {
  const { node, platform, run } = context;
  if (isMade(node)) return mediumOf(node)!;
  const token = newToken(platform);
  const key = agentMediumKey(node.uuid, platform.ids.ulid());
  await platform.objects.put(
    key,
    buildAgentMedium(wordsOf(context, token), networkOf(node)),
    'application/octet-stream',
  );
  const after = await giveAgentToken(platform, node.uuid, token, (fresh): Change<StoredNode> | undefined => {
    requireLock(fresh, run);
    if (isMade(fresh)) return undefined;
    return { set: keep(fresh, { agent_secret_token_pregenerated: true, agent_medium: key }) };
  });
  const last = mediumOf(node);
  if (last !== undefined && last !== mediumOf(after)) await removeObject(context, last);
  return mediumOf(after)!;
};

/** From here on the agent of this run may ask for its token, once. */
const letItAsk = ({ run }: PhaseContext, more: Notes = {}) => {
  return (node: StoredNode): Partial<StoredNode> => ({
    agent_token_sha256: null,
    ...keep(drop(node, 'agent_secret_token_pregenerated', 'agent_secret_token'), {
      ...more,
      agent_token_by_lookup: run,
    }),
  });
};

const weaker = (context: PhaseContext, why: string, more: Notes = {}): Outcome => {
  return done(letItAsk(context, more), { events: [weakToken(context.about, why)] });
};

const withoutNetwork = ({ name, code, message }: Fault): Fault =>
  new Fault(
    name,
    code,
    `${message} network_data reaches the agent on a second virtual drive only: remove it, or give the machine an address by DHCP.`,
  );

const hasNoDrive = (error: unknown): boolean => isFault(error) && error.name === 'BmcUnsupported';

/**
 * Gives the agent that is booted next its token: the end of a phase that attaches a ramdisk. Throws the faults of the
 * BMC; BmcUnsupported only where `config_via_removable` demands the medium, or network_data needs it.
 */
export const attachAgentMedium = async (context: PhaseContext): Promise<Outcome> => {
  const { hardware, node, platform, settings } = context;
  if (isFake(node, 'vmedia')) return done();
  if (!wantsMedium(node)) {
    const chosen = asked(node) === false;
    return weaker(context, chosen ? 'driver_info.config_via_removable is false' : 'the BMC has one virtual drive only');
  }
  const image = await platform.objects.link(await makeMedium(context), settings.mediumSeconds);
  try {
    await hardware.ask('vmedia.insert', { slot: 'usb', image, beside: true }, 'agent');
    return done();
  } catch (error) {
    if (!hasNoDrive(error)) throw error;
    if (networkOf(node)) throw withoutNetwork(error as Fault);
    if (needsMedium(node)) throw error;
    return weaker(context, 'the BMC has no second virtual drive', { removable_media: false });
  }
};

/** A failure is logged only: the token is of no use any more, and `sync` removes what no node names. */
const removeObject = async (
  { platform, node }: Pick<PhaseContext, 'platform' | 'node'>,
  key: string,
): Promise<void> => {
  await platform.objects
    .remove(key)
    .catch((error: unknown) =>
      platform.log.warn('The medium of an agent was not removed.', { node: node.uuid, error }),
    );
};

/** Removes the medium that was made last, if there is one. Answers the change that forgets it. */
export const removeAgentMedium = async (
  context: Pick<PhaseContext, 'platform' | 'node'>,
): Promise<((node: StoredNode) => Partial<StoredNode>) | undefined> => {
  const key = mediumOf(context.node);
  if (key === undefined) return undefined;
  await removeObject(context, key);
  return (node) => forget(node, 'medium');
};
