/** `npm start`: the whole system on this machine, and the main job before the newcomer's eyes. */
import { Invalid, isFault } from '../layers/domain/fault.ts';
import { systemClock } from '../layers/platform/clock.ts';
import { type Cloud, startCloud } from './cloud.ts';
import { runDemo } from './demo/demo.ts';
import { createDisplay, type Display } from './demo/display.ts';
import { enrolCommands, nextCommands, unreachableNote } from './demo/next.ts';
import { createPhases } from './demo/phases.ts';
import { withTenant } from './demo/tenant.ts';
import { helpText, type Options, readOptions } from './options.ts';

const { stdout, stderr, env } = process;
const firstMachine = 'm0001';

const print = (text: string): void => void stdout.write(`${text}\n`);
const complain = (text: string): void => void stderr.write(`ingot: ${text}\n`);

/** A Fault is a sentence for people; anything else is a mistake of ours, and its stack is what helps. */
const explain = (error: unknown): string => {
  if (isFault(error)) return error.message;
  return error instanceof Error ? `unexpected: ${error.stack}` : String(error);
};

const isDemo = ({ machines, 'no-demo': none }: Options): boolean => machines > 0 && !none;

/** Options that each are right and do not go together. */
const check = (options: Options): void => {
  if (options.once && !isDemo(options))
    throw Invalid('--once is about the demo, which needs at least one simulated machine.');
  if (isDemo(options) && (env['INGOT_AUTH_STRATEGY'] ?? 'noauth') !== 'noauth') {
    throw Invalid('The demo knows no password: add --no-demo, or leave INGOT_AUTH_STRATEGY at noauth.');
  }
};

const start = async (options: Options): Promise<Cloud> => {
  check(options);
  const { machines, port, scale, profiles } = options;
  return startCloud({
    stateDir: options['state-dir'],
    port,
    variables: isDemo(options) ? { ...env, INGOT_USERS: withTenant(env['INGOT_USERS']) } : env,
    ...(options.events !== '' && { events: options.events }),
    ...(machines > 0 && {
      simulator: { machines, port: options['simulator-port'], controlPort: options['control-port'], scale, profiles },
    }),
  });
};

const openDisplay = (): Display =>
  createDisplay({ stream: stdout, colour: stdout.isTTY && env['NO_COLOR'] === undefined, now: systemClock.now });

/** Answers the claims that did not hold. */
const demonstrate = async (cloud: Cloud, { once }: Options, display: Display): Promise<string[]> => {
  const phases = createPhases(display);
  const unfollow = cloud.onWorkflowEvent(phases.receive);
  const control = cloud.simulator!.control;
  const { urls, objects } = cloud;
  return runDemo({ urls, control, once, display, phases, clock: systemClock, objects }).finally(unfollow);
};

/** Resolves on the first signal. The second one does not wait for anything. */
const untilSignal = async (): Promise<void> =>
  new Promise((resolve) => {
    let asked = false;
    const onSignal = (): void => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });

/** Resolves with the exit code when there is a reason to end that is not the demo's. */
const untilEnd = async ({ broken }: Cloud): Promise<number> => {
  const fault = await Promise.race([untilSignal(), broken]);
  if (fault) complain(fault.message);
  return fault ? 1 : 0;
};

const introduce = ({ url, urls, stateDir, log, simulator }: Cloud): void => {
  print(`Ingot answers at ${url}. Everything is kept in ${stateDir}; the log is ${log}. Ctrl-C stops it.\n`);
  for (const [name, other] of Object.entries(urls)) if (other !== url) print(`The ${name} API is at ${other}.`);
  if (simulator) print(`Simulated BMCs are at ${simulator.bmcs}, and what controls them at ${simulator.control}.`);
};

const run = async (cloud: Cloud, options: Options): Promise<number> => {
  const end = untilEnd(cloud);
  introduce(cloud);
  const { simulator } = cloud;
  if (!simulator) print(enrolCommands(cloud));
  if (!simulator && !env['INGOT_PUBLIC_ENDPOINT']) print(unreachableNote);
  if (!simulator || options['no-demo']) return end;
  const display = openDisplay();
  // Whichever comes first; what the demo says of a system that is being stopped is not worth showing.
  const outcome = await Promise.race([end, demonstrate(cloud, options, display)]);
  display.close();
  if (typeof outcome === 'number') return outcome;
  for (const claim of outcome) complain(`did not hold: ${claim}`);
  if (options.once) return outcome.length === 0 ? 0 : 1;
  print(nextCommands(cloud, firstMachine));
  return end;
};

const main = async (): Promise<number> => {
  const options = readOptions(process.argv.slice(2), env);
  if (options.help) {
    print(helpText());
    return 0;
  }
  const cloud = await start(options);
  try {
    return await run(cloud, options);
  } finally {
    await cloud.stop();
  }
};

// Whatever this process and its threads write is for its owner only: it holds passwords and keys.
process.umask(0o077);

// Nobody reads any more, such as `npm start | head`: end like any program in a pipe.
stdout.on('error', () => process.exit(1));

try {
  // Whatever still waits is not worth waiting for once everything has stopped.
  process.exit(await main());
} catch (error) {
  complain(explain(error));
  process.exit(1);
}
