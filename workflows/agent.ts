/** What `driver_internal_info` says about the deploy agent, and when that is forgotten (ironic-states.md 4, 6). */
import { changeAndCut, hideInUrls, maxReason } from '../layers/domain/foreign-text.ts';
import type { StoredNode } from '../layers/store/nodes.ts';
import { inspectedBy } from './inspection.ts';

type Info = StoredNode['driver_internal_info'];

/** Without these keys; absent ones do not matter. */
export const without = (info: Info, keys: readonly string[]): Info =>
  Object.fromEntries(Object.entries(info).filter(([key]) => !keys.includes(key)));

/** True for one boot of the machine only. */
const ofOneBoot = [
  inspectedBy,
  'agent_url',
  'agent_verify_ca',
  'agent_secret_token',
  'agent_lookup_address',
  'agent_start_attempted',
  'agent_cached_deploy_steps',
  'agent_cached_clean_steps',
  'agent_cached_service_steps',
] as const;

/**
 * The agent is gone with the memory of the machine: its address, certificate and token must not be believed any more.
 * The sealed token stays until the next lookup replaces it; without its hash nothing accepts it.
 */
export const forgetAgent = (node: StoredNode): Pick<StoredNode, 'driver_internal_info' | 'agent_token_sha256'> => ({
  agent_token_sha256: null,
  driver_internal_info: without(node.driver_internal_info, ofOneBoot),
});

/** The machine is off, and its agent with it. */
export const poweredOff = (node: StoredNode): Partial<StoredNode> => ({
  power_state: 'power off',
  ...forgetAgent(node),
});

/** Whether an agent of the present boot has called. */
export const agentCalled = (node: StoredNode): boolean => typeof node.driver_internal_info['agent_url'] === 'string';

/**
 * What another said, for `last_error` and events. Agents quote the URLs that they were given, which may carry
 * credentials or a signature: only scheme, host and path are kept. A text of more than `most`
 * characters is cut.
 */
export const plainText = (text: string, most: number = maxReason): string =>
  changeAndCut(text, (whole) => hideInUrls(whole, ''), most);
