/**
 * How the agent of a boot proves itself (ADR 9): by a token that went onto the machine's own medium, or, which is
 * weaker, by one that it has to ask for.
 */
import { isWaiting } from './baremetal/states.ts';
import type { ProvisionState } from './baremetal/transitions.ts';
import { note, type Noted } from './notes.ts';

/** Whether the agent has, or could have, its token by the machine's own medium. */
export const hasMediumToken = (node: Noted): boolean => note(node, 'agent_secret_token_pregenerated') === true;

type Waiting = Noted & {
  readonly provision_state: ProvisionState;
  readonly power_state: string | null;
  readonly run: string | null;
};

/** Whether the node waits for an agent that was booted by its run and has to ask for its token. */
export const mayAskForToken = (node: Waiting): boolean =>
  node.run !== null &&
  note(node, 'agent_token_by_lookup') === node.run &&
  node.power_state === 'power on' &&
  isWaiting(node);
