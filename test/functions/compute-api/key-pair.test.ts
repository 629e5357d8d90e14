/** Key pairs (compute-api.md 7), through the front door. */
import { createPublicKey, createPrivateKey } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { ann, bob, createFront, root, tenant } from './front.ts';

const ed25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMVWzIPCvgFhLF8Nk5RgZwQ3w0Fyd3UHV9qA0UXeYBmE ann@desk';
/** `ssh-keygen -l -E md5` says so. */
const fingerprint = '1d:6f:66:40:a6:43:66:1d:39:a7:0b:5e:79:eb:6b:b6';

const at = '/v2.1/os-keypairs';
const named = (name: string, more: object = {}) => ({ keypair: { name, public_key: ed25519, ...more } });

const withKeys = async (...names: string[]) => {
  const front = createFront();
  for (const name of names) await front.request(`POST ${at}`, { body: named(name) });
  return front;
};
const namesIn = (body: { keypairs: { keypair: { name: string } }[] }) =>
  body.keypairs.map(({ keypair }) => keypair.name);

describe('a key pair', () => {
  it('is imported, and told with its fingerprint and its user', async () => {
    const { request } = createFront();
    const { status, body } = await request(`POST ${at}`, { body: named('desk') });
    expect(status).toBe(201);
    expect(body).toEqual({ keypair: { name: 'desk', public_key: ed25519, type: 'ssh', fingerprint, user_id: 'ann' } });
    expect((await request(`GET ${at}/desk`)).body.keypair).toMatchObject({
      name: 'desk',
      fingerprint,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
      id: expect.any(Number),
      deleted: false,
      deleted_at: null,
      updated_at: null,
    });
  });

  it('is in the list of its user, brief, in the order in which they came', async () => {
    const { request } = await withKeys('one', 'two');
    const { body } = await request(`GET ${at}`);
    expect(body).toEqual({
      keypairs: ['one', 'two'].map((name) => ({ keypair: { name, public_key: ed25519, type: 'ssh', fingerprint } })),
    });
  });

  it('has no type at 2.1, where 200 and 202 are answered', async () => {
    const { request } = createFront();
    const made = await request(`POST ${at}`, { version: null, body: named('old') });
    expect(made.status).toBe(200);
    expect(Object.keys(made.body.keypair as object)).toEqual(['name', 'public_key', 'fingerprint', 'user_id']);
    expect((await request(`POST ${at}`, { version: 1, body: named('x', { type: 'ssh' }) })).body).toMatchObject({
      badRequest: { message: 'Unexpected arguments: keypair.type.' },
    });
    expect(await request(`DELETE ${at}/old`, { version: 1 })).toMatchObject({ status: 202, text: '' });
  });

  it('is gone when it was deleted, and its name is free', async () => {
    const { request } = await withKeys('desk');
    expect(await request(`DELETE ${at}/desk`)).toMatchObject({ status: 204, text: '' });
    for (const line of [`GET ${at}/desk`, `DELETE ${at}/desk`]) {
      expect((await request(line)).body).toEqual({
        itemNotFound: { code: 404, message: 'Keypair desk not found for user ann' },
      });
    }
    expect((await request(`POST ${at}`, { body: named('desk') })).status).toBe(201);
  });

  it('has a name that no other of its user has; another user may have it too', async () => {
    const { request } = await withKeys('desk');
    expect(await request(`POST ${at}`, { body: named('desk') })).toMatchObject({
      status: 409,
      body: { conflictingRequest: { code: 409, message: "Key pair 'desk' already exists." } },
    });
    expect((await request(`POST ${at}`, { body: named('desk'), subject: bob })).status).toBe(201);
  });

  it.each([
    ['a name with a slash', named('a/b'), 'keypair.name'],
    ['a blank name', named('  '), 'keypair.name'],
    ['no name', { keypair: { public_key: ed25519 } }, 'Missing mandatory parameter: keypair.name.'],
    ['a key that is cut', named('k', { public_key: ed25519.slice(0, 60) }), 'Keypair data is invalid'],
    ['a key under the name of another type', named('k', { public_key: ed25519.replace('ed25519', 'rsa') }), 'invalid'],
    ['two lines', named('k', { public_key: `${ed25519}\n${ed25519}` }), 'one line'],
    ['a word that is no field', named('k', { colour: 'red' }), 'Unexpected arguments: keypair.colour.'],
    ['a word beside it', { ...named('k'), servers: 1 }, 'Unexpected arguments: servers.'],
    ['no object', { keypair: 'k' }, 'keypair'],
  ])('is refused with %s', async (_what, body, message) => {
    const answer = await createFront().request(`POST ${at}`, { body });
    expect([answer.status, answer.body.badRequest?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('may be called like an address from 2.92 on only', async () => {
    const { request } = createFront();
    expect((await request(`POST ${at}`, { version: 91, body: named('ann@desk') })).status).toBe(400);
    expect((await request(`POST ${at}`, { version: 92, body: named('ann@desk') })).status).toBe(201);
  });
});

describe('a key that is made here', () => {
  it('fits its private half, which is told once and kept nowhere', async () => {
    const { request, platform } = createFront();
    const { body } = await request(`POST ${at}`, { version: 91, body: { keypair: { name: 'new' } } });
    const { public_key: line, private_key: pem } = body.keypair as Record<string, string>;
    const { n, e } = createPublicKey(createPrivateKey(pem!)).export({ format: 'jwk' });
    const blob = Buffer.from(line!.split(' ')[1]!, 'base64');
    expect(blob.includes(Buffer.from(n!, 'base64url'))).toBe(true);
    expect(blob.includes(Buffer.from(e!, 'base64url'))).toBe(true);
    expect((await request(`GET ${at}/new`)).text).not.toContain('PRIVATE');
    expect(JSON.stringify(platform.table.items())).not.toContain('PRIVATE');
    // What was made is as good as what is imported.
    const again = await request(`POST ${at}`, { body: { keypair: { name: 'same', public_key: line } } });
    expect(again.body.keypair.fingerprint).toBe(body.keypair.fingerprint);
  });

  it('is not made any more from 2.92 on', async () => {
    const answer = await createFront().request(`POST ${at}`, { version: 92, body: { keypair: { name: 'new' } } });
    expect(answer.body.badRequest.message).toBe('Missing mandatory parameter: keypair.public_key.');
  });
});

describe('pages', () => {
  it('go on after a name, and say where', async () => {
    const { request } = await withKeys('one', 'two', 'three');
    const first = await request(`GET ${at}?limit=2`);
    expect(namesIn(first.body)).toEqual(['one', 'two']);
    const [{ rel, href }] = first.body.keypairs_links as [{ rel: string; href: string }];
    expect([rel, href]).toEqual(['next', `http://cloud.test/compute${at}?limit=2&marker=two`]);
    const second = await request(`GET ${at}?limit=2&marker=two`);
    expect(namesIn(second.body)).toEqual(['three']);
    expect(second.body.keypairs_links).toBeUndefined();
  });

  it('are not there before 2.35: nobody looks at what is asked for', async () => {
    const { request } = await withKeys('one', 'two');
    expect(namesIn((await request(`GET ${at}?limit=1&marker=none`, { version: 34 })).body)).toEqual(['one', 'two']);
  });

  it.each(['limit=x', 'limit=-1', 'marker=none'])('are refused for %s', async (query) => {
    expect((await createFront().request(`GET ${at}?${query}`)).status).toBe(400);
  });
});

describe('another user', () => {
  it('has key pairs of his own, in whatever project, and sees no others', async () => {
    const { request } = await withKeys('desk');
    expect(namesIn((await request(`GET ${at}`, { subject: tenant('ann', 'blue', 'reader') })).body)).toEqual(['desk']);
    expect(namesIn((await request(`GET ${at}`, { subject: bob })).body)).toEqual([]);
    expect((await request(`GET ${at}/desk`, { subject: bob })).status).toBe(404);
    expect((await request(`DELETE ${at}/desk`, { subject: bob })).status).toBe(404);
    expect((await request(`GET ${at}/desk`)).status).toBe(200);
  });

  it.each([
    ['index', `GET ${at}?user_id=ann`],
    ['show', `GET ${at}/desk?user_id=ann`],
    ['delete', `DELETE ${at}/desk?user_id=ann`],
    ['create', `POST ${at}`],
  ])('may not %s those of a user that he names', async (rule, line) => {
    const { request } = await withKeys('desk');
    const body = rule === 'create' ? named('mine', { user_id: 'ann' }) : undefined;
    const answer = await request(line, { subject: bob, body });
    const message = `Policy doesn't allow os_compute_api:os-keypairs:${rule} to be performed.`;
    expect([answer.status, answer.body]).toEqual([403, { forbidden: { code: 403, message } }]);
  });

  it('is named by administrators: those of the system, and who has role admin in a project', async () => {
    const { request } = await withKeys('desk');
    for (const subject of [root, tenant('carl', 'green', 'admin')]) {
      expect(namesIn((await request(`GET ${at}?user_id=ann`, { subject })).body)).toContain('desk');
      const mine = named(`of-${subject.user}`, { user_id: 'ann' });
      expect((await request(`POST ${at}`, { subject, body: mine })).body.keypair.user_id).toBe('ann');
      expect(namesIn((await request(`GET ${at}`, { subject })).body)).toEqual([]);
    }
    expect(namesIn((await request(`GET ${at}`)).body)).toEqual(['desk', 'of-root', 'of-carl']);
  });

  it('cannot be named before 2.10', async () => {
    const { request } = await withKeys('desk');
    expect(namesIn((await request(`GET ${at}?user_id=ann`, { subject: root, version: 9 })).body)).toEqual([]);
    const body = named('x', { user_id: 'ann' });
    expect((await request(`POST ${at}`, { subject: root, version: 9, body })).status).toBe(400);
  });

  it('who proves nothing is refused, and so is a token without a project for what it has no role in', async () => {
    const { request } = createFront();
    expect((await request(`GET ${at}`, { subject: null })).status).toBe(401);
    const unscoped = { ...ann, project: '' };
    expect((await request(`GET ${at}`, { subject: unscoped })).status).toBe(403);
  });
});
