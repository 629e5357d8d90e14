/** XML 1.0 as text, of elements that are data. */

export type Element = {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  /** What it holds: text or other elements; nothing of either: it is written as an empty element. */
  readonly holds: string | readonly Element[];
};

export const element = (
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  holds: Element['holds'] = [],
): Element => ({ name, attributes: Object.entries(attributes), holds });

const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** No XML 1.0 document holds these, not even as references: control characters, halves of a pair, two non-characters. */
// oxlint-disable-next-line no-control-regex -- it is what this is about
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** What stands for a character that cannot be written: one cannot be dropped without being missed. */
const replacement = '\ufffd';

const escape = (value: string, special: RegExp): string =>
  value.replace(unwritable, replacement).replace(special, (character) => references[character]!);

/** A parser makes \n of a bare \r. */
const textOf = (value: string): string => escape(value, /[&<>\r]/g);
/** And a space of each line break and tab in an attribute. */
const attributeOf = (value: string): string => escape(value, /[&<>"\r\n\t]/g);

const start = ({ name, attributes }: Element): string =>
  [name, ...attributes.map(([key, value]) => `${key}="${attributeOf(value)}"`)].join(' ');

const lines = (at: Element, indent: string): string[] => {
  const { name, holds } = at;
  if (holds.length === 0) return [`${indent}<${start(at)}/>`];
  if (typeof holds === 'string') return [`${indent}<${start(at)}>${textOf(holds)}</${name}>`];
  return [`${indent}<${start(at)}>`, ...holds.flatMap((inner) => lines(inner, `${indent}  `)), `${indent}</${name}>`];
};

/** The element as a document without a declaration, two spaces a level, with a line break at its end. */
export const writeXml = (root: Element): string => `${lines(root, '').join('\n')}\n`;
