/** A machine gets an image that a tenant uploaded: from the Image API to what is on the disk. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Machine, type Site, startSite } from './site.ts';

let site: Site;

beforeAll(async () => {
  site = await startSite({ machines: 3, profiles: 'plain', env: {} });
});

afterAll(async () => site?.stop());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const asked = async (status: number, method: string, path: string, body?: object) => {
  const reply = await site.call(method, `/image${path}`, body);
  expect([reply.status, JSON.stringify(reply.body)]).toEqual([status, expect.any(String)]);
  return reply.body;
};

/** An image whose data went to a link, as that of large files does. */
const uploaded = async (bytes: Buffer): Promise<string> => {
  const formats = { name: 'disk', disk_format: 'raw', container_format: 'bare' };
  const { id } = (await asked(201, 'POST', '/v2/images', formats)) as { id: string };
  const link = (await asked(200, 'POST', `/v2/images/${id}/upload`, { os_hash_value: sha256(bytes) })) as {
    upload_url: string;
    headers: Record<string, string>;
  };
  const sent = await fetch(link.upload_url, { method: 'PUT', headers: link.headers, body: new Uint8Array(bytes) });
  expect(sent.status).toBe(200);
  await asked(202, 'POST', `/v2/images/${id}/import`, { method: { name: 'glance-direct' } });
  return id;
};

/** The stored data of an image. */
const fileOf = (id: string): string => {
  const folder = join(site.folder, 'objects');
  return join(
    folder,
    readdirSync(folder).find((name) => name.startsWith(`images%2F${id}%2F`))!,
  );
};

/** A node that is available, and is to get this image. */
const available = async (at: number, image_source: string): Promise<Machine> => {
  const machine = site.machines[at]!;
  await site.enrol(machine, {}, { automated_clean: false, instance_info: { image_source } });
  await site.provision(machine, 'manage');
  await site.reaches(machine, 'manageable');
  await site.provision(machine, 'provide');
  await site.reaches(machine, 'available');
  return machine;
};

describe.concurrent('a machine that is deployed from an image of the Image API', () => {
  it('has what was uploaded on its disk, by a link that is nowhere any more; a rebuild brings another image', async () => {
    const [bytes, others] = [randomBytes(1_500_000), randomBytes(10_000)];
    const image = await uploaded(bytes);
    const machine = await available(0, image);
    const { body } = await site.call('GET', `/v1/nodes/${machine.name}/validate`);
    expect(body['deploy']).toEqual({ result: true });
    await site.provision(machine, 'active');
    expect((await site.reaches(machine, 'active')).instance_info).toEqual({ image_source: image });
    expect((await site.evidence(machine)).disk.image).toMatchObject({ sha256: sha256(bytes) });

    const files = readdirSync(site.folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(texts.some((text) => text.includes(image))).toBe(true);
    expect(texts.filter((text) => text.includes(`/objects/images/${image}`))).toEqual([]);

    const other = await uploaded(others);
    await site.patch(machine, { '/instance_info/image_source': other });
    await site.provision(machine, 'rebuild');
    await site.reaches(machine, 'active');
    expect((await site.evidence(machine)).disk.image).toMatchObject({ sha256: sha256(others) });
  });

  it('gets nothing that was changed behind the back of the Image API', async () => {
    const image = await uploaded(randomBytes(10_000));
    const machine = await available(1, image);
    writeFileSync(fileOf(image), randomBytes(10_000));
    await site.provision(machine, 'active');
    const { last_error: error } = await site.reaches(machine, 'deploy failed');
    expect(error).toMatch(/^Deploy failed in WriteImage: .*Error verifying image checksum: sha256 is not what it/);
    expect((await site.evidence(machine)).disk.image).toBeNull();
  });

  it('is not even started for an image that is gone, which GET validate says before', async () => {
    const image = await uploaded(randomBytes(100));
    const machine = await available(2, image);
    await asked(204, 'DELETE', `/v2/images/${image}`);
    const gone = `Image ${image} could not be found.`;
    const { body } = await site.call('GET', `/v1/nodes/${machine.name}/validate`);
    expect(body['deploy']).toEqual({ result: false, reason: expect.stringContaining(gone) });
    await site.provision(machine, 'active');
    const { last_error: error } = await site.reaches(machine, 'deploy failed');
    expect(error).toContain(`Deploy failed in Validate: ${gone}`);
    expect((await site.evidence(machine)).boots).toEqual([]);
  });
});
