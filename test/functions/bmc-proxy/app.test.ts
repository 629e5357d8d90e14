import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Config } from '../../../functions/bmc-proxy/config.ts';
import type { Fault } from '../../../layers/domain/fault.ts';
import { readLedger, verifyLedger } from '../../../layers/store/bmc-records.ts';
import type { Scripted, Seen } from '../../fakes/bmc.ts';
import { enrol, environment, uuid } from './fixture.ts';

describe('a request', () => {
  it('is checked before anything is done', async () => {
    const { raw, bmc, ask } = await enrol();
    const good = { op: 'system.get', node: uuid, generation: 3, op_id: 'x', params: {}, deadline_ms: 1000 };
    for (const bad of [null, {}, { ...good, op: 'reboot' }, { ...good, deadline_ms: 0 }, { ...good, op_id: '' }]) {
      await expect(raw(bad)).rejects.toMatchObject({ name: 'InvalidCommand' });
    }
    await expect(ask('power.ensure', { target: 'off' as 'power off' })).rejects.toThrow('target');
    await expect(ask('system.get', { more: 1 } as never)).rejects.toMatchObject({ name: 'InvalidCommand' });
    expect(bmc.requests).toEqual([]);
  });

  it('for a node that does not exist says so', async () => {
    const { ask } = await enrol();
    await expect(ask('system.get', {}, { node: 'other' })).rejects.toMatchObject({ name: 'NotFound' });
  });

  it('with a driver_info that leads nowhere names the key', async () => {
    const { ask } = await enrol({ driver_info: { redfish_address: null } });
    const failure = ask('system.get', {});
    await expect(failure).rejects.toMatchObject({ name: 'InvalidCommand' });
    await expect(failure).rejects.toThrow('driver_info.redfish_address');
  });

  it('that fails unexpectedly says nothing but where to look', async () => {
    const { ask, table, log } = await enrol();
    table.getMany = async () => {
      throw new TypeError('something internal');
    };
    const failure = ask('system.get', {});
    await expect(failure).rejects.toMatchObject({ name: 'ProxyFailed', code: 500 });
    await expect(failure).rejects.not.toThrow('internal');
    expect(JSON.stringify(log.lines)).toContain('something internal');
  });
});

describe('the address of a BMC', () => {
  it.each(['169.254.169.254', '10.0.0.1', '[::ffff:127.0.0.1]', '[::1]', '0.0.0.0'])(
    '%s outside the allowed networks is not called',
    async (redfish_address) => {
      const { ask } = await enrol({ driver_info: { redfish_address } });
      await expect(ask('system.get', {})).rejects.toMatchObject({ name: 'TargetForbidden' });
    },
  );

  it('is resolved once, and what it was resolved to is what is called', async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return asked.length === 1 ? ['127.0.0.1'] : ['10.0.0.1'];
    };
    const machine = await enrol({ resolve, host: 'bmc.test' });
    expect(await machine.ask('system.get', {})).toMatchObject({ status: 'done' });
    expect(asked).toEqual(['bmc.test']);
    expect(machine.bmc.requests.length).toBeGreaterThan(3);
    await expect(machine.ask('system.get', {})).rejects.toMatchObject({ name: 'TargetForbidden' });
  });

  it('gets no password that was given for another, whoever has written it into the record', async () => {
    const machine = await enrol();
    const at = { redfish_username: 'admin', redfish_password: '******' };
    const pin = `sha256:${machine.bmc.fingerprint256}`;
    for (const moved of [
      { redfish_address: `https://localhost:${machine.bmc.port}`, redfish_verify_ca: pin },
      { redfish_address: `https://127.0.0.1:${machine.bmc.port}`, redfish_verify_ca: false },
    ]) {
      await machine.setNode({ driver_info: { ...at, ...moved } });
      await expect(machine.ask('system.get', {})).rejects.toMatchObject({
        name: 'Unsealable',
        message: expect.stringContaining('for another recipient. Set redfish_password again') as string,
      });
    }
    expect(machine.bmc.requests).toEqual([]);
  });

  it('that does not resolve is unreachable', async () => {
    const resolve = async () => {
      throw new Error('ENOTFOUND');
    };
    const { ask } = await enrol({ driver_info: { redfish_address: 'bmc.test' }, resolve });
    await expect(ask('system.get', {})).rejects.toMatchObject({ name: 'BmcUnreachable' });
  });

  it('needs networks that are written well', () => {
    const parsed = Config.safeParse({ ...environment, INGOT_BMC_NETWORKS: '10.0.0.0/99' });
    expect(parsed.error?.issues[0]?.message).toContain('"10.0.0.0/99" is no network');
  });
});

describe('fencing', () => {
  it('refuses a write of an older generation, and records that', async () => {
    const { ask, bmc, setNode, ledger } = await enrol();
    await setNode({ generation: 4 });
    await expect(ask('power.ensure', { target: 'power on' })).rejects.toMatchObject({ name: 'StaleGeneration' });
    expect(bmc.requests).toEqual([]);
    expect(await ledger()).toEqual(['refused StaleGeneration']);
    expect(await ask('system.get', {})).toMatchObject({ status: 'done' });
  });

  it('refuses a write whose generation became old while the BMC was being looked at', async () => {
    const { ask, bmc, setNode } = await enrol();
    bmc.answer('GET /redfish/v1/Systems/1', () => {
      void setNode({ generation: 4 });
      return undefined;
    });
    await expect(ask('power.ensure', { target: 'power on' })).rejects.toMatchObject({ name: 'StaleGeneration' });
    expect(bmc.story().filter((line) => line.startsWith('POST'))).toEqual([]);
    expect(bmc.sessions.size).toBe(0);
  });
});

describe('secrets', () => {
  const path = '/redfish/v1/Systems/1';
  const echo = ({ headers, path, text }: Seen): Scripted => ({
    status: 400,
    body: {
      faultstring: path,
      error: { '@Message.ExtendedInfo': [{ MessageId: 'X.1.0.Echo', Message: `${JSON.stringify(headers)} ${text}` }] },
    },
  });
  const signed = 'https://127.0.0.1/boot.iso?X-Amz-Signature=MARKER-signature';

  it('are in no error, log line, reply or stored item, whatever the BMC repeats', async () => {
    const { ask, bmc, log, table, token } = await enrol({ driver_info: { redfish_auth_type: 'basic' } });
    const said: unknown[] = [];
    const hear = async (reply: Promise<unknown>) =>
      said.push(await reply.catch((error: Fault) => [error.name, error.message]));
    bmc.answer(`GET ${path}`, echo);
    await hear(ask('system.get', {}));
    for (const action of ['VirtualMedia/1/Actions/VirtualMedia.InsertMedia', 'Actions/ComputerSystem.Reset']) {
      bmc.answer(`POST ${path}/${action}`, echo, echo, echo, echo);
    }
    await hear(ask('vmedia.insert', { slot: 'cd', image: signed }));
    await hear(ask('power.ensure', { target: 'power on' }));
    bmc.handlers.push((seen) => (seen.path.startsWith('/agent/') ? echo(seen) : undefined));
    await hear(ask('agent.steps', { kind: 'clean' }));
    bmc.answer('GET /redfish/v1/', () => ({
      status: 200,
      body: { Vendor: bmc.password, Systems: { '@odata.id': '/redfish/v1/Systems' } },
    }));
    await hear(ask('bmc.probe', {}));
    expect(JSON.stringify(said)).toContain('Echo');
    expect(said.length).toBe(5);
    const basic = Buffer.from(`${bmc.username}:${bmc.password}`).toString('base64');
    for (const secret of [bmc.password, basic, token, 'MARKER-signature']) {
      expect(JSON.stringify([said, log.lines, table.items()])).not.toContain(secret);
    }
  });

  it('of any spelling stay inside, in whatever form and with whatever status the BMC repeats them', async () => {
    const forms: ((password: string) => string)[] = [
      (password) => password,
      encodeURIComponent,
      (password) => JSON.stringify({ Password: password }),
      (password) => Buffer.from(`admin:${password}`).toString('base64'),
      (password) => Buffer.from(password).toString('base64'),
    ];
    const cases = fc.record({
      password: fc.string({ minLength: 5, maxLength: 40 }).map((rest) => `pw~${rest}`),
      form: fc.constantFrom(...forms),
      status: fc.constantFrom(400, 401, 403, 404, 409, 412, 500, 503),
      auth: fc.constantFrom('auto', 'basic', 'session'),
      padding: fc.constantFrom(0, 290),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ password, form, status, auth, padding }) => {
        const { ask, bmc, log, table } = await enrol({
          password,
          driver_info: { redfish_auth_type: auth },
        });
        // Long enough for the words to be cut off within the secret.
        const Message = `said: ${'x'.repeat(padding)}${form(password)}`;
        bmc.handlers.push(() => ({ status, body: { error: { '@Message.ExtendedInfo': [{ Message }] } } }));
        const error = await ask('power.ensure', { target: 'power on' }).catch((caught: Error) => caught);
        const stored = table.items().filter(({ sk }) => sk !== 'secret');
        const shown = [
          (error as Error).message,
          ...log.lines.map((line) => JSON.stringify(line)),
          JSON.stringify(stored),
        ].join();
        expect(shown).toContain('said: ');
        const [plain, encoded, , pair, base64] = forms.map((write) => write(password));
        for (const secret of [plain, encoded, base64]) expect(shown).not.toContain(secret!.slice(0, 7));
        // Its first 8 characters are those of admin: in base64.
        expect(shown).not.toContain(pair!.slice(0, 12));
      }),
      { numRuns: 30 },
    );
  });

  it.each(['done', 'password'])('that are words of ours, such as "%s", do not spoil what we say', async (password) => {
    const { ask, bmc } = await enrol({ password });
    expect(await ask('system.get', {})).toMatchObject({ status: 'done' });
    bmc.handlers.push(() => ({ status: 401 }));
    await expect(ask('system.get', {})).rejects.toThrow('Check redfish_username and redfish_password');
  });

  it('of an image server are in no line of the log and no reply when the BMC repeats the URL', async () => {
    const { ask, bmc, log } = await enrol();
    const image = 'http://isouser:ISOPASS@127.0.0.1:18600/ipa.iso';
    bmc.answer(`POST ${path}/VirtualMedia/1/Actions/VirtualMedia.InsertMedia`, {
      status: 400,
      body: { error: { '@Message.ExtendedInfo': [{ MessageId: 'X.1.0.No', Message: `cannot open ${image}?x=y` }] } },
    });
    const error = await ask('vmedia.insert', { slot: 'cd', image }).catch((caught: Error) => caught);
    expect((error as Error).message).toContain('cannot open http://******@127.0.0.1:18600/ipa.iso');
    expect(JSON.stringify(log.lines)).not.toMatch(/isouser|ISOPASS/);
  });

  it('are not sent to a server with another certificate', async () => {
    const { ask, bmc } = await enrol({ driver_info: { redfish_verify_ca: true } });
    await expect(ask('bmc.probe', {})).rejects.toMatchObject({ name: 'BmcTlsMismatch' });
    expect(bmc.requests).toEqual([]);
  });
});

describe('every invocation', () => {
  it('gives its session back, also when it fails', async () => {
    const { ask, bmc } = await enrol();
    await ask('system.get', {});
    bmc.answer('GET /redfish/v1/Systems/1', { status: 400 });
    await expect(ask('system.get', {})).rejects.toMatchObject({ name: 'BmcRejected' });
    bmc.answer('GET /redfish/v1/Systems/1', 'cut', 'cut', 'cut');
    await expect(ask('system.get', {})).rejects.toMatchObject({ name: 'BmcProtocol' });
    expect(bmc.requests.filter(({ method }) => method === 'DELETE').length).toBe(3);
    expect(bmc.sessions.size).toBe(0);
  });

  it('tries bad credentials once', async () => {
    const { ask, bmc } = await enrol();
    bmc.password = 'changed';
    await expect(ask('power.ensure', { target: 'power on' })).rejects.toMatchObject({ name: 'BmcAuthFailed' });
    expect(bmc.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /redfish/v1/',
      'POST /redfish/v1/SessionService/Sessions',
    ]);
  });

  it('leaves a whole chain of ledger rows', async () => {
    const { ask, table } = await enrol();
    await ask('power.ensure', { target: 'power on' });
    await ask('boot.ensure', { device: 'cdrom', persistence: 'once' });
    await ask('vmedia.insert', { slot: 'cd', image: 'https://127.0.0.1/boot.iso' });
    await ask('vmedia.eject', { slot: 'all' });
    const rows = await readLedger(table, uuid);
    expect(rows.map(({ op, state }) => `${op} ${state}`)).toEqual([
      'power.ensure sent',
      'power.ensure done',
      'boot.ensure sent',
      'boot.ensure done',
      'vmedia.insert sent',
      'vmedia.insert done',
      'vmedia.eject sent',
      'vmedia.eject done',
    ]);
    expect(await verifyLedger(table, uuid, Date.now())).toEqual({ rows });
  });
});
