/** Keeps one piece of work going for as long as there is something to do, and never twice at once. */

export type Pump = {
  /** There may be something to do. */
  kick(): void;
  /** Begins nothing any more, and waits for the end of what runs. */
  stop(): Promise<void>;
};

/** ms: what comes within so long of a kick is done together; how long to leave alone what threw. */
export type Patience = { readonly gather?: number; readonly pause?: number };

/**
 * `work` does a part and answers after how many ms it wants to go on: 0 at once, undefined when somebody kicks. What it
 * throws is given to `onError`.
 */
export const createPump = (
  work: () => Promise<number | undefined>,
  onError: (error: unknown) => void,
  { gather = 0, pause = 1000 }: Patience = {},
): Pump => {
  let running: Promise<void> | undefined;
  const asked = { again: false, stopped: false };
  /** The next go, which is at `due` (performance.now). */
  let timer: NodeJS.Timeout | undefined;
  let due = Infinity;

  const plan = (ms: number): void => {
    const at = performance.now() + ms;
    if (asked.stopped || at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(run, ms);
  };
  const goOn = async (): Promise<void> => {
    let next: number | undefined = 0;
    while (next === 0 && !asked.stopped) {
      asked.again = false;
      next = await work().catch((error: unknown) => {
        onError(error);
        return pause;
      });
    }
    running = undefined;
    if (asked.again) plan(gather);
    if (next !== undefined) plan(next);
  };
  const run = (): void => {
    due = Infinity;
    running = goOn();
  };
  const kick = (): void => {
    if (running) asked.again = true;
    else plan(gather);
  };

  return {
    kick,
    stop: async () => {
      asked.stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
};
