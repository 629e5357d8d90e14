/**
 * What functions asked AWS for in this run, as rights of IAM, and what their roles say to it. The emulated AWS lets
 * everybody do everything: what the real one would refuse is found out here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { folder } from './processes.ts';

type Statement = {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

/** An environment of a function; `bucket_key`: the key of the objects that it works with. */
type Caller = {
  readonly function: string;
  readonly key: string;
  readonly bucket_key: string | null;
  readonly statements: readonly Statement[];
};

type Call = { readonly key: string; readonly service: string; readonly operation: string } & {
  readonly [
    name in
      | 'TableName'
      | 'Bucket'
      | 'Key'
      | 'Prefix'
      | 'KeyId'
      | 'stateMachineArn'
      | 'executionArn'
      | 'FunctionName'
      | 'Name'
      | 'SSEKMSKeyId'
  ]?: string;
};

/** What has to be allowed; `context`: what conditions may ask for. */
export type Right = {
  readonly action: string;
  readonly resource: string;
  readonly context?: Readonly<Record<string, string>>;
};

const arn = (service: string, rest: string) => `arn:aws:${service}:eu-central-1:000000000000:${rest}`;

/** An ARN stays one. */
const named = (service: string, kind: string, name: string) =>
  name.startsWith('arn:') ? name : arn(service, `${kind}${name}`);

/** Operations of S3 that are allowed under another name. */
const objectActions: Readonly<Record<string, string>> = {
  HeadObject: 'GetObject',
  UploadPart: 'PutObject',
  UploadPartCopy: 'PutObject',
  CreateMultipartUpload: 'PutObject',
  CompleteMultipartUpload: 'PutObject',
};

const objectRights = ({ operation, Bucket, Key, Prefix, SSEKMSKeyId }: Call, caller: Caller): Right[] => {
  if (operation.startsWith('ListObjects')) {
    return [{ action: 's3:ListBucket', resource: `arn:aws:s3:::${Bucket}`, context: { 's3:prefix': Prefix ?? '' } }];
  }
  const action = objectActions[operation] ?? operation;
  const right = { action: `s3:${action}`, resource: `arn:aws:s3:::${Bucket}/${Key}` };
  // S3 asks for the key as who asks for the object.
  const asked = { GetObject: 'kms:Decrypt', PutObject: 'kms:GenerateDataKey' }[action];
  const resource = SSEKMSKeyId ?? caller.bucket_key;
  return asked && resource ? [right, { action: asked, resource }] : [right];
};

/** The rights that a call needs, by the name of the service in LocalStack. */
const needed: Readonly<Record<string, (call: Call, caller: Caller) => Right[]>> = {
  dynamodb: ({ operation, TableName }) => [
    { action: `dynamodb:${operation}`, resource: named('dynamodb', 'table/', TableName!) },
  ],
  s3: objectRights,
  kms: ({ operation, KeyId }) => [{ action: `kms:${operation}`, resource: named('kms', 'key/', KeyId!) }],
  // Of a token nobody can tell whose it is: any machine's.
  stepfunctions: ({ operation, stateMachineArn, executionArn }) => [
    { action: `states:${operation}`, resource: stateMachineArn ?? executionArn ?? arn('states', 'stateMachine:*') },
  ],
  lambda: ({ FunctionName }) => [
    { action: 'lambda:InvokeFunction', resource: named('lambda', 'function:', FunctionName!) },
  ],
  events: ({ operation, Name }) => [{ action: `events:${operation}`, resource: named('events', 'event-bus/', Name!) }],
  ssm: ({ operation, Name }) => [
    { action: `ssm:${operation}`, resource: named('ssm', 'parameter/', Name!.replace(/^\//, '')) },
  ],
};

const listed = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);

const fits = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(text);

/**
 * Conditions as IAM reads them: `ForAllValues` is met by who has none. Partitions of tables are not recorded, so
 * `dynamodb:LeadingKeys` is met by everybody here. Throws for a condition that is not known.
 */
const isMet = ({ Condition = {} }: Statement, context: Right['context'] = {}): boolean =>
  Object.entries(Condition).every(([operator, keys]) => {
    const [, forAll, plain] = /^(ForAllValues:)?(StringLike|StringEquals)$/.exec(operator) ?? [];
    if (plain === undefined) throw new Error(`The condition ${operator} is not known to this simulator.`);
    return Object.entries(keys).every(([key, patterns]) => {
      const value = context[key];
      if (value === undefined) return forAll !== undefined;
      return listed(patterns).some((one) => (plain === 'StringLike' ? fits(one, value) : one === value));
    });
  });

const speaksOf = (statement: Statement, { action, resource, context }: Right): boolean =>
  listed(statement.Action).some((pattern) => fits(pattern, action)) &&
  // A resource of any kind is one that some pattern of the policy can be.
  listed(statement.Resource).some((pattern) => fits(pattern, resource) || fits(resource, pattern)) &&
  isMet(statement, context);

/** Whether the statements of a role let its function do it: one of them, and none against it. */
export const allows = (statements: readonly Statement[], right: Right): boolean => {
  const effects = statements.filter((statement) => speaksOf(statement, right)).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
};

const linesOf = <T>(name: string): T[] => {
  const file = join(folder, 'records', `${name}.jsonl`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T);
};

/** `Ingot-baremetalapiFunction1960-...`: the logical id begins with the name of the construct. */
const shortName = (name: string) => /^Ingot-(\w+?)Function/.exec(name)?.[1] ?? name;

export type Asked = {
  readonly name: string;
  readonly statements: readonly Statement[];
  readonly rights: readonly Right[];
};

/** Each function that ran, with the rights that its calls needed. Throws for a service that is not known here. */
export const askedBy = (): Asked[] => {
  const callers = new Map(linesOf<Caller>('callers').map((caller) => [caller.key, caller]));
  const asked = new Map<string, Right[]>();
  for (const call of linesOf<Call>('calls')) {
    const caller = callers.get(call.key);
    if (!caller) continue;
    const rights = needed[call.service];
    if (!rights) throw new Error(`${caller.function} asks ${call.service}, which is not known here: rights.ts.`);
    const name = shortName(caller.function);
    asked.set(name, [...(asked.get(name) ?? []), ...rights(call, caller)]);
  }
  return [...asked].map(([name, rights]) => {
    const { statements } = [...callers.values()].findLast((caller) => shortName(caller.function) === name)!;
    return { name, statements, rights: [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()] };
  });
};

/** The actions that a role lets its function do, and that no call was of. */
export const unusedBy = ({ statements, rights }: Asked): string[] => {
  const actions = statements.flatMap(({ Action }) => listed(Action));
  return [...new Set(actions)].filter((action) => !rights.some((right) => fits(action, right.action))).toSorted();
};
