/**
 * Workflows in memory that run nothing: they record what was asked of them. `issue` hands out a token for an execution,
 * as its task state would have got one; tests end executions by `stop`, or leave them running.
 */
import type { Execution, HistoryEvent, Workflows } from '../workflows.ts';

export type Started = { readonly workflow: string; readonly name: string; readonly input: object };
export type Delivered = { readonly token: string; readonly output?: unknown; readonly error?: string };

export type MemoryWorkflows = Workflows & {
  /** Each execution once, in the order they were first started. */
  readonly started: Started[];
  /** What reached a living token; heartbeats are not in it. */
  readonly delivered: Delivered[];
  readonly beats: string[];
  readonly stopped: { readonly workflow: string; readonly name: string; readonly error: string }[];
  /** A token that is delivered to once. `expire` makes it `gone` without that. */
  issue(token?: string): string;
  expire(token: string): void;
};

/**
 * `anyToken` (default true): a token that nobody issued counts as living once, so that API tests may make up tokens;
 * false: only issued tokens live.
 */
export const createMemoryWorkflows = ({ anyToken = true, now = (): number => 0 } = {}): MemoryWorkflows => {
  const executions = new Map<string, { execution: Execution; history: HistoryEvent[] }>();
  const living = new Set<string>();
  const dead = new Set<string>();
  const [started, delivered, beats, stopped]: [Started[], Delivered[], string[], MemoryWorkflows['stopped']] = [
    [],
    [],
    [],
    [],
  ];
  const at = () => new Date(now()).toISOString();
  const key = (workflow: string, name: string) => `${workflow}:${name}`;
  const lives = (token: string) => living.has(token) || (anyToken && !dead.has(token));
  const kill = (token: string) => {
    living.delete(token);
    dead.add(token);
  };
  const deliver = (delivery: Delivered) => {
    if (!lives(delivery.token)) return 'gone';
    kill(delivery.token);
    delivered.push(delivery);
    return 'delivered';
  };

  return {
    started,
    delivered,
    beats,
    stopped,
    issue: (token = `token-${living.size + dead.size + 1}`) => {
      living.add(token);
      return token;
    },
    expire: kill,
    start: async (workflow, name, input) => {
      const known = executions.get(key(workflow, name));
      if (known) return known.execution.status === 'RUNNING' ? 'running' : 'ended';
      started.push({ workflow, name, input: structuredClone(input) });
      executions.set(key(workflow, name), {
        execution: { workflow, name, status: 'RUNNING', started_at: at() },
        history: [{ id: 1, at: at(), type: 'ExecutionStarted' }],
      });
      return 'running';
    },
    succeed: async (token, output) => deliver({ token, output: structuredClone(output) }),
    fail: async (token, error) => deliver({ token, error }),
    heartbeat: async (token) => {
      if (!lives(token)) return 'gone';
      beats.push(token);
      return 'delivered';
    },
    stop: async (workflow, name, error, cause) => {
      const found = executions.get(key(workflow, name));
      if (found?.execution.status !== 'RUNNING') return;
      stopped.push({ workflow, name, error });
      found.execution = { ...found.execution, status: 'ABORTED', stopped_at: at(), error, cause };
      found.history.push({ id: found.history.length + 1, at: at(), type: 'ExecutionAborted' });
    },
    describe: async (workflow, name) => executions.get(key(workflow, name))?.execution,
    history: async (workflow, name) => [...(executions.get(key(workflow, name))?.history ?? [])],
  };
};
