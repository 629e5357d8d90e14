/** A worker thread: loads one function, builds its platform, and runs the invocations it is sent. */
import { parentPort, workerData } from 'node:worker_threads';

import type { z } from 'zod';

import { Fault } from '../../layers/domain/fault.ts';
import { systemClock } from '../../layers/platform/clock.ts';
import { createLog } from '../../layers/platform/log.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import type { Failure, InvocationMessage, WorkerData, WorkerMessage } from './message.ts';
import { createPlatform } from './platform.ts';

type Handle = (event: unknown, invocation: Invocation) => Promise<unknown>;
type App = { create(platform: object, config: unknown): Handle };

const { name, row, folder, wiring } = workerData as WorkerData;
const port = parentPort!;
const log = createLog({ service: name, clock: systemClock });
const send = (message: WorkerMessage) => port.postMessage(message);

const toFailure = (error: unknown): Failure =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message }
    : { errorType: 'Error', errorMessage: String(error) };

/** A missing or wrong setting, said without zod's own layout. The host says which function it is. */
const parse = (schema: z.ZodType): unknown => {
  const parsed = schema.safeParse(process.env);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new Fault('Configuration', 500, `wrong configuration, ${problems}.`);
};

const load = async (): Promise<Handle> => {
  const { create } = (await import(new URL('app.ts', folder).href)) as App;
  const { Config } = (await import(new URL('config.ts', folder).href)) as { Config: z.ZodType };
  return create(await createPlatform(name, row.grants, wiring, log), parse(Config));
};

const handle = await load();

const toResult = (id: number, result: unknown): WorkerMessage => {
  const { body, ...rest } = (result ?? {}) as { body?: unknown };
  if (typeof body === 'string') return { id, result: JSON.stringify(rest), body };
  return { id, result: JSON.stringify(result ?? null) };
};

const run = async ({ id, request_id, deadline, payload }: InvocationMessage): Promise<void> => {
  const invocation: Invocation = { request_id, remaining_ms: () => deadline - systemClock.now() };
  try {
    send(toResult(id, await handle(JSON.parse(payload), invocation)));
  } catch (error) {
    if (!(error instanceof Fault)) log.error('The invocation failed.', { request_id, error });
    send({ id, failure: toFailure(error) });
  }
};

port.on('message', (message: InvocationMessage) => void run(message));
send({ ready: true });
