/**
 * An API of ours that is called by invoking its function. Whether that may be, IAM says (on one machine the host), so
 * there is no credential that could be wrong, leak or have to be renewed.
 */
import { isFault, ServiceCredential, Unavailable } from '../domain/fault.ts';
import { type Result, toEvent, toReply } from './api-event.ts';
import { type ApiCall, calledApis, type InvokedApi, invokedApis } from './apis.ts';
import type { Platform } from './platform.ts';

type Needs = Pick<Platform, 'functions' | 'log' | 'ids'>;

/** Makes the function that calls the API. What it throws and answers is told at `ApiCall`. */
export const createInvokedApi =
  ({ functions, log, ids }: Needs, api: InvokedApi): ApiCall =>
  async (wanted) => {
    const title = calledApis[api];
    // It would be served as a service of this installation, which may do more.
    if (wanted.proof) throw new Error(`The ${title} is called by its function, where nobody proves who he is.`);
    const fail = (make: typeof Unavailable, reason: string, fields: object) => {
      log.error(`The ${title} could not be called: ${reason}.`, { method: wanted.method, ...fields });
      return make(`The ${title} could not be asked. Try again later.`);
    };
    const answer = await functions.invoke(invokedApis[api], toEvent(wanted, ids.uuid())).catch((error: unknown) => {
      throw fail(Unavailable, 'its function failed', { reason: isFault(error) ? error.message : error });
    });
    const reply = toReply(answer as Result);
    if (reply.status === 401 || (reply.status === 403 && !wanted.refusable)) {
      throw fail(ServiceCredential, 'it does not let services of this installation in', { status: reply.status });
    }
    return reply;
  };
