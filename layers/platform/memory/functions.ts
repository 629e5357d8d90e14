/** Functions as a map of handlers. Payloads and answers pass through JSON, as they do between real functions. */
import { Fault } from '../../domain/fault.ts';
import type { Functions } from '../platform.ts';

// eslint-disable-next-line typescript/no-explicit-any -- each handler knows its own payload
export type Handlers = Record<string, (payload: any) => unknown>;

export type MemoryFunctions = Functions & {
  readonly calls: { readonly name: string; readonly payload: unknown }[];
  /** May be added to or changed at any time. */
  readonly handlers: Handlers;
};

const copy = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** Calls `handlers[name]`; what a handler throws reaches the caller as a Fault of its name and message, code 500. */
export const createMemoryFunctions = (handlers: Handlers = {}): MemoryFunctions => {
  const calls: MemoryFunctions['calls'] = [];
  return {
    calls,
    handlers,
    invoke: async (name, payload) => {
      calls.push({ name, payload: copy(payload) });
      const handler = handlers[name];
      if (!handler) throw new Fault('FunctionUnknown', 500, `There is no function ${name}.`);
      try {
        return copy(await handler(copy(payload)));
      } catch (error) {
        const { name: type, message } = error as Error;
        throw new Fault(type, 500, message, { cause: error });
      }
    },
  };
};
