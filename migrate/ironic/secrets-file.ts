/**
 * The secrets of an Ironic out of a file that the operator fills: JSON, by kind, UUID and field, in the places where the API
 * shows ******. The same form is written as a template, with empty texts.
 */
import * as z from 'zod';

import { Invalid } from '../../layers/domain/fault.ts';
import { parseJson } from '../service.ts';
import type { Values } from './api.ts';
import type { Secrets } from './secrets.ts';

const fileForm = z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown())));

/** Throws Invalid, without what it read: they are passwords. */
export const secretsOfFile = (text: string): Secrets => {
  const { data } = fileForm.safeParse(parseJson(text));
  if (!data) throw Invalid('The file of --secrets has another form than --secrets-template writes.');
  return { of: async (name) => new Map(Object.entries(data[name] ?? {})) };
};

type Tree = { [name: string]: Tree | string };

/** Puts an empty text at the path. */
const plant = (tree: Tree, [name, ...rest]: readonly string[]): void => {
  if (rest.length === 0) tree[name!] = '';
  else plant((tree[name!] ??= {}) as Tree, rest);
};

/** What is to be filled, by kind, UUID and path. */
export type Template = {
  add(kind: string, record: Values, paths: readonly (readonly string[])[]): void;
  readonly count: number;
  text(): string;
};

export const createTemplate = (): Template => {
  const tree: Tree = {};
  let count = 0;
  return {
    add: (kind, record, paths) => {
      for (const path of paths) plant(tree, [kind, record['uuid'] as string, ...path]);
      count += paths.length;
    },
    get count() {
      return count;
    },
    text: () => `${JSON.stringify(tree, undefined, 1)}\n`,
  };
};
