/** JSON patch as Glance takes it (application/openstack-images-v2.1-json-patch): whole fields and properties. Pure. */
import { Conflict, Forbidden, Invalid } from '../fault.ts';
import type { PatchBody } from '../patch.ts';
import { checkField } from '../schema.ts';
import { image, type Image } from './image.ts';
import { checkPropertyName, checkProperties } from './properties.ts';

/** What of an image a patch changes. */
export type Changes = Partial<Record<keyof typeof image, unknown>> & { properties?: Image['properties'] };

const nameOf = (path: string): string => {
  const [, pointer] = /^\/((?:[^/~]|~[01])+)$/.exec(path) ?? [];
  if (pointer === undefined) throw Invalid(`Invalid JSON pointer for this resource: '${path}'`);
  return pointer.replaceAll('~1', '/').replaceAll('~0', '~').trim();
};

const isField = (name: string): name is keyof typeof image => Object.hasOwn(image, name);

/** Locations are seen by nobody who may send a patch, as in a Glance that is not told otherwise. */
const refuseLocations = (name: string): void => {
  if (name !== 'locations' && !name.startsWith('locations/')) return;
  throw Forbidden("It's not allowed to change locations if locations are invisible.");
};

const refuseReadOnly = (name: string): void => {
  const isFixed = isField(name) && image[name].access !== 'update';
  if (isFixed) throw Forbidden(`Attribute '${name}' is read-only.`);
};

const missing = (name: string) => Conflict(`Property ${name} does not exist.`);

/**
 * The fields that a patch touches, and the properties, as it leaves them. Throws Invalid (400), Forbidden (403) for what
 * is read-only or reserved, Conflict (409) for a property that is not there, TooLarge (413).
 */
export const patchImage = (stored: Pick<Image, 'properties'>, patch: PatchBody): Changes => {
  const changes: Changes = {};
  const properties = new Map(Object.entries(stored.properties));
  for (const item of patch) {
    const { op, path, value } = item;
    refuseLocations(path.slice(1));
    const name = nameOf(path);
    refuseReadOnly(name);
    if (op !== 'remove' && !Object.hasOwn(item, 'value')) {
      throw Invalid(`Operation "${op}" requires a member named "value".`);
    }
    if (isField(name)) {
      if (op === 'remove') throw Forbidden(`Property ${name} may not be removed.`);
      changes[name] = checkField(image, name, value);
      continue;
    }
    checkPropertyName(name);
    if (op !== 'add' && !properties.has(name)) throw missing(name);
    if (op === 'remove') properties.delete(name);
    else properties.set(name, value as string);
    changes.properties = {};
  }
  if (changes.properties) changes.properties = checkProperties(Object.fromEntries(properties));
  return changes;
};
