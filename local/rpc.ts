/**
 * Calls between threads over a MessagePort: `serve` answers with an object of async functions, `connect` makes an
 * object of the same type on the other side. Faults keep their name, code and details.
 */
import type { MessagePort } from 'node:worker_threads';

import { Fault } from '../layers/domain/fault.ts';
import { ConditionFailed, type Item } from '../layers/platform/table.ts';

type Methods = Record<string, (...args: never[]) => Promise<unknown>>;
type Call = { id: number; method: string; args: unknown[] };
type Failure = { name: string; message: string; code?: number; index?: number; item?: Item; stack?: string };
type Reply = { id: number; value: unknown } | { id: number; failure: Failure };

const toFailure = (error: unknown): Failure => {
  if (error instanceof ConditionFailed) {
    return { name: error.name, message: error.message, index: error.index, ...(error.item && { item: error.item }) };
  }
  if (error instanceof Fault) return { name: error.name, message: error.message, code: error.code };
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, ...(stack && { stack }) };
};

const fromFailure = ({ name, message, code, index, item, stack }: Failure): Error => {
  if (index !== undefined) return new ConditionFailed(index, item);
  if (code !== undefined) return new Fault(name, code, message);
  return Object.assign(new Error(message), { name, ...(stack && { stack }) });
};

/** Answers calls on `port` with `methods` until the port closes. */
export const serve = (port: MessagePort, methods: object): void => {
  port.on('message', ({ id, method, args }: Call) => {
    const run = async () => (methods as Methods)[method]!(...(args as never[]));
    run().then(
      (value) => port.postMessage({ id, value } satisfies Reply),
      (error: unknown) => port.postMessage({ id, failure: toFailure(error) } satisfies Reply),
    );
  });
};

/** An object whose methods run on the other side of `port`. A closed port fails what is under way. */
export const connect = <T extends object>(port: MessagePort): T => {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let last = 0;
  port.on('message', (reply: Reply) => {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('failure' in reply) call?.reject(fromFailure(reply.failure));
    else call?.resolve(reply.value);
  });
  port.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Fault('Unavailable', 503, 'Ingot is stopping.'));
    waiting.clear();
  });
  const call =
    (method: string) =>
    async (...args: unknown[]) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        port.postMessage({ id: last, method, args } satisfies Call);
      });
  return new Proxy({} as T, { get: (_target, method: string) => (method === 'then' ? undefined : call(method)) });
};
