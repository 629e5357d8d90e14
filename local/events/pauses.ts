/** How long to leave alone who failed: longer each time, and no time at all once it has not failed. */
import type { Clock } from '../../layers/platform/platform.ts';

export type Pauses = {
  /** It failed, again. */
  failed(name: string): void;
  worked(name: string): void;
  /** Those that are to be left alone now. */
  paused(): string[];
  /** How long until the first of them is not, ms; undefined: none of them is. */
  left(): number | undefined;
};

/** The first pause and the longest one, ms; they double. */
export const createPauses = (clock: Pick<Clock, 'now'>, { first, most }: { first: number; most: number }): Pauses => {
  const failing = new Map<string, { pause: number; until: number }>();
  const waiting = () => [...failing].filter(([, { until }]) => until > clock.now());
  return {
    failed: (name) => {
      const known = failing.get(name);
      const pause = known ? Math.min(known.pause * 2, most) : first;
      failing.set(name, { pause, until: clock.now() + pause });
    },
    worked: (name) => void failing.delete(name),
    paused: () => waiting().map(([name]) => name),
    left: () => {
      const times = waiting().map(([, { until }]) => until - clock.now());
      return times.length > 0 ? Math.min(...times) : undefined;
    },
  };
};
