/** What the commands of `npx ingot` have in common. */

export type World = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes one line for the reader. */
  print(line: string): void;
  /** Writes over the last line of a terminal; absent without one. */
  readonly draw?: (text: string) => void;
  /** Milliseconds. */
  now(): number;
};

/** Names and reasons are what others wrote: on a terminal they must not be more than text. Lines stay. */
export const plain = (text: string): string =>
  text.replace(/(?!\n)[\p{Cc}\p{Cf}]/gu, (one) => `\\u${one.codePointAt(0)!.toString(16).padStart(4, '0')}`);

export type Command = {
  /** What follows the name, as the help shows it. */
  readonly usage: string;
  readonly doc: string;
  /** Answers the exit code: 0, or 1 for bad news. Throws Faults: 2, and their message on standard error. */
  run(args: readonly string[], world: World): Promise<number>;
};
