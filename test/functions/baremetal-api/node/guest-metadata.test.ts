import { beforeEach, describe, expect, it } from 'vitest';

import { toInstanceInfo } from '../../../../layers/guest/instance-info.ts';
import { staleBy } from '../../../../layers/domain/baremetal/guest.ts';
import { Unavailable } from '../../../../layers/domain/fault.ts';
import { release } from '../../../../layers/domain/release.ts';
import { guestDocumentKey } from '../../../../layers/store/guest-documents.ts';
import type { StoredNode } from '../../../../layers/store/nodes.ts';
import { golden, instance, metadataOfCase } from '../../../layers/guest/golden.ts';
import { createFrontWithNodes, type Front } from './stored.ts';

const deployment = { host: 'ingot', local_gb: 100, ephemeral_format: null };
const instance_info = toInstanceInfo(metadataOfCase('many_ips_seed'), deployment);
const ofThis = (text: string) => text.replace('version="18.1.1"', `version="${release}"`);
const [first, second] = metadataOfCase('many_ips_seed').ports.map(({ uuid }) => uuid!) as [string, string];

let front: Front;
beforeEach(() => {
  front = createFrontWithNodes();
});

const active = async (more: Partial<StoredNode> = {}): Promise<string> => {
  const values = {
    provision_state: 'active',
    instance_uuid: instance,
    instance_info,
    network_interface: 'flat',
  } as const;
  return (await front.store({ ...values, ...more })).uuid;
};
const documentOf = async (uuid: string) => {
  const bytes = await front.platform.objects.get(guestDocumentKey(uuid));
  return bytes && Buffer.from(bytes).toString();
};
const staleIn = async (uuid: string) => staleBy(await front.read(uuid));
const card = async (uuid: string, address: string, more: object = {}) =>
  (await front.request('POST /v1/ports', { body: { node_uuid: uuid, address, ...more } })).body.uuid as string;
const attach = async (uuid: string, id: string) => front.request(`POST /v1/nodes/${uuid}/vifs`, { body: { id } });
const detach = async (uuid: string, id: string) => front.request(`DELETE /v1/nodes/${uuid}/vifs/${id}`);
const patch = async (uuid: string, path: string, value: unknown) =>
  front.request(`PATCH /v1/nodes/${uuid}`, { body: [{ op: 'add', path, value }] });

const withVifs = async (): Promise<string> => {
  const uuid = await active();
  await card(uuid, '52:54:00:00:00:01');
  await card(uuid, '52:54:00:00:00:02');
  await attach(uuid, first);
  await attach(uuid, second);
  return uuid;
};

describe('GET guest-metadata', () => {
  it('is the guest document in schema 1.0, or 1.1, as XML', async () => {
    const uuid = await withVifs();
    const answer = await front.request(`GET /v1/nodes/${uuid}/guest-metadata`);
    expect(answer).toMatchObject({ status: 200, body: ofThis(golden('many_ips_seed', '1.0')) });
    expect(answer.headers['Content-Type']).toBe('application/xml');
    const newer = await front.request(`GET /v1/nodes/${uuid}/guest-metadata?schema=1.1`);
    expect(newer.body).toContain('nova/1.1"');
    expect(newer.body).toContain('<nova:flavor name="sample-flavor" id="b1946ac9-2492-4347-a6d8-c705dad5b5eb">');
  });

  it('knows two schemas, and takes clients that take XML', async () => {
    const at = `GET /v1/nodes/${await active()}/guest-metadata`;
    expect((await front.request(`${at}?schema=2.0`)).error).toBe('schema "2.0" is none of 1.0, 1.1.');
    expect((await front.request(at, { headers: { Accept: 'application/xml' } })).status).toBe(200);
    expect((await front.request(at, { headers: { Accept: '*/*' } })).status).toBe(200);
    expect((await front.request(at, { headers: { Accept: 'application/json' } })).status).toBe(406);
    expect((await front.request('GET /v1/nodes', { headers: { Accept: 'application/xml' } })).status).toBe(406);
    expect((await front.request('GET /v1/nowhere', { headers: { Accept: 'application/xml' } })).status).toBe(406);
  });

  it('is not there for a machine that nobody has', async () => {
    const { uuid } = await front.store();
    expect(await front.request(`GET /v1/nodes/${uuid}/guest-metadata`)).toMatchObject({
      status: 404,
      error: `Node ${uuid} has no guest: it is available.`,
    });
  });

  it('is concealed from the owner and the lessee, as if there were no such node', async () => {
    const uuid = await active({ owner: 'p', lessee: 'q' });
    for (const project of ['p', 'q', 'r']) {
      const subject = { user: 'u', project, roles: 'admin', scope: 'project' };
      expect(await front.request(`GET /v1/nodes/${uuid}/guest-metadata`, { subject })).toMatchObject({
        status: 404,
        error: `Node ${uuid} could not be found.`,
      });
    }
  });
});

describe('the stored guest document', () => {
  it('follows a VIF that is attached, within the call', async () => {
    const uuid = await withVifs();
    expect(await documentOf(uuid)).toBe(ofThis(golden('many_ips_seed', '1.0')));
    expect(await staleIn(uuid)).toBeUndefined();
  });

  it('leaves out a port that is detached, though instance_info lists its addresses still; nothing else changes', async () => {
    const uuid = await withVifs();
    expect((await detach(uuid, first)).status).toBe(204);
    const whole = golden('many_ips_seed', '1.0');
    const begin = whole.indexOf(`    <nova:port uuid="${first}">`);
    const end = whole.indexOf(`    <nova:port uuid="${second}">`);
    expect(await documentOf(uuid)).toBe(ofThis(whole.slice(0, begin) + whole.slice(end)));
    await detach(uuid, second);
    expect(await documentOf(uuid)).toContain('<nova:ports/>');
    expect(JSON.parse((await front.read(uuid)).instance_info['fixed_ips'] as string)).toHaveLength(4);
  });

  it('follows a change of instance_info, and of nothing else', async () => {
    const uuid = await withVifs();
    const before = await documentOf(uuid);
    const writes = async (path: string, value: unknown) => {
      await front.platform.objects.remove(guestDocumentKey(uuid));
      expect((await patch(uuid, path, value)).status).toBe(200);
      return documentOf(uuid);
    };
    expect(await writes('/extra/a', 1)).toBeUndefined();
    expect(await writes('/description', 'x')).toBeUndefined();
    expect(await writes('/instance_info/display_name', 'db')).toBe(before!.replace('sample-instance-name', 'db'));
    expect(await writes('/instance_info/fixed_ips', '[]')).toContain(`<nova:port uuid="${first}">\n`);
  });

  it('is answered to be written by the very answer to the PATCH', async () => {
    const uuid = await active();
    const { body } = await patch(uuid, '/instance_info/display_name', 'db');
    expect(body.driver_internal_info).toEqual({});
  });

  it('is not written for a machine that nobody has yet', async () => {
    const { uuid } = await front.store({ network_interface: 'flat' });
    await card(uuid, '52:54:00:00:00:01');
    await patch(uuid, '/instance_info/display_name', 'db');
    expect((await attach(uuid, 'v')).status).toBe(204);
    expect(await documentOf(uuid)).toBeUndefined();
    expect(await staleIn(uuid)).toBeUndefined();
  });

  it('that cannot be written fails no attach, detach or PATCH: it is stale', async () => {
    const uuid = await active();
    await card(uuid, '52:54:00:00:00:01');
    front.platform.objects.put = async () => {
      throw Unavailable('The bucket could not be reached, try again.');
    };
    expect((await attach(uuid, first)).status).toBe(204);
    expect(await staleIn(uuid)).toBeDefined();
    expect((await patch(uuid, '/instance_info/display_name', 'db')).status).toBe(200);
    expect((await detach(uuid, first)).status).toBe(204);
    expect(await staleIn(uuid)).toBe((await front.read(uuid)).revision);
    expect(front.platform.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(3);
  });

  it('is stale if somebody else changes the node while it is written: nobody knows who wrote last', async () => {
    const uuid = await active();
    const { put } = front.platform.objects;
    front.platform.objects.put = async (...object) => {
      front.platform.objects.put = put;
      await front.force(uuid, { instance_info: { display_name: 'of another' } });
      await put(...object);
    };
    expect((await patch(uuid, '/instance_info/display_name', 'db')).status).toBe(200);
    expect(await documentOf(uuid)).toContain('<nova:name>db</nova:name>');
    expect(await staleIn(uuid)).toBeDefined();
  });

  it('goes with the node', async () => {
    const uuid = await active({ maintenance: true });
    await patch(uuid, '/instance_info/display_name', 'db');
    expect(await documentOf(uuid)).toBeDefined();
    expect((await front.request(`DELETE /v1/nodes/${uuid}`)).status).toBe(204);
    expect(await documentOf(uuid)).toBeUndefined();
  });

  it('holds neither configdrive nor URLs of images', async () => {
    const secrets = {
      configdrive: 'object:configdrives/x',
      image_url: 'https://u:pw@x',
      image_source: 'https://u:pw@x',
    };
    const uuid = await active({ instance_info: { ...secrets, display_name: 'db' } });
    const { body } = await front.request(`GET /v1/nodes/${uuid}/guest-metadata?schema=1.1`);
    expect(body).not.toMatch(/configdrive|pw/);
  });
});
