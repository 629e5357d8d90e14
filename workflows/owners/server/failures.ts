/** What can end the building of a server, besides what goes wrong with a machine. */
import { Fault } from '../../../layers/domain/fault.ts';

/** No machine would do it; the message is its tenant's. */
export const BuildAborted = (message: string, cause?: unknown) => new Fault('BuildAborted', 409, message, { cause });

/** There is no machine for it; the message is for administrators. */
export const NoValidHost = (message: string) => new Fault('NoValidHost', 409, message);

/** After these another machine would not help. */
export const final: readonly string[] = ['BuildAborted', 'NoValidHost'];
