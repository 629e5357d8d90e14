/**
 * What the value of an extra spec asks of a capability (exact-filters.md 3): an operator and words, or a text that it has
 * to be. Both are texts; a number is one that can be read as such.
 */

type Operator = {
  readonly doc: string;
  /** A requirement that has it. */
  readonly example: string;
  /** `words`: what follows the operator, one at least. */
  holds(capability: string, words: readonly string[]): boolean;
};

const decimal = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Nova fails over what is no number; here it is only not what was asked for. */
const asNumbers =
  (holds: (capability: number, asked: number) => boolean): Operator['holds'] =>
  (capability, [asked = '']) =>
    decimal.test(capability) && decimal.test(asked) && holds(Number(capability), Number(asked));

const asTexts =
  (holds: (capability: string, asked: string) => boolean): Operator['holds'] =>
  (capability, [asked = '']) =>
    holds(capability, asked);

/** By their signs. There is no `>` and no `<` for numbers: such a text is compared as a whole. */
export const operators: { readonly [sign: string]: Operator } = {
  '=': {
    doc: 'number, at least this (not equal: so it has always been)',
    example: '= 4',
    holds: asNumbers((capability, asked) => capability >= asked),
  },
  '==': { doc: 'number, equal', example: '== 4', holds: asNumbers((capability, asked) => capability === asked) },
  '!=': { doc: 'number, not equal', example: '!= 4', holds: asNumbers((capability, asked) => capability !== asked) },
  '>=': { doc: 'number, at least', example: '>= 10', holds: asNumbers((capability, asked) => capability >= asked) },
  '<=': { doc: 'number, at most', example: '<= 10', holds: asNumbers((capability, asked) => capability <= asked) },
  's==': { doc: 'text, equal', example: 's== raid1', holds: asTexts((capability, asked) => capability === asked) },
  's!=': { doc: 'text, not equal', example: 's!= raid1', holds: asTexts((capability, asked) => capability !== asked) },
  's<': { doc: 'text, before', example: 's< b', holds: asTexts((capability, asked) => capability < asked) },
  's<=': { doc: 'text, before or equal', example: 's<= b', holds: asTexts((capability, asked) => capability <= asked) },
  's>': { doc: 'text, after', example: 's> b', holds: asTexts((capability, asked) => capability > asked) },
  's>=': { doc: 'text, after or equal', example: 's>= b', holds: asTexts((capability, asked) => capability >= asked) },
  '<in>': {
    doc: 'the word is a part of it',
    example: '<in> sse',
    holds: asTexts((capability, asked) => capability.includes(asked)),
  },
  '<all-in>': {
    doc: 'every word is a part of it (not in Juno, which took it for a text)',
    example: '<all-in> aes mmx',
    holds: (capability, words) => words.every((word) => capability.includes(word)),
  },
  '<or>': {
    doc: 'equal to one of the words',
    example: '<or> v1 <or> v2',
    // Every second word is the operator again, whatever it is.
    holds: (capability, words) => words.some((word, at) => at % 2 === 0 && word === capability),
  },
};

const wordsOf = (requirement: string): string[] => requirement.split(/\s+/).filter(Boolean);

/** Whether it is an operator that nothing follows: no capability meets that. */
export const lacksOperand = (requirement: string): boolean => {
  const [sign = '', ...words] = wordsOf(requirement);
  return Object.hasOwn(operators, sign) && words.length === 0;
};

/** Whether a capability is what an extra spec asks for. */
export const meets = (capability: string, requirement: string): boolean => {
  const [sign = '', ...words] = wordsOf(requirement);
  if (!Object.hasOwn(operators, sign)) return capability === requirement;
  return words.length > 0 && operators[sign]!.holds(capability, words);
};
