/** Work on many things, some at a time. */

/** What `work` makes of each, in their order; `most` at a time. Throws what it throws first. */
export const eachAtOnce = async <T, R>(all: readonly T[], most: number, work: (one: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const left = all.entries();
  const worker = async (): Promise<void> => {
    for (const [at, one] of left) results[at] = await work(one);
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
};
