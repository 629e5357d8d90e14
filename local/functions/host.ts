/**
 * Lambda on one machine: a pool of worker threads for each function of the manifest, each with its own environment and
 * a platform of its own. Callers see what they see on AWS: JSON goes in and comes out, an error has a name and a message, and
 * an invocation past its limit fails with `Sandbox.Timedout`.
 */
import { Worker, type WorkerOptions } from 'node:worker_threads';

import type { FunctionRow } from '../../infra/manifest.ts';
import { NotFound } from '../../layers/domain/fault.ts';
import type { Functions } from '../../layers/platform/platform.ts';
import type { Wiring, WorkerData } from './message.ts';
import { createPool, type Pool } from './pool.ts';

/** Where a worker writes: `line` is one line of its standard output or error. */
export type LogLine = (name: string, line: string) => void;

export type HostOptions = {
  readonly rows: Readonly<Record<string, FunctionRow>>;
  /** The folder that holds `<name>/app.ts` and `<name>/config.ts`, as a URL with a trailing slash. */
  readonly folder: URL;
  /** The whole environment of the workers of this function. */
  environment(name: string): Record<string, string>;
  /** What each new worker of this function is connected to; MessagePorts in it are handed over. */
  wire(name: string, row: FunctionRow, host: Functions): Wiring;
  onLine: LogLine;
  /** Workers of one function at most; more than cores - 1 only costs memory. */
  readonly size?: number;
};

export type FunctionHost = Functions & {
  /** `invoke` for callers that have JSON text. */
  invokeText(name: string, payload: string): Promise<unknown>;
  /** Starts one worker of each function and waits for all. Throws a Fault if a function cannot be loaded. */
  warm(): Promise<void>;
  /** How often each function was invoked since the start: what AWS would bill. */
  invocations(): Readonly<Record<string, number>>;
  /** Takes no new invocations, gives what runs `graceMs`, then ends the workers. */
  stop(graceMs: number): Promise<void>;
};

const entry = new URL('../thread.js', import.meta.url);
const worker = new URL('./worker.ts', import.meta.url).href;

const portsOf = (wiring: Wiring) =>
  [wiring.table?.writer, wiring.workflows, wiring.functions, wiring.events].filter((port) => port !== undefined);

const forwardLines = (stream: NodeJS.ReadableStream, onLine: (line: string) => void): void => {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
};

/**
 * The environment is what is given and nothing of this process; memory is limited as Lambda limits it. Young objects get
 * little of it: a dozen functions at work would keep as much again of what nobody needs any more.
 */
const workerOptions = (data: WorkerData, env: Record<string, string>): WorkerOptions => ({
  argv: [worker],
  workerData: data,
  env,
  transferList: portsOf(data.wiring),
  resourceLimits: { maxOldGenerationSizeMb: data.row.memory, maxYoungGenerationSizeMb: data.row.memory / 40 },
  stdout: true,
  stderr: true,
});

/** Starts nothing yet: the first invocation of a function, or `warm`, starts its first worker. */
export const createHost = (options: HostOptions): FunctionHost => {
  const { rows, folder, environment, wire, onLine, size = 1 } = options;
  const pools = new Map<string, Pool>();
  const counts: Record<string, number> = {};

  const spawn = (name: string, row: FunctionRow): Worker => {
    const data: WorkerData = { name, row, folder: new URL(`${name}/`, folder).href, wiring: wire(name, row, host) };
    const started = new Worker(entry, workerOptions(data, environment(name)));
    for (const stream of [started.stdout, started.stderr]) forwardLines(stream, (line) => onLine(name, line));
    return started;
  };

  const host: FunctionHost = {
    invokeText: async (name, payload) => {
      const pool = pools.get(name);
      if (!pool) throw NotFound(`There is no function ${name}.`);
      counts[name] = (counts[name] ?? 0) + 1;
      return pool.invoke(payload);
    },
    invoke: async (name, payload) => host.invokeText(name, JSON.stringify(payload)),
    warm: async () => {
      await Promise.all([...pools.values()].map(async (pool) => pool.warm()));
    },
    invocations: () => ({ ...counts }),
    stop: async (graceMs) => {
      await Promise.all([...pools.values()].map(async (pool) => pool.stop(graceMs)));
    },
  };

  for (const [name, row] of Object.entries(rows)) {
    const onTrouble = (message: string, fields: Record<string, unknown>) =>
      onLine(name, JSON.stringify({ level: 'ERROR', message, ...fields }));
    pools.set(name, createPool({ name, timeout: row.timeout, size, spawn: () => spawn(name, row), onTrouble }));
  }
  return host;
};
