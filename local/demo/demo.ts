/**
 * The main job before the newcomer's eyes, as a plain client of the APIs: enrol the simulated machines, make them
 * available, deploy the first one, prove what is on its disk, and with `once` give it back; then a tenant gets a server.
 */
import { isFault } from '../../layers/domain/fault.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import { deployed, returned, type Check } from './checks.ts';
import { createClient, metalVersion } from './client.ts';
import type { Display } from './display.ts';
import { configdrive, instanceInfo } from './instance.ts';
import { createControl, type Images, type Machine } from './machines.ts';
import { enrol, lead, type Goal, type Needs, type NodeView } from './node.ts';
import type { Phases } from './phases.ts';
import { serveTenant, type Urls } from './serving.ts';

export type DemoOptions = {
  readonly urls: Urls;
  /** URL of the simulator's control port. */
  readonly control: string;
  /** Goes on to undeploy. */
  readonly once: boolean;
  readonly display: Display;
  readonly phases: Phases;
  readonly clock: Clock;
  /** Keys of the objects that are stored now. */
  objects(): Promise<string[]>;
};

/** So many machines are enrolled and cleaned at a time. */
const atOnce = 50;

const inGroups = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  }
  return results;
};

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const report = (display: Display, checks: readonly Check[]): string[] => {
  for (const { claim, held, found } of checks) {
    display.tell(held ? 'good' : 'bad', held ? claim : `${claim}, but found: ${found}`);
  }
  return checks.filter(({ held }) => !held).map(({ claim }) => claim);
};

/** Runs the demo; answers the claims that did not hold. A step that fails is one of them. */
export const runDemo = async (options: DemoOptions): Promise<string[]> => {
  const { display, phases, clock, once } = options;
  const control = createControl(options.control);
  const onVerb = (name: string, verb: string) => display.show(name, `verb: ${verb}`);
  const api = createClient({ url: options.urls['baremetal']!, clock, headers: metalVersion });
  const needs: Needs = { api, clock, onVerb };

  const go = async (node: NodeView, goal: Goal, body?: object): Promise<NodeView> => {
    const there = await lead(needs, node.uuid, goal, body);
    display.show(node.name, there.provision_state, 'good');
    return there;
  };

  /** Undefined: it did not get there, as is shown. */
  const prepare = async (machine: Machine, images: Images, isFirst: boolean): Promise<NodeView | undefined> => {
    try {
      display.show(machine.name, 'enrolling');
      const node = await enrol(needs, machine, images);
      phases.follow(node.uuid, machine.name, isFirst);
      return await go(node, 'available');
    } catch (error) {
      display.show(machine.name, sentence(error), 'bad');
      return undefined;
    }
  };

  const deploy = async (node: NodeView, images: Images): Promise<NodeView> => {
    if (node.provision_state === 'active') {
      display.say(`\n${node.name} is deployed already, from an earlier start.`);
      return node;
    }
    display.say(`\nDeploying ${node.name} with a configdrive:`);
    const changes = Object.entries(instanceInfo(images)).map(([key, value]) => ({
      op: 'add',
      path: `/instance_info/${key}`,
      value,
    }));
    await needs.api(`PATCH /v1/nodes/${node.uuid}`, changes);
    return go(node, 'active', { configdrive });
  };

  const giveBack = async (node: NodeView): Promise<string[]> => {
    display.say(`\nGiving ${node.name} back:`);
    const after = await go(node, 'returned');
    display.say(`\nWhat is left of the deployment:`);
    return report(display, returned(after, await control.state(node.name), await options.objects()));
  };

  const run = async (): Promise<string[]> => {
    const { machines, images } = await control.list();
    const count = machines.length === 1 ? 'one simulated machine' : `${machines.length} simulated machines`;
    display.say(`Enrolling ${count}, verifying the BMCs, cleaning the disks:`);
    const nodes = await inGroups(machines, async (machine) => prepare(machine, images, machine === machines[0]));
    const lost = machines.filter((_machine, at) => !nodes[at]).map(({ name }) => `${name} becomes available`);
    const first = nodes.find((node) => node !== undefined);
    if (!first) return lost;
    const active = await deploy(first, images);
    display.say(`\nWhat is on the disk of ${first.name}, read from the simulated machine itself:`);
    const missed = report(display, deployed(active, await control.state(first.name), images));
    const kept = once ? await giveBack(active) : [];
    const served = await serveTenant({
      metal: api,
      control,
      machines,
      images,
      display,
      phases,
      clock,
      urls: options.urls,
      objects: options.objects,
      rest: async (node) => go(node, 'returned'),
      report: (checks) => report(display, checks),
    });
    return [...lost, ...missed, ...kept, ...served];
  };

  return run().catch((error: unknown) => {
    if (!isFault(error)) throw error;
    display.tell('bad', error.message);
    return [error.message];
  });
};
