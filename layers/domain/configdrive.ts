/**
 * How a node refers to its configdrive (DESIGN.md 6): `instance_info.configdrive` is `object:<key>` for an image that
 * Ingot stores, or the client's own http(s) URL.
 */

const mark = 'object:';

/** What the keys of all configdrives begin with whose node's UUID begins so. */
export const configdrivesOf = (start: string): string => `configdrives/${start}`;

/** Everything stored for a node is below this; its end keeps one UUID from being the start of another. */
const prefix = (uuid: string) => `${configdrivesOf(uuid)}/`;

/** The object that holds one configdrive of a node. */
export const configdriveKey = (uuid: string, ulid: string): string => `${prefix(uuid)}${ulid}`;

/** The value of instance_info.configdrive for a stored image. */
export const configdriveReference = (key: string): string => `${mark}${key}`;

/**
 * The key of the node's stored configdrive; undefined if it has none or only a URL. A reference to something that is
 * not this node's is none either: clients can PATCH instance_info, and a link to another node's image would leak it.
 */
export const configdriveObject = (node: {
  uuid: string;
  instance_info: Readonly<Record<string, unknown>>;
}): string | undefined => {
  const value = node.instance_info['configdrive'];
  if (typeof value !== 'string' || !value.startsWith(mark + prefix(node.uuid))) return undefined;
  return value.slice(mark.length);
};
