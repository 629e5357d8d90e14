/**
 * Where a rule may write. What the state machine, other records or the safety of credentials depend on is not in the
 * lists: a rule acts on what a machine says of itself, and a machine is not to be trusted with that.
 */
import { Invalid } from '../fault.ts';
import { quoted } from '../foreign-text.ts';
import { isSecretName } from '../masking.ts';
import type { Node } from '../node.ts';
import type { Port } from '../port.ts';

/** `driver` and interfaces are not here: the inspection that applies the rule is running on them. */
export const nodePaths: readonly (keyof Node)[] = [
  'name',
  'description',
  'resource_class',
  'properties',
  'extra',
  'driver_info',
  'network_data',
  'owner',
  'lessee',
  'shard',
  'automated_clean',
  'retired',
  'retired_reason',
];

export const portPaths: readonly (keyof Port)[] = [
  'name',
  'description',
  'extra',
  'pxe_enabled',
  'local_link_connection',
  'physical_network',
  'is_smartnic',
  'vendor',
  'category',
  'available_for_dynamic_portgroup',
];

/** They would reach what objects inherit instead of what they hold. */
const inherited = ['__proto__', 'constructor', 'prototype'];

/** The pieces of a path with slashes or with dots. Throws Invalid (400) for a path that is none. */
export const piecesOf = (path: unknown): [string, ...string[]] => {
  const given = typeof path === 'string' ? path : '';
  const text = given.replaceAll(/^\/+|\/+$/g, '');
  const pieces = text.split(text.includes('/') || given.startsWith('/') ? '/' : '.');
  // What is still in braces was not replaced.
  if (/[{}]/.test(text) || pieces.includes('') || pieces.some((piece) => inherited.includes(piece))) {
    throw Invalid(`${quoted(path)} is not a path, such as /properties/cpu_arch.`);
  }
  return pieces as [string, ...string[]];
};

/** How the BMC is reached stays with people: else a machine could have the password sent to another address. */
const isBmcAccess = (key: string | undefined): boolean =>
  key === undefined || key.startsWith('redfish_') || isSecretName(key);

/** The pieces of a path of a node. Throws Invalid (400) for what a rule may not change. */
export const checkNodePath = (path: unknown): [string, ...string[]] => {
  const pieces = piecesOf(path);
  if (!(nodePaths as readonly string[]).includes(pieces[0])) {
    throw Invalid(`a rule can not change /${pieces.join('/')} of a node, only ${nodePaths.join(', ')}.`);
  }
  if (pieces[0] === 'driver_info' && (pieces.length === 1 || pieces.some(isSecretName) || isBmcAccess(pieces[1]))) {
    throw Invalid(`a rule can not change /${pieces.join('/')}: how the BMC is reached is for operators to set.`);
  }
  return pieces;
};

/** The pieces of a path of a port. Throws Invalid (400) for what a rule may not change. */
export const checkPortPath = (path: unknown): [string, ...string[]] => {
  const pieces = piecesOf(path);
  if ((portPaths as readonly string[]).includes(pieces[0])) return pieces;
  throw Invalid(`a rule can not change /${pieces.join('/')} of a port, only ${portPaths.join(', ')}.`);
};
