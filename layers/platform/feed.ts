/**
 * The changes of the table, in the form in which DynamoDB Streams hands them to a function, in batches and at least once:
 * those of one item come in their order, and one that is reported as failed comes again with all that followed it. One
 * machine makes the same form (local/events).
 */

/** A value with its type, as DynamoDB writes it; sets and bytes, which no item here has, are left out. */
export type Attribute =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly Attribute[] }
  | { readonly M: Image };
export type Image = { readonly [name: string]: Attribute };

export type FeedRecord = {
  readonly dynamodb: {
    /** Seconds since the epoch. */
    readonly ApproximateCreationDateTime: number;
    /** Names the record among those of its batch. */
    readonly SequenceNumber: string;
    readonly Keys: Image;
    /** Absent: the item is new. */
    readonly OldImage?: Image;
    /** Absent: the item is gone. */
    readonly NewImage?: Image;
  };
};

export type FeedBatch = { readonly Records: readonly FeedRecord[] };

/** The first that has to come again; none: all are done. */
export type FeedAnswer = { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] };

/** The attribute that holds a JSON value; undefined, as an attribute that is not there, becomes null. */
const toAttribute = (value: unknown): Attribute => {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  if (typeof value === 'object' && value !== null) return { M: toImage(value) };
  return { NULL: true };
};

export const toImage = (values: object): Image =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toAttribute(value)]));

/** The JSON value that an attribute holds. Throws TypeError for a type that no item here has. */
export const fromAttribute = (attribute: Attribute): unknown => {
  if ('S' in attribute) return attribute.S;
  if ('N' in attribute) return Number(attribute.N);
  if ('BOOL' in attribute) return attribute.BOOL;
  if ('NULL' in attribute) return null;
  if ('L' in attribute) return attribute.L.map(fromAttribute);
  if ('M' in attribute) return fromImage(attribute.M);
  throw new TypeError(`An attribute of type ${Object.keys(attribute).join()} cannot be read.`);
};

/** The values of these attributes, or of all; the others are not looked at. */
export const fromImage = (image: Image, names: readonly string[] = Object.keys(image)): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (image[name] ? [[name, fromAttribute(image[name])]] : [])));
