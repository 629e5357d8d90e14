/** What each action of a rule does to the draft of an inspection's result. */
import { machineCapabilities } from '../capabilities.ts';
import { Fault, Invalid } from '../fault.ts';
import { checkTrait } from '../traits.ts';
import { isSame } from '../values.ts';
import { asText } from './interpolate.ts';
import type { ActionOp, Args } from './operations.ts';
import { checkNodePath, checkPortPath, piecesOf } from './paths.ts';

type Json = Record<string, unknown>;

/** Copies that actions change, and which fields of node and ports they have changed. */
export type Draft = {
  readonly node: Json;
  readonly ports: readonly Json[];
  readonly plugin_data: Json;
  readonly changed: { readonly node: Set<string>; readonly ports: Map<string, Set<string>> };
  readonly log: string[];
};

type Act = (draft: Draft, args: Args) => void;

/** How a rule ends an inspection on purpose. */
const Failed = (message: string) => new Fault('InspectionRuleFailed', 400, message);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an object holds itself: `toString` may be the name of anything. */
const own = (at: Json, piece: string): unknown => (Object.hasOwn(at, piece) ? at[piece] : undefined);

/** The object that holds the last piece; those on the way are made. Throws Invalid (400) where something else stands. */
const holder = (root: Json, pieces: readonly string[]): Json => {
  let at = root;
  for (const piece of pieces.slice(0, -1)) {
    if ((own(at, piece) ?? null) === null) at[piece] = {};
    const next = own(at, piece);
    if (!isObject(next)) throw Invalid(`/${pieces.join('/')}: ${piece} is not an object.`);
    at = next;
  }
  return at;
};

const setAt = (root: Json, pieces: readonly string[], value: unknown): void => {
  holder(root, pieces)[pieces.at(-1)!] = structuredClone(value);
};

const extendAt = (root: Json, pieces: readonly string[], value: unknown, unique: unknown): void => {
  const [at, key] = [holder(root, pieces), pieces.at(-1)!];
  const list = own(at, key) ?? [];
  if (!Array.isArray(list)) throw Invalid(`/${pieces.join('/')} is not a list.`);
  const there = unique === true && list.some((one) => isSame(one, value));
  if (!there) at[key] = [...(list as unknown[]), structuredClone(value)];
};

const removeAt = (root: Json, pieces: readonly string[]): void => {
  const [last, way] = [pieces.at(-1)!, pieces.slice(0, -1)];
  let at: unknown = root;
  for (const piece of way) at = isObject(at) ? own(at, piece) : undefined;
  if (isObject(at)) delete at[last];
};

type Edit = (root: Json, pieces: readonly string[], args: Args) => void;

const edits = {
  set: (root, pieces, { value }) => setAt(root, pieces, value),
  extend: (root, pieces, { value, unique }) => extendAt(root, pieces, value, unique),
  remove: (root, pieces) => removeAt(root, pieces),
} satisfies Record<string, Edit>;

const onNode =
  (edit: Edit): Act =>
  ({ node, changed }, args) => {
    const pieces = checkNodePath(args['path']);
    edit(node, pieces, args);
    changed.node.add(pieces[0]);
  };

const onPort =
  (edit: Edit): Act =>
  ({ ports, changed }, args) => {
    const ident = asText(args['port_id']).toLowerCase();
    const port = ports.find(({ uuid, address }) => uuid === ident || address === ident);
    if (!port) throw Invalid(`The node has no port ${ident}.`);
    const pieces = checkPortPath(args['path']);
    edit(port, pieces, args);
    const uuid = port['uuid'] as string;
    changed.ports.set(uuid, (changed.ports.get(uuid) ?? new Set()).add(pieces[0]));
  };

const onPluginData =
  (edit: Edit): Act =>
  ({ plugin_data: data }, args) =>
    edit(data, piecesOf(args['path']), args);

/** Changes properties.capabilities, which is "name:value,name:value". */
const changeCapabilities = ({ node, changed }: Draft, change: (found: Json) => void): void => {
  const properties = isObject(node['properties']) ? node['properties'] : {};
  const found = { ...machineCapabilities(properties['capabilities']) };
  change(found);
  const text = Object.entries(found).map(([name, value]) => `${name}:${asText(value)}`);
  node['properties'] = { ...properties, capabilities: text.join(',') };
  changed.node.add('properties');
};

const nameOf = (args: Args): string => {
  const name = asText(args['name']);
  if (!/^[^:,\s]+$/.test(name)) throw Invalid(`"${name}" is not the name of a capability.`);
  return name;
};

const setCapability: Act = (draft, args) => {
  const value = asText(args['value']);
  if (value.includes(',')) throw Invalid(`"${value}" can not be the value of a capability: it has a comma.`);
  changeCapabilities(draft, (found) => {
    found[nameOf(args)] = value;
  });
};

const changeTraits = ({ node, changed }: Draft, change: (traits: string[]) => string[]): void => {
  node['traits'] = [...new Set(change((node['traits'] as string[] | undefined) ?? []))].sort();
  changed.node.add('traits');
};

const addTrait: Act = (draft, args) => {
  const name = asText(args['name']);
  checkTrait(name);
  changeTraits(draft, (traits) => [...traits, name]);
};

const levels = ['debug', 'info', 'warning', 'error', 'critical'];

const log: Act = (draft, { msg, level = 'info' }) => {
  const named = asText(level).toLowerCase();
  if (!levels.includes(named)) throw Invalid(`There is no level "${named}", only ${levels.join(', ')}.`);
  draft.log.push(`${named}: ${asText(msg).slice(0, 1000)}`);
};

/** Each may throw Invalid (400) for what it can not do; `fail` throws InspectionRuleFailed. */
export const acts: Readonly<Record<ActionOp, Act>> = {
  fail: (_draft, { msg }) => {
    throw Failed(asText(msg).slice(0, 1000));
  },
  log,
  'set-attribute': onNode(edits.set),
  'extend-attribute': onNode(edits.extend),
  'del-attribute': onNode(edits.remove),
  'set-capability': setCapability,
  'unset-capability': (draft, args) => changeCapabilities(draft, (found) => delete found[nameOf(args)]),
  'add-trait': addTrait,
  'remove-trait': (draft, args) => changeTraits(draft, (traits) => traits.filter((name) => name !== args['name'])),
  'set-plugin-data': onPluginData(edits.set),
  'extend-plugin-data': onPluginData(edits.extend),
  'unset-plugin-data': onPluginData(edits.remove),
  'set-port-attribute': onPort(edits.set),
  'extend-port-attribute': onPort(edits.extend),
  'del-port-attribute': onPort(edits.remove),
};
