/** Puts a simulator together: machines from the state directory, one HTTPS server for all of them, control plane. */
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';

import { answerAgent } from './agent/command-api.ts';
import { bootUp } from './boot.ts';
import { loadCertificate } from './certificate.ts';
import { createClock, type Clock } from './clock.ts';
import { answerControl } from './control/app.ts';
import { createImages } from './control/images.ts';
import { createFaults, type ActiveFault, type Faults } from './faults.ts';
import { fetchOnce, type Fetch } from './fetch.ts';
import type { Answer, Ask } from './http.ts';
import { createRequestLog } from './log.ts';
import { createMachine, type Machine } from './machine.ts';
import type { Options } from './options.ts';
import { systemNonces, type Nonces } from './nonces.ts';
import { resume } from './power.ts';
import { answerRedfish } from './redfish/app.ts';
import { listenForEach, ownAddresses } from './own-address.ts';
import { close, listen, serve } from './server.ts';
import { createSaver, openStateFolder, type StateFolder } from './snapshot.ts';
import { createGate, type World } from './world.ts';

/** What tests put in the place of the real world. */
export type Replacements = { readonly clock?: Clock; readonly fetch?: Fetch; readonly nonces?: Nonces };

export type Simulator = {
  readonly port: number;
  readonly controlPort: number;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly faults: Faults;
  /** Saves all machines and lets go of ports and timers. */
  stop(): Promise<void>;
};

const downloadsAtOnce = 8;
const callsAtOnce = 32;

const loadMachines = (folder: StateFolder, { machines, seed, profiles }: Options): Map<string, Machine> => {
  const saved = folder.machines();
  const all = Array.from({ length: machines }, (_, at) => {
    const made = createMachine(seed, at + 1, profiles[at % profiles.length] ?? 'plain');
    return saved.get(made.name) ?? made;
  });
  return new Map(all.map((machine) => [machine.name, machine]));
};

/** `/m0001/redfish/v1/..` is the BMC of m0001, `/m0001/agent/v1/..` the agent that runs on it. */
const answerMachine = async (world: World, machines: ReadonlyMap<string, Machine>, ask: Ask): Promise<Answer> => {
  const [, name = '', side, rest = ''] = /^\/([^/]+)\/(redfish|agent)((?:\/.*)?)$/.exec(ask.path) ?? [];
  const machine = machines.get(name);
  if (!machine) return { status: 404 };
  const path = side === 'agent' ? rest || '/' : `/redfish${rest}`;
  const inner = { ...ask, path };
  const answer = await (side === 'agent' ? answerAgent(world, machine, inner) : answerRedfish(world, machine, inner));
  const status = typeof answer === 'string' ? 0 : answer.status;
  const entry = { at: world.clock.now(), machine: name, method: ask.method, path, status };
  world.log.add({ ...entry, side: side === 'agent' ? 'agent' : 'bmc' });
  return answer;
};

/** Starts a simulator. Throws PortTaken, Damaged. */
export const createSimulator = async (options: Options, replacements: Replacements = {}): Promise<Simulator> => {
  const folder = openStateFolder(options.stateDir);
  const clock = replacements.clock ?? createClock();
  const { key, cert, fingerprint256 } = await loadCertificate(folder, clock.now());
  const saver = createSaver(folder);
  const machines = loadMachines(folder, options);
  const saved = folder.read<ActiveFault[]>('faults.json') ?? [];
  const ports = folder.read<{ port: number; control_port: number }>('ports.json');

  const world: World = {
    clock,
    nonces: replacements.nonces ?? systemNonces,
    scale: options.scale,
    fetch: replacements.fetch ?? fetchOnce,
    faults: createFaults(saved, (active) => folder.write('faults.json', active)),
    log: createRequestLog(),
    base: '',
    certificate: cert,
    lives: new Map(),
    boot: (machine, life) => void bootUp(world, machine, life),
    changed: saver.changed,
    download: createGate(downloadsAtOnce),
    call: createGate(callsAtOnce),
  };

  const bmcs = createHttpsServer({ key, cert, minVersion: 'TLSv1.2' });
  let connections = 0;
  bmcs.on('secureConnection', () => {
    connections += 1;
  });
  const control = createHttpServer();
  serve(bmcs, async (ask) => answerMachine(world, machines, ask));
  const port = await listen(bmcs, options.port, ports?.port ?? 0, '--port');
  world.base = `https://127.0.0.1:${port}`;
  let controlPort = 0;
  const base = () => `http://127.0.0.1:${controlPort}`;
  const images = createImages(options.apiUrl);
  const own = ownAddresses([...machines.keys()], options.ownPorts);
  const plane = { world, machines, fingerprint256, images, base, own, connections: () => connections };
  serve(control, (ask) => answerControl(plane, ask));
  const lastControl = ports?.control_port ?? 0;
  controlPort = await listen(control, options.controlPort, lastControl, '--control-port').catch(
    async (error: unknown) => {
      await close(bmcs);
      throw error;
    },
  );
  const shared = async (ask: Ask) => answerMachine(world, machines, ask);
  const closeOwn = await listenForEach([...machines.keys()], options.ownPorts, { key, cert }, shared).catch(
    async (error: unknown) => {
      await Promise.all([close(bmcs), close(control)]);
      throw error;
    },
  );
  folder.write('ports.json', { port, control_port: controlPort });
  for (const machine of machines.values()) resume(world, machine);

  const stop = async (): Promise<void> => {
    clock.stop();
    saver.close();
    for (const { controller } of world.lives.values()) controller.abort();
    await Promise.all([close(bmcs), close(control), closeOwn()]);
  };
  return { port, controlPort, machines, faults: world.faults, stop };
};
