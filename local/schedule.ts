/** Runs one piece of work now and then: never twice at once, and soon again when something asks for it. */

export type Schedule = {
  /** Runs it as soon as it is not running. */
  kick(): void;
  /** Runs it no more, and waits for the end of what runs. */
  stop(): Promise<void>;
};

/** Starts at once, then every `everyMs`. A failure is given to `onError` and changes nothing else. */
export const createSchedule = (
  everyMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Schedule => {
  const asked = { wanted: false, stopped: false };
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (asked.wanted && !asked.stopped) {
      asked.wanted = false;
      await work().catch(onError);
    }
    running = undefined;
  };
  const kick = (): void => {
    asked.wanted = true;
    running ??= run();
  };
  const timer = setInterval(kick, everyMs);
  kick();

  return {
    kick,
    stop: async () => {
      asked.stopped = true;
      clearInterval(timer);
      await running;
    },
  };
};
