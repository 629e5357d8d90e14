/**
 * The closed list of errors of the hardware side, with what a workflow does about each (redfish.md 6). ASL `Retry`
 * blocks match these names; a test compares the two.
 */
import { Fault } from '../domain/fault.ts';

/** `retry`: may go away by itself. `fatal`: a person has to act, repeating could lock an account or do harm. */
export const bmcFaults = {
  BmcUnreachable: 'retry',
  BmcTimeout: 'retry',
  BmcBusy: 'retry',
  BmcSessionLimit: 'retry',
  BmcProtocol: 'retry',
  AgentUnreachable: 'retry',
  AgentBusy: 'retry',
  BmcStateMismatch: 'fatal',
  BmcTaskFailed: 'fatal',
  BmcAuthFailed: 'fatal',
  BmcTlsMismatch: 'fatal',
  BmcUnsupported: 'fatal',
  BmcRejected: 'fatal',
  BmcNotFound: 'fatal',
  InvalidCommand: 'fatal',
  TargetForbidden: 'fatal',
  StaleGeneration: 'fatal',
  AgentRejected: 'fatal',
} as const satisfies Record<string, 'retry' | 'fatal'>;

/** Whether a BMC says no for good: something else may be tried. By the name of a fault. */
export const isRejection = (name: string | null | undefined): boolean =>
  name === 'BmcRejected' || name === 'BmcUnsupported' || name === 'BmcTaskFailed';

export type BmcFaultName = keyof typeof bmcFaults;

/** A fault of the table: 503 if it may go away by itself, else 400. */
export const bmcFault = (name: BmcFaultName, message: string, cause?: unknown): Fault =>
  new Fault(name, bmcFaults[name] === 'retry' ? 503 : 400, message, { cause });

/** Whether it is a fault of the table that may go away by itself. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof Fault && bmcFaults[error.name as BmcFaultName] === 'retry';
