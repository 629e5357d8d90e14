/** The simulator as a child process: its own memory and CPU, as the hardware has. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { createInterface } from 'node:readline';

import { Fault } from '../layers/domain/fault.ts';

export type SimulatorOptions = {
  readonly machines: number;
  /** Ports on 127.0.0.1; 0: any free one. */
  readonly port: number;
  readonly controlPort: number;
  /** Real seconds per second of the machines. */
  readonly scale: number;
  /** Given to the machines in turn (simulator/profiles.ts), with commas. */
  readonly profiles: string;
};

export type SimulatorProcess = {
  /** URL below which the BMCs are. */
  readonly bmcs: string;
  /** URL of the control port. */
  readonly control: string;
  readonly pid: number;
  /** Resolves when the process is gone, whatever the reason. */
  readonly ended: Promise<void>;
  /** Lets it save its machines and waits for its end. */
  stop(): Promise<void>;
};

const entry = new URL('../simulator/main.ts', import.meta.url).pathname;

/** How long it may take to save its machines. Milliseconds. */
const patience = 10_000;

/** Its own flag for the BMCs' port has another name with `npm start`, where --port is that of the API. */
const inOurWords = (said: string): string => said.replace(/^simulator: /, '').replace(/ --port\b/, ' --simulator-port');

/**
 * Starts the simulator with its state in `folder` and waits until it listens. `apiUrl` is where its agents call.
 * Throws Simulator (500) with what the process said when it cannot start.
 */
export const startSimulator = async (
  { machines, port, controlPort, scale, profiles }: SimulatorOptions,
  folder: string,
  apiUrl: string,
  onLine: (line: string) => void,
): Promise<SimulatorProcess> => {
  const flags = { machines, port, 'control-port': controlPort, scale, profiles, seed: 1 };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  // A group of its own: Ctrl-C in the terminal is for the main process, which ends the simulator last.
  const child = spawn(process.execPath, [entry, ...args, '--state-dir', folder, '--api-url', apiUrl, '--with-parent'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() },
  });
  let said = '';
  createInterface(child.stderr).on('line', (line) => {
    said = line;
    onLine(line);
  });
  const ended = once(child, 'exit').then(() => undefined);
  const hello = createInterface(child.stdout);
  const ready = await Promise.race([once(hello, 'line') as Promise<[string]>, ended]);
  if (!ready) throw new Fault('Simulator', 500, `The simulator could not start: ${inOurWords(said)}`);
  const found = JSON.parse(ready[0]) as { port: number; control_port: number };
  return {
    bmcs: `https://127.0.0.1:${found.port}`,
    control: `http://127.0.0.1:${found.control_port}`,
    pid: child.pid!,
    ended,
    stop: async () => {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), patience);
      await ended;
      clearTimeout(timer);
    },
  };
};
