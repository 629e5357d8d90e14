/** What `driver_internal_info` says about the deploy agent, and when that is forgotten (ironic-states.md 4, 6). */
import { byLookup, hasMediumToken, pregenerated } from '../../../layers/domain/agent-token.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { inspectedBy, inspectedWithKey } from '../../inspect/inspection.ts';

type Info = StoredNode['driver_internal_info'];

/** Without these keys; absent ones do not matter. */
export const without = (info: Info, keys: readonly string[]): Info =>
  Object.fromEntries(Object.entries(info).filter(([key]) => !keys.includes(key)));

/** True for one boot of the machine only. */
const ofOneBoot = [
  inspectedBy,
  inspectedWithKey,
  'agent_url',
  'agent_verify_ca',
  byLookup,
  'agent_start_attempted',
  'agent_cached_deploy_steps',
  'agent_cached_clean_steps',
  'agent_cached_service_steps',
] as const;

type Forgotten = Pick<StoredNode, 'driver_internal_info' | 'agent_token_sha256'>;

/**
 * The agent is gone with the memory of the machine: its address, certificate and token must not be believed any more.
 * The sealed token stays until the next one takes its place; without its hash nothing accepts it. Which medium was made
 * stays, too, until somebody has removed it (workflows/owners/node/agent-medium.ts).
 */
export const forgetAgent = (node: StoredNode): Forgotten => ({
  agent_token_sha256: null,
  driver_internal_info: without(node.driver_internal_info, [...ofOneBoot, 'agent_secret_token', pregenerated]),
});

/** The medium is still in its drive: who boots the ramdisk again finds the same token there. */
const forgetBoot = (node: StoredNode): Forgotten =>
  hasMediumToken(node)
    ? {
        agent_token_sha256: node.agent_token_sha256,
        driver_internal_info: without(node.driver_internal_info, ofOneBoot),
      }
    : forgetAgent(node);

/** The machine is off, and its agent with it. */
export const poweredOff = (node: StoredNode): Partial<StoredNode> => ({
  power_state: 'power off',
  ...forgetBoot(node),
});

/** The machine is off, and what comes next has no use for the agent that was there. */
export const leftRamdisk = (node: StoredNode): Partial<StoredNode> => ({
  power_state: 'power off',
  ...forgetAgent(node),
});

/** Whether an agent of the present boot has called. */
export const agentCalled = (node: StoredNode): boolean => typeof node.driver_internal_info['agent_url'] === 'string';
