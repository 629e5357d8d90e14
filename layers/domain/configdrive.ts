/**
 * How a node refers to its configdrive (DESIGN.md 6): `instance_info.configdrive` is `object:<key>` for one that Ingot
 * stores, or the client's own http(s) URL.
 */

const mark = 'object:';

/** What the keys of all configdrives begin with whose node's UUID begins so. */
export const configdrivesOf = (start: string): string => `configdrives/${start}`;

/** Everything stored for a node is below this; its end keeps one UUID from being the start of another. */
const prefix = (uuid: string) => `${configdrivesOf(uuid)}/`;

/** The end of a key whose object has the form that agents read: base64(gzip(image)) (layers/configdrive/packed.ts). */
const packedEnd = '.gz.b64';
/** The end of a key whose object is the image itself; many BMCs tell the kind of a medium by it. */
const mediumEnd = '.img';

/** The object that holds one configdrive of a node. */
export const configdriveKey = (uuid: string, ulid: string): string => `${prefix(uuid)}${ulid}${packedEnd}`;

/** Whether the object has the form that agents read. The first versions stored images, under keys without an end. */
export const isPackedKey = (key: string): boolean => key.endsWith(packedEnd);

const stemOf = (key: string): string => (isPackedKey(key) ? key.slice(0, -packedEnd.length) : key);

/** Where the form for agents is of the configdrive stored at `key`: there, or next to the image that a first version stored. */
export const packedKey = (key: string): string => `${stemOf(key)}${packedEnd}`;

/** Where the image of the configdrive stored at `key` is while a BMC presents it as a medium. */
export const mediumKey = (key: string): string => `${stemOf(key)}${mediumEnd}`;

/** The value of instance_info.configdrive for what is stored. */
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

/** All objects that may be stored for the node's configdrive: the one it refers to, and those made of it. */
export const configdriveObjects = (node: Parameters<typeof configdriveObject>[0]): string[] => {
  const key = configdriveObject(node);
  return key === undefined ? [] : [...new Set([key, packedKey(key), mediumKey(key)])];
};

/**
 * An image too large for a request is uploaded first (node/upload.ts) and named by `upload:<ulid>` in the request for
 * the provision state. It lies among the node's configdrives, so that sync removes what nobody asks for.
 */
const uploadMark = 'upload:';

/** The value of `configdrive` that stands for an upload. */
export const uploadReference = (ulid: string): string => `${uploadMark}${ulid}`;

/** The key that an upload of this node is put at. */
export const uploadKey = (uuid: string, ulid: string): string => `${prefix(uuid)}${ulid}.upload`;

/** Whether a value is to be the name of an upload, which may be none. */
export const isUploadReference = (value: string): boolean => value.startsWith(uploadMark);

/** The key of the upload that a value names, of this node and no other; undefined if the value is something else. */
export const uploadNamed = (uuid: string, value: string): string | undefined =>
  value.startsWith(uploadMark) && /^[0-9A-Z]{26}$/.test(value.slice(uploadMark.length))
    ? uploadKey(uuid, value.slice(uploadMark.length))
    : undefined;
