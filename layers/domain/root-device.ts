/** Root device hints: which disk the agent writes to (ironic-deploy.md 1.3). */
import { Invalid } from './fault.ts';
import { bool } from './values.ts';

const numeric = /^(?:(?:=|==|!=|>=|<=|>|<)\s+)?\d+$|^(?:<or>\s+\d+\s*)+$/;
const positive = (value: unknown) =>
  typeof value === 'number' ? Number.isInteger(value) && value > 0 : typeof value === 'string' && numeric.test(value);
const words = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const truth = (value: unknown) => bool.safeParse(value).success;

const texts = 'model vendor serial wwn wwn_with_extension wwn_vendor_extension hctl by_path name tran'.split(' ');

/** Each hint with what its value must be. Operators are judged by the agent, except for the number. */
const hints: { readonly [name: string]: { readonly fits: (value: unknown) => boolean; readonly must: string } } = {
  size: { fits: positive, must: 'be a whole number of GiB, with an operator such as ">= 100" if wanted' },
  rotational: { fits: truth, must: 'be true or false' },
  ...Object.fromEntries(texts.map((name) => [name, { fits: words, must: 'be a text' }])),
};

/** Checks the hints found at `where` (such as `properties.root_device`). Throws Invalid naming the wrong one. */
export const checkRootDevice = (where: string, value: unknown): void => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw Invalid(`${where} must be an object of hints such as {"serial": "..."}.`);
  }
  for (const [name, given] of Object.entries(value)) {
    const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
    if (!hint) throw Invalid(`${where}.${name} is not a root device hint. Known: ${Object.keys(hints).join(', ')}.`);
    if (!hint.fits(given)) throw Invalid(`${where}.${name} must ${hint.must}.`);
  }
};
