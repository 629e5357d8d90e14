/** The roles of functions against the calls that functions made in all stories before: nothing missing, nothing too much. */
import { describe, expect, it } from 'vitest';

import { allows, askedBy, unusedBy } from '../rights.ts';

/** Rights that no call was of, and why they are right all the same; without `of` those of every function. */
const excused: readonly { readonly actions: RegExp; readonly of?: RegExp; readonly why: string }[] = [
  { actions: /^xray:/, why: 'Whoever is traced; nobody is here.' },
  {
    actions: /^dynamodb:\w*Item$|^dynamodb:(Query|Scan)$/,
    why: 'Who has a table may do what can be done with a table.',
  },
  {
    actions: /^states:(DescribeExecution|GetExecutionHistory|StopExecution)$/,
    why: 'For runs that are lost or called off, which LocalStack does not stop.',
  },
  { actions: /^states:SendTask(Failure|Heartbeat)$/, why: 'A token may be answered in any way.' },
  { actions: /^dynamodb:.*(Stream|Records|ShardIterator)/, of: /^events$/, why: 'Asked by Lambda itself.' },
  { actions: /^sqs:/, of: /^(events|serverworkflow)$/, why: 'Asked by Lambda itself, of what it could not bring.' },
  { actions: /^s3:ListBucket$/, why: 'Without it an object that is not there would be forbidden instead of missing.' },
  {
    actions: /^(kms:Decrypt|s3:GetObject|lambda:InvokeFunction)$/,
    of: /^baremetalapi$/,
    why: 'No story reads an inventory, or hardware while a client waits.',
  },
  {
    actions: /^(kms:GenerateDataKey|s3:(Put|Delete)Object|states:StartExecution)$/,
    of: /^sync$/,
    why: 'For what others have left undone: nobody did.',
  },
  { actions: /^kms:Encrypt$/, of: /^bmcproxy$/, why: 'No node is converted from another driver.' },
  {
    actions: /^(kms:(Encrypt|GenerateDataKey)|s3:PutObject)$/,
    of: /^ramdiskapi$/,
    why: 'No story inspects a machine, or boots one whose agent has no token yet.',
  },
  {
    actions: /./,
    of: /^(computeapi|imageapi|networkapi|serverworkflow|serversync)$/,
    why: 'No story has a server yet.',
  },
];

const asked = askedBy();

it('saw the functions at work', () => {
  expect(asked.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['authorizer', 'baremetalapi', 'bmcproxy', 'events', 'ramdiskapi', 'sync', 'workflow']),
  );
});

describe.each(asked)('the role of $name', (one) => {
  it('lets it do all that it did', () => {
    expect(one.rights.filter((right) => !allows(one.statements, right))).toEqual([]);
  });

  it('lets it do nothing that it never did, but for what is excused', () => {
    const isExcused = (action: string) =>
      excused.some(({ actions, of }) => actions.test(action) && (of === undefined || of.test(one.name)));
    expect(unusedBy(one).filter((action) => !isExcused(action))).toEqual([]);
  });
});
