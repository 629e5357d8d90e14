/** A process that can die: whatever it awaits at that moment never comes back, and nothing it does later has effect. */
export type Life = {
  /** Resolves when the process has died. */
  readonly death: Promise<'dead'>;
  readonly dead: () => boolean;
  /** Effects so far; a test learns from it how many moments of death there are. */
  readonly effects: () => number;
  /** Every method of `port` is an effect at which the process may die, before or after it happened. */
  wrap<T extends object>(port: T): T;
  /** Every method of `port` is none, but nothing comes back from it once dead. */
  shield<T extends object>(port: T): T;
  /** Calls nothing once dead. */
  timer(call: () => void): () => void;
};

export type Death = { readonly at: number; readonly when: 'before' | 'after' };

const never = async (): Promise<never> => new Promise(() => {});

export const createLife = (plan?: Death): Life => {
  let effects = 0;
  let die: (word: 'dead') => void = () => {};
  let dead = false;
  const death = new Promise<'dead'>((resolve) => {
    die = resolve;
  });
  const end = async () => {
    dead = true;
    die('dead');
    return never();
  };
  const live =
    (method: (...args: unknown[]) => unknown) =>
    async (...args: unknown[]) => {
      if (dead) return never();
      effects += 1;
      const last = effects === plan?.at;
      if (last && plan.when === 'before') return end();
      const result = await method(...args);
      if (last) return end();
      return dead ? never() : result;
    };
  const lasting =
    (method: (...args: unknown[]) => unknown) =>
    async (...args: unknown[]) => {
      if (dead) return never();
      const result = await method(...args);
      return dead ? never() : result;
    };
  const each = <T extends object>(port: T, make: typeof live): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, value]) => [
        name,
        typeof value === 'function' ? make(value as (...args: unknown[]) => unknown) : value,
      ]),
    ) as T;
  return {
    death,
    dead: () => dead,
    effects: () => effects,
    wrap: (port) => each(port, live),
    shield: (port) => each(port, lasting),
    timer: (call) => () => {
      if (!dead) call();
    },
  };
};
