/**
 * How long a client of the API waits when Lambda has just started the function: `node bench/first-answer.ts [ROUNDS]
 * [OTHER CHECKOUT]`. A fresh process for each round loads the bundle as it is deployed, answers a GET, and then the
 * first request that needs each of the other clients of AWS. Another checkout takes its turn in every round. AWS is a
 * server in this process that answers at once, by TLS. Times in ms: the least, which other work on the machine
 * disturbs least, and the median; `cpu` is what the process has used until the first answer, the start of Node included.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';

import { generate } from 'selfsigned';

import type { bundle } from '../infra/bundling.ts';
import { resolveSettings, variablesOf } from '../infra/settings.ts';

const rounds = Number(process.argv[2] ?? 15);
const checkouts = {
  this: resolve(import.meta.dirname, '..'),
  ...(process.argv[3] && { other: resolve(process.argv[3]) }),
};
const folder = mkdtempSync(join(tmpdir(), 'ingot-bench-'));

type Values = Readonly<Record<string, { readonly S?: string }>>;
type Asked = {
  readonly Key: Values;
  readonly Item: Values;
  readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly Values[] }>>;
  readonly TransactItems: readonly { readonly Put?: { readonly Item: Values } }[];
};

const idOf = ({ pk, sk }: Values): string => JSON.stringify([pk, sk]);
const name = 'ingot';
const stored = new Map<string, Values>();
const find = (keys: readonly Values[]) => keys.flatMap((key) => stored.get(idOf(key)) ?? []);

/** As much of a table as one node needs that is created and read; changes are not made, and lists are empty. */
const table: Record<string, (asked: Asked) => object> = {
  GetItem: ({ Key }) => ({ Item: find([Key])[0] }),
  Query: () => ({ Items: [] }),
  BatchGetItem: ({ RequestItems }) => ({ Responses: { [name]: find(RequestItems[name]!.Keys) } }),
  PutItem: ({ Item }) => stored.set(idOf(Item), Item) && {},
  TransactWriteItems: ({ TransactItems }) => {
    for (const { Put } of TransactItems) if (Put) stored.set(idOf(Put.Item), Put.Item);
    return {};
  },
};

const answer = async (request: IncomingMessage): Promise<object> => {
  const asked = await json(request);
  const [service, operation = ''] = String(request.headers['x-amz-target']).split('.');
  if (service?.startsWith('DynamoDB')) return table[operation]?.(asked as Asked) ?? {};
  if (operation === 'Encrypt') return { CiphertextBlob: 'c2VhbGVk' };
  if (operation === 'StartExecution') return { executionArn: 'arn', startDate: 0 };
  return { is: 'answer', answer: { boot_device: 'pxe', persistent: false } };
};

const { private: key, cert } = await generate([{ name: 'commonName', value: 'AWS' }], {
  keyType: 'ec',
  algorithm: 'sha256',
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
});
const authority = join(folder, 'authority.pem');
writeFileSync(authority, cert);
const server = createServer({ key, cert }, (request, response) => {
  answer(request).then(
    (body) => response.end(JSON.stringify(body)),
    (error: Error) => response.writeHead(400).end(JSON.stringify({ __type: error.name })),
  );
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

const environment = {
  ...process.env,
  ...variablesOf(resolveSettings(() => undefined)),
  NODE_EXTRA_CA_CERTS: authority,
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'x',
  AWS_SECRET_ACCESS_KEY: 'x',
  TABLE_NAME: name,
  BUCKET_NAME: 'ingot',
  KMS_KEY_ID: 'key',
  WORKFLOW_ARNS: 'arn:aws:states:eu-central-1:000000000000:stateMachine:ingot-{verify}',
  FUNCTION_WORKFLOW: 'workflow',
  ...Object.fromEntries(['DYNAMODB', 'S3', 'SFN', 'KMS', 'LAMBDA'].map((name) => [`INGOT_${name}_ENDPOINT`, endpoint])),
};

/** Runs in each fresh process: loads the bundle, asks for the node if there is one, prints how long each took. */
const probe = join(folder, 'probe.mjs');
writeFileSync(
  probe,
  `const times = {};
  let start = performance.now();
  const { handler } = await import(process.argv[2]);
  const lap = (name) => {
    times[name] = performance.now() - start;
    start = performance.now();
  };
  lap('init');
  const ask = async (name, httpMethod, path, body) => {
    start = performance.now();
    const event = {
      httpMethod,
      path,
      headers: { 'X-OpenStack-Ironic-API-Version': '1.72', 'Content-Type': 'application/json', Host: 'bench' },
      requestContext: { path, requestId: 'bench', authorizer: { roles: 'admin', scope: 'system' } },
      body: body && JSON.stringify(body),
    };
    const answer = await handler(event, { getRemainingTimeInMillis: () => 20000 });
    lap(name);
    if (answer.statusCode >= 300) throw new Error(path + ' was answered ' + answer.statusCode + ': ' + answer.body);
    return answer.body && JSON.parse(answer.body);
  };
  if (process.argv[3]) await ask('get', 'GET', '/v1/nodes/' + process.argv[3]);
  const { user, system } = process.cpuUsage();
  times.cpu = (user + system) / 1000;
  const driver_info = { redfish_address: 'https://10.0.0.1', redfish_username: 'u', redfish_password: 'p' };
  const { uuid } = await ask('kms', 'POST', '/v1/nodes', { driver: 'redfish', driver_info });
  await ask('step_functions', 'PUT', '/v1/nodes/' + uuid + '/states/provision', { target: 'manage' });
  await ask('lambda', 'GET', '/v1/nodes/' + uuid + '/management/boot_device');
  await ask('s3', 'POST', '/v1/nodes/' + uuid + '/configdrive', { size: 1000 });
  console.log(JSON.stringify({ uuid, times }));
  process.exit(0);`,
);

type Times = Record<string, number>;
type Run = { readonly uuid: string; readonly times: Times };
const run = async (file: string, node = ''): Promise<Run> => {
  const { stdout } = await promisify(execFile)(process.execPath, [probe, file, node], { env: environment });
  return JSON.parse(stdout) as Run;
};

type Subject = { readonly name: string; readonly file: string; readonly node: string; readonly taken: Times[] };
/** The bundle of a checkout, and a node that it has created. */
const prepare = async ([name, root]: [string, string]): Promise<Subject> => {
  const own = join(folder, name);
  mkdirSync(own);
  const made = (await import(join(root, 'infra/bundling.ts'))) as { readonly bundle: typeof bundle };
  made.bundle('baremetal-api', own);
  const file = join(own, 'index.mjs');
  return { name, file, node: (await run(file)).uuid, taken: [] };
};

const subjects: Subject[] = [];
for (const checkout of Object.entries(checkouts)) subjects.push(await prepare(checkout));
for (let round = 0; round < rounds; round += 1) {
  for (const { file, node, taken } of subjects) {
    const { init = 0, get = 0, ...more } = (await run(file, node)).times;
    taken.push({ init, get, together: init + get, ...more });
  }
}
server.close();
rmSync(folder, { recursive: true });

const summary = (times: Times[], what: string) => {
  const sorted = times.map((one) => one[what]!).sort((a, b) => a - b);
  return { least: Math.round(sorted[0]!), median: Math.round(sorted[Math.floor(sorted.length / 2)]!) };
};
const figures = subjects.map(({ name, taken: times }) => [
  name,
  Object.fromEntries(Object.keys(times[0]!).map((what) => [what, summary(times, what)])),
]);
console.log(
  JSON.stringify({ bench: 'first-answer', node: process.version, rounds, ms: Object.fromEntries(figures) as object }),
);
