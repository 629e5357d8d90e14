/** The phases of workflows, live: what the interpreter tells of executions, said of machines. */
import { workflows } from '../../infra/manifest.ts';
import { ownerOfRun } from '../../layers/store/runs.ts';
import { readDefinition } from '../../workflows/run/asl.ts';
import type { StateEvent } from '../states/history.ts';
import type { Display } from './display.ts';

/** The states of a workflow in which something is done; Choice and end states are over at once. */
const readPhases = (name: string): Set<string> => {
  const { States } = JSON.parse(readDefinition(name)) as { States: Record<string, { Type: string }> };
  return new Set(
    Object.entries(States)
      .filter(([, { Type }]) => Type === 'Task')
      .map(([state]) => state),
  );
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

export type Phases = {
  /** From now on the phases of this node are shown under `name`; `closely`: also when each one ends. */
  follow(uuid: string, name: string, closely: boolean): void;
  receive(event: StateEvent): void;
};

/** Shows the phases of the nodes that are followed. */
export const createPhases = (display: Display): Phases => {
  const known = Object.fromEntries(Object.keys(workflows).map((name) => [name, readPhases(name)]));
  const followed = new Map<string, { name: string; closely: boolean }>();
  const entered = new Map<string, { state: string; at: number }>();

  const leave = (event: StateEvent, label: string): void => {
    const phase = entered.get(event.name);
    if (phase?.state !== event.state) return;
    entered.delete(event.name);
    display.finish(`${label}  ${seconds(event.at - phase!.at)}`);
  };

  return {
    follow: (uuid, name, closely) => void followed.set(uuid, { name, closely }),
    receive: (event) => {
      const node = followed.get(ownerOfRun(event.name));
      const { state } = event;
      if (!node || state === undefined || !known[event.workflow]?.has(state)) return;
      const label = `${node.name}  ${event.workflow}: ${state}`;
      if (event.is === 'entered') {
        entered.set(event.name, { state, at: event.at });
        display.show(node.name, `${event.workflow}: ${state}`);
      } else if (event.is === 'retried') {
        display.show(node.name, `${event.workflow}: ${state} (again in ${event.seconds} s: ${event.error})`);
      } else if (event.is === 'exited' && node.closely) leave(event, label);
    },
  };
};
