/** The table on DynamoDB. */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';

import { Unavailable } from '../../domain/fault.ts';
import { apply, isExpired, keyOf } from '../evaluate.ts';
import { checkWrites, isPossibleKey, isPossiblePartition } from '../limits.ts';
import type { Chance, Clock } from '../platform.ts';
import { isWithin, rangeOf, type Range } from '../range.ts';
import { isConditionFailed, type Item, type Key, type Query, type Scanned, type Table, type Write } from '../table.ts';
import { createPlaceholders, expressionsOf, type Placeholders } from './expression.ts';
import { explain, isPassing, isUnsure } from './refusal.ts';

type Needs = {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
  readonly clock: Clock;
  readonly chance: Chance;
};

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Keys of one BatchGetItem. */
const batchSize = 100;

/** Tries of a write that met another transaction, and of keys that a batch left over; the SDK has its own besides. */
const maxTries = 8;

/** A random wait that doubles each time, at most 25 ms to 1.6 s. */
const pause = async ({ clock, chance }: Needs, attempt: number) =>
  clock.sleep(chance.number() * 25 * 2 ** Math.min(attempt, 6));

/**
 * Runs a request until it is not turned away any more. `unsure` tells it that one before may have written. Throws what
 * `explain` makes of the error.
 */
const persist = async <T>(needs: Needs, request: (unsure: boolean) => Promise<T>): Promise<T> => {
  let unsure = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(unsure);
    } catch (error) {
      if (attempt === maxTries || !isPassing(error)) throw explain(error, needs.name);
      unsure ||= isUnsure(error);
      await pause(needs, attempt);
    }
  }
};

const plainKey = ({ pk, sk }: Key) => ({ pk, sk });
const idOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

const getBatch = async (needs: Needs, keys: readonly Key[], stale: boolean): Promise<Item[]> => {
  const { client, name } = needs;
  const found: Item[] = [];
  let left: readonly Key[] = keys;
  // An answer holds 16 MB at most, so keys may be left over; only many answers without any item are a failure.
  for (let tries = 1; left.length > 0; tries += 1) {
    if (tries > maxTries) throw Unavailable(`The table ${name} is too busy at the moment, try again.`);
    const asked = { [name]: { Keys: left.map(plainKey), ConsistentRead: !stale } };
    const command = new BatchGetCommand({ RequestItems: asked });
    const { Responses, UnprocessedKeys } = await persist(needs, async () => client.send(command));
    const items = (Responses?.[name] ?? []) as Item[];
    found.push(...items);
    left = (UnprocessedKeys?.[name]?.Keys ?? []) as Key[];
    if (items.length > 0) tries = 0;
    if (left.length > 0) await pause(needs, tries);
  }
  return found;
};

/** DynamoDB takes one condition on the sort key; a name that no expression uses is refused. */
const compileKeys = (attribute: string, { low, open, high }: Range, { name, value }: Placeholders): string => {
  if (low !== undefined && high !== undefined)
    return ` AND ${name(attribute)} BETWEEN ${value(low)} AND ${value(high)}`;
  if (low !== undefined) return ` AND ${name(attribute)} ${open ? '>' : '>='} ${value(low)}`;
  return high === undefined ? '' : ` AND ${name(attribute)} < ${value(high)}`;
};

const toInput = ({ partition, descending = false }: Query, range: Range) => {
  const placeholders = createPlaceholders();
  const { name, value } = placeholders;
  return {
    ConsistentRead: true,
    KeyConditionExpression: `${name('pk')} = ${value(partition)}${compileKeys('sk', range, placeholders)}`,
    ScanIndexForward: !descending,
    ...placeholders.used(),
  };
};

const query = async (needs: Needs, options: Query): Promise<Item[]> => {
  const { limit = Infinity } = options;
  const range = rangeOf(options);
  if (!range || !isPossiblePartition(options.partition)) return [];
  const input = { TableName: needs.name, ...toInput(options, range) };
  const found: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = {
      ...input,
      // Two more than wanted, for the ends of BETWEEN that are not in the range.
      ...(limit < Infinity && { Limit: limit - found.length + 2 }),
      ...(start && { ExclusiveStartKey: start }),
    };
    const answer = await persist(needs, async () => needs.client.send(new QueryCommand(page)));
    const items = (answer.Items ?? []) as Item[];
    const now = needs.clock.now();
    found.push(...items.filter((item) => isWithin(range, item.sk) && !isExpired(item, now)));
    start = answer.LastEvaluatedKey;
  } while (start && found.length < limit);
  return found.slice(0, limit);
};

const scan = async (needs: Needs, after: Key | undefined, limit: number): Promise<Scanned> => {
  const start = after && { ExclusiveStartKey: plainKey(after) };
  const input = { TableName: needs.name, ConsistentRead: true, Limit: limit, ...start };
  const answer = await persist(needs, async () => needs.client.send(new ScanCommand(input)));
  const now = needs.clock.now();
  const items = ((answer.Items ?? []) as Item[]).filter((item) => !isExpired(item, now));
  return { items, next: answer.LastEvaluatedKey as Key | undefined };
};

const returnStored = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

const toTransactItem = (name: string, write: Write): TransactItem => {
  const { ConditionExpression = '', UpdateExpression = '', ...placeholders } = expressionsOf(write);
  const condition = ConditionExpression !== '' && { ConditionExpression };
  const common = { TableName: name, ...returnStored, ...placeholders, ...condition };
  const Key = plainKey(keyOf(write));
  if ('put' in write) return { Put: { ...common, Item: write.put } };
  if ('delete' in write) return { Delete: { ...common, Key } };
  if ('check' in write) return { ConditionCheck: { ...common, Key, ConditionExpression } };
  return { Update: { ...common, Key, UpdateExpression } };
};

/** However often it is sent, DynamoDB makes a transaction once: it knows it by its token, for ten minutes. */
const writeAll = async (needs: Needs, writes: readonly Write[]): Promise<unknown> => {
  const ClientRequestToken = randomUUID();
  const TransactItems = writes.map((write) => toTransactItem(needs.name, write));
  return persist(needs, async () => needs.client.send(new TransactWriteCommand({ ClientRequestToken, TransactItems })));
};

type Single = Exclude<Write, { readonly check: Key }>;

/** Half the price of a transaction of one. */
const send = async ({ client, name }: Needs, write: Single): Promise<unknown> => {
  const common = { TableName: name, ...returnStored, ...expressionsOf(write) };
  const Key = plainKey(keyOf(write));
  if ('put' in write) return client.send(new PutCommand({ ...common, Item: write.put }));
  if ('delete' in write) return client.send(new DeleteCommand({ ...common, Key }));
  return client.send(new UpdateCommand({ ...common, Key }));
};

/** The SDK sends a request again when its answer got lost. */
const sendsOf = (error: unknown): number => (error as { $metadata?: { attempts?: number } }).$metadata?.attempts ?? 1;

/**
 * A transaction carries a token that makes it safe to send it again; a single write does not, so what was sent again
 * may be refused by what the first has done. The item then is as the write leaves it.
 */
const isOwnEcho = (write: Write, error: unknown, name: string): boolean => {
  const fault = explain(error, name);
  return isConditionFailed(fault) && isDeepStrictEqual(apply(write, fault.item), fault.item);
};

const writeOne = async (needs: Needs, write: Single): Promise<unknown> =>
  persist(needs, async (unsure) =>
    send(needs, write).catch((error: unknown) => {
      const sentBefore = unsure || sendsOf(error) > 1;
      if (!sentBefore || !isOwnEcho(write, error, needs.name)) throw error;
    }),
  );

const write = async (needs: Needs, writes: readonly Write[]): Promise<void> => {
  checkWrites(writes);
  const [only, ...others] = writes;
  // A check alone exists in transactions only.
  if (only && others.length === 0 && !('check' in only)) await writeOne(needs, only);
  else await writeAll(needs, writes);
};

/**
 * The table `name`. Every method throws Unavailable (503) when DynamoDB cannot be reached or stays too busy, and
 * StoreRefused (500) for what only a wrong deployment explains: no such table, no right to it.
 */
export const createAwsTable = (needs: Needs): Table => ({
  get: async (key) => {
    if (!isPossibleKey(key)) return undefined;
    const command = new GetCommand({ TableName: needs.name, Key: plainKey(key), ConsistentRead: true });
    const { Item } = await persist(needs, async () => needs.client.send(command));
    return Item && !isExpired(Item as Item, needs.clock.now()) ? (Item as Item) : undefined;
  },
  getMany: async (keys, { stale = false } = {}) => {
    const wanted = [...new Map(keys.filter(isPossibleKey).map((key) => [idOf(key), key])).values()];
    const batches = Array.from({ length: Math.ceil(wanted.length / batchSize) }, (_, at) =>
      wanted.slice(at * batchSize, (at + 1) * batchSize),
    );
    const items = (await Promise.all(batches.map(async (batch) => getBatch(needs, batch, stale)))).flat();
    const now = needs.clock.now();
    const found = new Map(items.filter((item) => !isExpired(item, now)).map((item) => [idOf(item), item]));
    return keys.map((key) => found.get(idOf(key)));
  },
  query: async (options) => query(needs, options),
  scan: async ({ after, limit }) => scan(needs, after, limit),
  write: async (writes) => write(needs, writes),
});
