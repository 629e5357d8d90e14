/** Calls of one function by another: only those that the caller's row grants. */
import type { MessagePort } from 'node:worker_threads';

import type { Grant } from '../../infra/grants.ts';
import { Fault } from '../../layers/domain/fault.ts';
import type { Functions } from '../../layers/platform/platform.ts';
import { serve } from '../rpc.ts';

/** Answers `invoke` on `port` for a worker with these `grants`; any other function is refused with AccessDenied. */
export const serveInvoke = (port: MessagePort, grants: readonly Grant[], functions: Functions): void => {
  const allowed: readonly string[] = grants;
  const invoke: Functions['invoke'] = async (name, payload) => {
    if (!allowed.includes(`invoke:${name}`)) {
      throw new Fault(
        'AccessDenied',
        500,
        `Function ${name} may not be called here: infra/manifest.ts does not grant it.`,
      );
    }
    return functions.invoke(name, payload);
  };
  serve(port, { invoke });
};
