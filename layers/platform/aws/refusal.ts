/** What DynamoDB's errors mean. */
import { type AttributeValue, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

import { Fault, isFault, TooLarge, Unavailable } from '../../domain/fault.ts';
import { ConditionFailed, type Item } from '../table.ts';

type RawItem = Record<string, AttributeValue> | undefined;
type Reason = { readonly Code?: string | undefined; readonly Message?: string | undefined; readonly Item?: RawItem };

/** The same may succeed a moment later; nothing was written, but for `unsure`. */
const passing = new Set([
  'TransactionConflict',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ThrottlingError',
  'ThrottlingException',
  'ProvisionedThroughputExceeded',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'InternalServerError',
]);

/** DynamoDB does not say whether it has written. */
const unsure = new Set(['InternalServerError', 'TransactionInProgressException']);

const reasonsOf = (error: DynamoDBServiceException): readonly Reason[] => {
  if (error.name === 'TransactionCanceledException')
    return (error as { CancellationReasons?: Reason[] }).CancellationReasons ?? [];
  const code = error.name === 'ConditionalCheckFailedException' ? 'ConditionalCheckFailed' : error.name;
  return [{ Code: code, Message: error.message, Item: (error as { Item?: RawItem }).Item }];
};

const toItem = (raw: RawItem): Item | undefined =>
  raw && Object.keys(raw).length > 0 ? (unmarshall(raw) as Item) : undefined;

const isOneOf = (names: ReadonlySet<string>, error: unknown): boolean =>
  error instanceof DynamoDBServiceException && reasonsOf(error).some(({ Code = '' }) => names.has(Code));

/** Whether a request may be sent again: it was turned away, or is safe to repeat. */
export const isPassing = (error: unknown): boolean => isOneOf(passing, error);

/** Whether a request that is sent again may have written the first time. */
export const isUnsure = (error: unknown): boolean => isOneOf(unsure, error);

/**
 * Makes a Fault of what the client throws: ConditionFailed, TooLarge (413), Unavailable (503) for what passes and for
 * a table that cannot be reached, else StoreRefused (500) with DynamoDB's own words.
 */
export const explain = (error: unknown, table: string): Fault => {
  if (isFault(error)) return error;
  if (!(error instanceof DynamoDBServiceException)) {
    return Unavailable(`The table ${table} could not be reached (${(error as Error).message}).`, error);
  }
  const reasons = reasonsOf(error);
  const failed = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
  if (failed >= 0) return new ConditionFailed(failed, toItem(reasons[failed]?.Item));
  if (isPassing(error)) return Unavailable(`The table ${table} is too busy at the moment, try again.`, error);
  const words = reasons.map(({ Message }) => Message ?? '').find((message) => message !== '') ?? error.message;
  if (/item size|size.*exceed/i.test(words)) return TooLarge(`The table ${table} refused an item: ${words}`, error);
  return new Fault('StoreRefused', 500, `The table ${table} refused a request: ${error.name}: ${words}`, {
    cause: error,
  });
};
