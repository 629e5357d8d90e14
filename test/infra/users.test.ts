/** How the users of http_basic come from a file to the authorizer: all of them, or not at all. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { hashSync } from 'bcryptjs';
import { afterAll, expect, it } from 'vitest';

import { IngotStack } from '../../infra/stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'ingot-users-'));
const file = join(folder, 'htpasswd');
const tenantsFile = join(folder, 'users');
afterAll(() => rmSync(folder, { recursive: true }));

const hash = hashSync('secret', 4);
const linesOf = (...names: string[]) => names.map((name) => `${name}:${hash}`);

const synthesise = (context: Record<string, unknown>) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
  return Template.fromStack(new IngotStack(app, 'Ingot'));
};

/** The authorizer's variables when the files have these texts. */
const deploy = (text: string, tenants?: string): Record<string, string> => {
  writeFileSync(file, text);
  if (tenants !== undefined) writeFileSync(tenantsFile, tenants);
  const context = { htpasswd_file: file, ...(tenants !== undefined && { users_file: tenantsFile }) };
  const functions = Object.entries(synthesise(context).findResources('AWS::Lambda::Function'));
  const withUsers = functions.filter(([, { Properties }]) =>
    ['INGOT_HTPASSWD', 'INGOT_USERS'].some((name) => name in (Properties.Environment?.Variables ?? {})),
  );
  expect(withUsers.map(([id]) => id)).toEqual([expect.stringMatching(/^authorizer/)]);
  return withUsers[0]![1]['Properties'].Environment.Variables as Record<string, string>;
};

it('every user of the file is deployed, and comments and empty lines are not', () => {
  const [ann, bob, carl] = linesOf('ann', 'bob', 'carl');
  const { INGOT_HTPASSWD: users } = deploy(`# operators\n${ann}\r\n\n${bob}\n${carl}\n\n`);
  expect(users).toBe([ann, bob, carl].join('\n'));
});

it('users of projects are deployed beside them, with project and roles', () => {
  const [ann] = linesOf('ann');
  const variables = deploy(ann!, `# tenants\nbob:${hash}:blue:member,Reader\n\naudit:${hash}:*:reader\n`);
  expect(variables['INGOT_HTPASSWD']).toBe(ann);
  expect(variables['INGOT_USERS']).toBe(`bob:${hash}:blue:member,reader\naudit:${hash}:*:reader`);
  const alone = synthesise({ users_file: tenantsFile }).toJSON() as object;
  expect(JSON.stringify(alone)).toContain(`audit:${hash}:*:reader`);
});

it.each([
  ['a line without project and roles', linesOf('bob'), 'Line 1 of'],
  ['a role that there is not', [`bob:${hash}:blue:hunter2`], 'Line 1 of'],
  ['a name of the other file', [`ann:${hash}:blue:member`], 'User ann stands both in'],
])('a file of users of projects with %s stops the synthesis', (_what, lines, words) => {
  const attempt = () => deploy(linesOf('ann')[0]!, lines.join('\n'));
  expect(attempt).toThrow(words);
  expect(attempt).toThrow(tenantsFile);
  expect(attempt).not.toThrow(/hunter2|\$2b\$/);
});

it.each([
  ['a password instead of a hash', [...linesOf('ann'), 'bob:hunter2'], 'Line 2 of'],
  ['a hash of another kind', ['ann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g='], 'Line 1 of'],
  ['a hash that was cut', [...linesOf('ann', 'bob'), `carl:${hash.slice(0, 40)}`], 'Line 3 of'],
  ['no user name', [`:${hash}`], 'Line 1 of'],
  ['no users', ['# nobody'], 'no users in'],
  ['nothing', [], 'no users in'],
])('a file with %s stops the synthesis, and what stands there is not told', (_what, lines, words) => {
  const attempt = () => deploy(lines.join('\n'));
  expect(attempt).toThrow(words);
  expect(attempt).toThrow(file);
  expect(attempt).not.toThrow(/hunter2|W6ph|\$2b\$/);
});

it('a file that is not there stops the synthesis with its name', () => {
  const missing = join(folder, 'missing');
  expect(() => synthesise({ htpasswd_file: missing })).toThrow(`${missing} cannot be read (ENOENT)`);
  expect(() => synthesise({ htpasswd_file: '' })).toThrow(/is empty[^]*htpasswd_file/);
  expect(() => synthesise({ users_file: missing })).toThrow(`users_file: ${missing} cannot be read (ENOENT)`);
});

it('more users than Lambda takes stop the synthesis, which says how many fit; so many are taken', () => {
  const names = Array.from({ length: 60 }, (_, at) => `operator-${at}`);
  let message = '';
  try {
    deploy(linesOf(...names).join('\n'));
  } catch (error) {
    ({ message } = error as Error);
  }
  const fit = Number(/has 60 users, and only the first (\d+) fit/.exec(message)?.[1]);
  expect(fit).toBeGreaterThan(20);
  const variables = deploy(linesOf(...names.slice(0, fit)).join('\n'));
  expect(variables['INGOT_HTPASSWD']!.split('\n')).toHaveLength(fit);
  expect(Buffer.byteLength(JSON.stringify(variables))).toBeLessThanOrEqual(4096);
  expect(() => deploy(linesOf(...names.slice(0, fit + 1)).join('\n'))).toThrow(`only the first ${fit} fit`);
  // The two files share the room.
  const tenant = `tenant:${hash}:blue:member`;
  expect(() => deploy(linesOf(...names.slice(0, fit)).join('\n'), tenant)).toThrow(
    /htpasswd_file and users_file has \d+ users, and only the first/,
  );
});

it('the lines themselves are no context value, because the CDK CLI would cut them after the first', () => {
  const [line] = linesOf('ann');
  expect(() => synthesise({ htpasswd: line })).toThrow('-c htpasswd_file=htpasswd');
});

it.each(['vpc_id', 'alarm_topic_arn', 'stack_name'])('an empty %s stops the synthesis', (name) => {
  expect(() => synthesise({ [name]: '' })).toThrow(new RegExp(`is empty[^]*${name}`));
});
