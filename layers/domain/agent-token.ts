/**
 * How the agent of a boot proves itself (ADR 9). `agent_secret_token_pregenerated` is Ironic's name: the token went
 * onto the machine's own medium. `agent_token_by_lookup` names the run whose agent has to ask for it, which is weaker.
 */
import { isWaiting } from './baremetal/states.ts';
import type { ProvisionState } from './baremetal/transitions.ts';

type Info = Readonly<Record<string, unknown>>;
type Told = { readonly driver_internal_info: Info };

export const pregenerated = 'agent_secret_token_pregenerated';
export const byLookup = 'agent_token_by_lookup';

/** Whether the agent has, or could have, its token by the machine's own medium. */
export const hasMediumToken = ({ driver_internal_info: info }: Told): boolean => info[pregenerated] === true;

type Waiting = Told & {
  readonly provision_state: ProvisionState;
  readonly power_state: string | null;
  readonly run: string | null;
};

/** Whether the node waits for an agent that was booted by its run and has to ask for its token. */
export const mayAskForToken = (node: Waiting): boolean =>
  node.run !== null &&
  node.driver_internal_info[byLookup] === node.run &&
  node.power_state === 'power on' &&
  isWaiting(node);
