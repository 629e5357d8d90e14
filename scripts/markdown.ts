/** Markdown as the reference pages need it. */

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** A table. Cells may hold any text in one line; columns are padded by the formatter. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

/** Puts `content` between `<!-- name -->` and `<!-- /name -->`. Throws Error when the page lacks one of them. */
export const fill = (page: string, name: string, content: string): string => {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`The page has no place for ${name}: it needs ${open} and ${close}.`);
  return `${page.slice(0, from + open.length)}\n\n${content}\n\n${page.slice(to)}`;
};
