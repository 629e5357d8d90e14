/** Work on many things in one request: some at a time, because one after the other API Gateway would not wait. */

/** How many: fewer than connections that the SDK opens. */
const atOnce = 16;

/** Calls `work` for each. Throws what it throws first; others go on meanwhile. */
export const eachAtOnce = async <T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> => {
  const left = all.values();
  const worker = async (): Promise<void> => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};
