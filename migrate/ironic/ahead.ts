/** Reading while what was read is written. */

/** The same, of which the next is made while whoever asks works with the one before. Throws what making throws, when it is its turn. */
export const ahead = async function* <T>(all: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    let next = all.next();
    for (;;) {
      const { value, done } = await next;
      if (done === true) return;
      next = all.next();
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    // What is begun ends before whoever asked goes on.
    await all.return(undefined);
  }
};
