/** Lists that may be long, on a terminal. */

const most = 50;

/** Prints so many of the lines that somebody reads them, and how many more there are. `rest`: where those are. */
export const printSome = (lines: readonly string[], print: (line: string) => void, rest = ''): void => {
  for (const line of lines.slice(0, most)) print(line);
  if (lines.length > most) print(`and ${lines.length - most} more${rest}`);
};

/** Where a report has them. */
export const inReport = ': --report FILE has them all';
