/** What a node's notes say about its deploy agent, and when that is forgotten (ironic-states.md 4, 6). */
import { hasMediumToken } from '../../../layers/domain/agent-token.ts';
import { forget, note, type Noted } from '../../../layers/domain/notes.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import type { Hardware } from './hardware.ts';

type Forgotten = Noted & Pick<StoredNode, 'agent_token_sha256'>;

/**
 * The agent is gone with the memory of the machine: its address, certificate and token must not be believed any more.
 * The sealed token stays until the next one takes its place; without its hash nothing accepts it. Which medium was made
 * stays, too, until somebody has removed it (workflows/owners/node/agent-medium.ts).
 */
export const forgetAgent = (node: StoredNode): Forgotten => ({
  agent_token_sha256: null,
  ...forget(node, 'agent'),
});

/** The medium is still in its drive: who boots the ramdisk again finds the same token there. */
export const forgetBoot = (node: StoredNode): Forgotten =>
  hasMediumToken(node) ? { agent_token_sha256: node.agent_token_sha256, ...forget(node, 'boot') } : forgetAgent(node);

/** The machine is off, and its agent with it. */
export const poweredOff = (node: StoredNode): Partial<StoredNode> => ({
  power_state: 'power off',
  ...forgetBoot(node),
});

/** The machine is off, and what comes next has no use for the agent that was there. */
export const leftRamdisk = (node: StoredNode): Forgotten & Partial<StoredNode> => ({
  power_state: 'power off',
  ...forgetAgent(node),
});

/** Whether the agent is still at what it was told to do. */
export const agentIsAtIt = async (hardware: Hardware): Promise<boolean> =>
  (await hardware.ask('agent.progress', {}))?.running === true;

/** Whether an agent of the present boot has called. */
export const agentCalled = (node: StoredNode): boolean => note(node, 'agent_url') !== undefined;
