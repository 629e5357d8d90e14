import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';

import { createAwsTable } from '../../../../layers/platform/aws/table.ts';
import { absent, equals, type Write } from '../../../../layers/platform/table.ts';
import { createSeededChance } from '../../../../layers/platform/memory/chance.ts';
import { createVirtualClock } from '../../../../layers/platform/memory/clock.ts';
import { createScriptedClient } from './scripted-client.ts';

const open = (...answers: (object | Error)[]) => {
  const { client, sent } = createScriptedClient<DynamoDBDocumentClient>(answers);
  return {
    table: createAwsTable({ client, name: 'ingot', clock: createVirtualClock(), chance: createSeededChance() }),
    sent,
  };
};

const $metadata = { attempts: 1 };
const fails = (name: string, message = 'words of AWS') =>
  new DynamoDBServiceException({ name, message, $fault: 'client', $metadata });
const cancelled = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'cancelled',
    $metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
const refused = (attempts: number, Item?: Record<string, { S: string }>) =>
  new ConditionalCheckFailedException({ message: 'refused', $metadata: { attempts }, ...(Item && { Item }) });

const put: Write = { put: { pk: 'a', sk: 'b', run: 'mine' }, when: [absent] };
const pair: Write[] = [put, { delete: { pk: 'a', sk: 'c' } }];

describe('a write that meets another transaction', () => {
  it('is sent again until it gets through', async () => {
    const conflict = cancelled('None', 'TransactionConflict');
    const { table, sent } = open(conflict, fails('ThrottlingException'), conflict, {});
    await table.write(pair);
    expect(sent).toHaveLength(4);
  });

  it('is Unavailable when it never does', async () => {
    const { table, sent } = open(...Array.from({ length: 20 }, () => cancelled('TransactionConflict', 'None')));
    await expect(table.write(pair)).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
    expect(sent).toHaveLength(8);
  });

  it('is refused when a condition fails besides', async () => {
    const { table } = open(
      cancelled('TransactionConflict', 'ConditionalCheckFailed'),
      cancelled('None', 'ConditionalCheckFailed'),
    );
    await expect(table.write(pair)).rejects.toMatchObject({ name: 'ConditionFailed', index: 1 });
  });
});

describe('a write of which DynamoDB does not say whether it was made', () => {
  const lost = fails('InternalServerError');

  it('keeps its token when it is sent again, so that it cannot meet its own first', async () => {
    const { table, sent } = open(lost, fails('TransactionInProgressException'), lost, {});
    await table.write(pair);
    const tokens = sent.map(({ input }) => input['ClientRequestToken']);
    expect(tokens).toHaveLength(4);
    expect(new Set(tokens).size).toBe(1);
    expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has a token of its own', async () => {
    const { table, sent } = open({}, {});
    await table.write(pair);
    await table.write(pair);
    expect(sent[0]!.input['ClientRequestToken']).not.toBe(sent[1]!.input['ClientRequestToken']);
  });

  it('is done, if it is a single one, when it is refused by what it has done itself', async () => {
    const own = { pk: { S: 'a' }, sk: { S: 'b' }, run: { S: 'mine' } };
    const { table, sent } = open(lost, refused(1, own));
    await table.write([put]);
    expect(sent).toHaveLength(2);
    const others = { pk: { S: 'a' }, sk: { S: 'b' }, run: { S: 'theirs' } };
    await expect(open(lost, refused(1, others)).table.write([put])).rejects.toMatchObject({ name: 'ConditionFailed' });
    await expect(open(fails('ThrottlingException'), refused(1, own)).table.write([put])).rejects.toMatchObject({
      name: 'ConditionFailed',
    });
  });

  it('is Unavailable, not refused, when nobody ever says', async () => {
    const { table } = open(...Array.from({ length: 8 }, () => lost));
    await expect(table.write(pair)).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });
});

describe('a single write whose answer got lost', () => {
  it('is done when the item is as the write leaves it', async () => {
    const own = { pk: { S: 'a' }, sk: { S: 'b' }, run: { S: 'mine' } };
    await open(refused(2, own)).table.write([put]);
    const update: Write = { update: { pk: 'a', sk: 'b' }, set: { run: 'mine' }, when: [equals('run', 'other')] };
    await open(refused(2, own)).table.write([update]);
  });

  it('is refused when somebody else wrote, or when it was sent once only', async () => {
    const others = { pk: { S: 'a' }, sk: { S: 'b' }, run: { S: 'theirs' } };
    await expect(open(refused(2, others)).table.write([put])).rejects.toMatchObject({
      name: 'ConditionFailed',
      item: { pk: 'a', sk: 'b', run: 'theirs' },
    });
    const same = { pk: { S: 'a' }, sk: { S: 'b' }, run: { S: 'mine' } };
    await expect(open(refused(1, same)).table.write([put])).rejects.toMatchObject({ name: 'ConditionFailed' });
  });
});

describe('other failures', () => {
  it('say what DynamoDB said', async () => {
    await expect(open(fails('AccessDeniedException')).table.get({ pk: 'a', sk: 'b' })).rejects.toMatchObject({
      name: 'StoreRefused',
      code: 500,
      message: 'The table ingot refused a request: AccessDeniedException: words of AWS',
    });
  });

  it('are Unavailable when there is no connection', async () => {
    const error = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    await expect(open(error).table.query({ partition: 'a' })).rejects.toMatchObject({ name: 'Unavailable', code: 503 });
  });
});

describe('getMany', () => {
  const keys = [1, 2, 3].map((n) => ({ pk: 'a', sk: `${n}` }));

  it('asks again for keys that were left over', async () => {
    const { table, sent } = open(
      { Responses: { ingot: [keys[1]] }, UnprocessedKeys: { ingot: { Keys: [keys[0], keys[2]] } } },
      { Responses: { ingot: [keys[0]] }, UnprocessedKeys: {} },
    );
    expect(await table.getMany(keys)).toEqual([keys[0], keys[1], undefined]);
    expect(sent).toHaveLength(2);
  });

  it('is Unavailable when nothing is ever answered', async () => {
    const nothing = { Responses: {}, UnprocessedKeys: { ingot: { Keys: keys } } };
    const { table } = open(...Array.from({ length: 20 }, () => nothing));
    await expect(table.getMany(keys)).rejects.toMatchObject({ name: 'Unavailable' });
  });
});
