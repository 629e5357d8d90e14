/** The simulator as a process: one line of JSON when it listens, saved and gone when it is told to end. */
import { setFlagsFromString } from 'node:v8';

import { isFault } from '../layers/domain/fault.ts';
import { parseOptions } from './options.ts';
import { createSimulator, type Simulator } from './simulator.ts';

const endWith = (simulator: Simulator, withParent: boolean): void => {
  let ending = false;
  const end = () => {
    if (ending) return;
    ending = true;
    void simulator.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  // A parent that was killed cannot say so; but its end of the IPC channel and of the pipe closes.
  process.on('disconnect', end);
  if (withParent) process.stdin.on('end', end).on('error', end).resume();
};

// Its machines remember passwords and images, as their folder does.
process.umask(0o077);

// V8 lets the heap for young objects grow to 100 MB under load; kept small, a thousand machines stay below 250 MB.
setFlagsFromString('--semi-space-growth-factor=1');

try {
  const { withParent, ...options } = parseOptions(process.argv.slice(2));
  const simulator = await createSimulator(options);
  endWith(simulator, withParent);
  const { port, controlPort } = simulator;
  process.stdout.write(`${JSON.stringify({ ready: true, port, control_port: controlPort })}\n`);
} catch (error) {
  if (!isFault(error)) throw error;
  process.stderr.write(`simulator: ${error.message}\n`);
  process.exit(1);
}
