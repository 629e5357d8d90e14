/** Keeps one piece of work going for as long as there is something to do, and never twice at once. */

export type Pump = {
  /** There may be something to do. */
  kick(): void;
  /** Begins nothing any more, and waits for the end of what runs. */
  stop(): Promise<void>;
};

/**
 * `work` does a part and answers after how many ms it wants to go on: 0 at once, undefined when somebody kicks. What it
 * throws is given to `onError`, and it goes on after `pause`, ms.
 */
export const createPump = (
  work: () => Promise<number | undefined>,
  onError: (error: unknown) => void,
  pause = 1000,
): Pump => {
  const asked = { wanted: false, stopped: false };
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const run = async (): Promise<void> => {
    while (asked.wanted && !asked.stopped) {
      asked.wanted = false;
      clearTimeout(timer);
      const next = await work().catch((error: unknown) => {
        onError(error);
        return pause;
      });
      if (next === 0) asked.wanted = true;
      else if (next !== undefined && !asked.stopped) timer = setTimeout(kick, next);
    }
    running = undefined;
  };
  const kick = (): void => {
    asked.wanted = true;
    running ??= run();
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
