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

const pick = (record: Values, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, record[name]]));

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
      const uuid = record['uuid'] as string;
      for (const path of paths) plant(tree, [kind, uuid, ...path]);
      // So that it is known of when, and of which instance, what is filled in is.
      const ofNode = kind === 'node' && paths.length > 0 ? ['updated_at', 'instance_uuid'] : [];
      const known = ofNode.filter((name) => typeof record[name] === 'string');
      if (known.length > 0) Object.assign((tree[kind] as Tree)[uuid]!, pick(record, known));
      count += paths.length;
    },
    get count() {
      return count;
    },
    text: () => `${JSON.stringify(tree, undefined, 1)}\n`,
  };
};
