/** One BMC and one agent that mean harm, beside nine machines that are worked on: nobody but them may notice. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { pemFingerprints } from '../../../layers/bmc/trust.ts';
import { makeCertificate } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

type Attack = (response: ServerResponse, request: IncomingMessage) => void;

const json = (text: string, status = 200): Attack => {
  const body = Buffer.from(text);
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    response.end(body);
  };
};
const said = (Message: string, MessageId = 'Base.1.0.GeneralError'): Attack =>
  json(JSON.stringify({ error: { '@Message.ExtendedInfo': [{ MessageId, Message }] } }), 400);
const raw =
  (head: string, body = ''): Attack =>
  (response) => {
    response.socket!.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`);
  };

const megabyte = 1024 * 1024;
const bomb = gzipSync(Buffer.alloc(64 * megabyte, '['));

/** Of the sizes at which a quadratic reader needs a minute, not weeks: a test has to end even when it fails. */
const attacks: readonly [string, Attack][] = [
  ['a text that never ends, of escaped quotation marks', json(`"${'\\"'.repeat(150_000)}`)],
  ['the same as an error', json(`{"a":"${'\\"'.repeat(150_000)}`, 500)],
  ['eight megabytes of brackets', json('['.repeat(8 * megabyte - 1))],
  ['objects in objects', json('{"a":'.repeat(1.5 * megabyte))],
  ['an error of URLs without end', said('http://'.repeat(48_000))],
  ['an error of URLs with users', said('http://a:b@'.repeat(32_000))],
  ['an error of seven megabytes', said('x'.repeat(7 * megabyte))],
  ['a message id of seven megabytes', said('x', 'Licens'.repeat(megabyte))],
  [
    'a hundred thousand complaints',
    json(`{"error":{"@Message.ExtendedInfo":[${'{"MessageId":"a.b"},'.repeat(100_000)}{}]}}`, 400),
  ],
  [
    'a hundred and fifty thousand members',
    json(
      `{"Systems":{"@odata.id":"/redfish/v1/S"},"Members":[${'{"@odata.id":"/redfish/v1/S/1"},'.repeat(150_000).slice(0, -1)}]}`,
    ),
  ],
  ['half a million names', json(`{${Array.from({ length: 500_000 }, (_, at) => `"${at}":0`).join(',')}}`)],
  [
    'more than fits, packed',
    (response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': bomb.length }).end(bomb);
    },
  ],
  ['headers of a megabyte', raw(`X-Auth-Token: ${'x'.repeat(megabyte)}\r\nContent-Length: 2`, '{}')],
  ['less than it announced', raw('Content-Length: 1000', '{}')],
  ['more than it announced', raw('Content-Length: 2', '{}'.repeat(10_000))],
  ['two lengths', raw('Content-Length: 2\r\nContent-Length: 20', '{}')],
  [
    'a byte at a time',
    (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  ],
  ['silence', () => undefined],
];

let server: Server;
let attack: Attack = () => undefined;
let certificate: string;
const sockets = new Set<Socket>();

beforeAll(async () => {
  const { cert, private: key } = await makeCertificate('127.0.0.1');
  certificate = cert;
  server = createServer({ cert, key }, (request, response) => {
    request.resume();
    response.on('error', () => undefined);
    attack(response, request);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  for (const socket of sockets) socket.destroy();
});

const enrolHostile = async (agentPath = '/agent') => {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const machine = await enrol({
    driver_info: { redfish_address: url, redfish_verify_ca: `sha256:${pemFingerprints(certificate)[0]}` },
  });
  await machine.setNode({
    driver_internal_info: {
      agent_url: `${url}${agentPath}`,
      agent_verify_ca: certificate,
      agent_secret_token: '******',
    },
  });
  return machine;
};

/**
 * Seconds of the processor, not of the clock, for all ten: a busy machine counts for nothing. What is read once takes
 * four at most.
 */
const budget = 20;

/** How the nine ended, what the tenth said, and what it cost. */
const work = async (agentPath?: string) => {
  const before = process.threadCpuUsage();
  const [hostile, ...others] = await Promise.all([
    enrolHostile(agentPath),
    ...Array.from({ length: 9 }, async () => enrol()),
  ]);
  const tenth = Promise.all([
    hostile.ask('system.get', {}, { deadline_ms: 1_500 }).catch((error: unknown) => error),
    hostile.ask('agent.steps', { kind: 'clean' }, { deadline_ms: 1_500 }).catch((error: unknown) => error),
  ]);
  const nine = await Promise.all(
    others.map(async ({ ask }, at) => {
      const { status } = await ask('power.ensure', { target: at % 2 ? 'power on' : 'power off' });
      const { observed } = (await ask('system.get', {})) as { observed: { power: string } };
      return `${status} ${observed.power}`;
    }),
  );
  const said = await tenth;
  const { user, system } = process.threadCpuUsage(before);
  return { nine: nine.toSorted(), tenth: said, seconds: (user + system) / 1e6 };
};

const well = [...Array<string>(5).fill('done power off'), ...Array<string>(4).fill('done power on')];

/** A fault of the contract that people can read; not a mistake of ours that has to be looked up in the log. */
const expectFault = (error: unknown) => {
  expect(error).toMatchObject({ name: expect.stringMatching(/^(Bmc|Agent)/) });
  expect((error as Error).message.length).toBeLessThan(4_097);
};

it.each(attacks)('nine machines are worked on while the tenth answers %s', { timeout: 600_000 }, async (_what, how) => {
  attack = how;
  const { nine, tenth, seconds } = await work();
  expect(nine).toEqual(well);
  expect(seconds).toBeLessThan(budget);
  tenth.forEach(expectFault);
});

it('nine machines are worked on while the address of the tenth agent is of slashes', { timeout: 600_000 }, async () => {
  attack = json('{}');
  const { nine, tenth, seconds } = await work(`${'/'.repeat(250_000)}x`);
  expect(nine).toEqual(well);
  expect(seconds).toBeLessThan(budget);
  expectFault(tenth[1]);
});
