/** The free properties of an image: texts by names, which stand among its fields on the wire. */
import { Forbidden, Invalid, TooLarge } from '../fault.ts';
import { image, most, mostPropertyBytes, type Image } from './image.ts';

/** What Glance keeps for itself, and what would look like a field of an image and is none. */
const reserved = ['location', 'locations', 'deleted', 'deleted_at', 'direct_url', 'stores', 'members', 'properties'];
const reservedStart = 'os_glance';

/** As a key it would be lost. */
const unkeepable = '__proto__';

/** Throws Invalid (400), Forbidden (403) for a name that no property may have. */
export const checkPropertyName = (name: string): void => {
  if (name === '' || name.length > 255 || name === unkeepable) {
    throw Invalid('The name of a property must have 1 to 255 characters.');
  }
  if (reserved.includes(name) || name.startsWith(reservedStart)) throw Forbidden(`Attribute '${name}' is reserved.`);
};

/** The properties, if they can be kept. Throws Invalid (400), Forbidden (403), TooLarge (413). */
export const checkProperties = (given: Readonly<Record<string, unknown>>): Image['properties'] => {
  const all = Object.entries(given);
  let bytes = 0;
  for (const [name, value] of all) {
    checkPropertyName(name);
    if (typeof value !== 'string') throw Invalid(`Invalid value for ${name.slice(0, 255)}: must be text.`);
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (all.length > most.properties) {
    throw TooLarge(
      `The limit has been exceeded: an image has at most ${most.properties} properties, not ${all.length}.`,
    );
  }
  if (bytes > mostPropertyBytes) {
    throw TooLarge(`The properties have ${bytes} bytes, at most ${mostPropertyBytes} can be stored with an image.`);
  }
  return given as Image['properties'];
};

/** A body in two: what are fields of an image, and its properties. Throws as `checkProperties`; Forbidden (403) for what is read-only. */
export const splitBody = (body: Readonly<Record<string, unknown>>) => {
  const fields: Record<string, unknown> = {};
  const properties: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const row = Object.hasOwn(image, name) ? image[name as keyof typeof image] : undefined;
    if (row?.access === 'read') throw Forbidden(`Attribute '${name}' is read-only.`);
    (row ? fields : properties)[name] = value;
  }
  return { fields, properties: checkProperties(properties) };
};
