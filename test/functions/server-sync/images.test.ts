import { describe, expect, it } from 'vitest';

import { create } from '../../../functions/server-sync/app.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { imageObject } from '../../../layers/store/image-objects.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { type StoredImage, tenantKinds } from '../../../layers/store/kinds/tenants.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { readRecord } from '../../../layers/store/records/find.ts';

/** Minutes. */
const day = 24 * 60;

const withImage = async (values: (uuid: string) => Partial<StoredImage>) => {
  const platform = createMemoryPlatform();
  const image = newRecord(platform, tenantKinds.image, {
    name: 'debian',
    status: 'active',
    visibility: 'public',
    owner: 'admin',
    disk_format: 'qcow2',
    container_format: 'bare',
  });
  await createRecord(platform, tenantKinds.image, { ...image, ...values(image.uuid) });
  const store = async (key: string) => {
    await platform.objects.put(key, Buffer.from('data'));
    return key;
  };
  const sync = create(platform);
  /** The schedule calls every five minutes. */
  const pass = async (minutes: number) => {
    for (let at = 0; at < minutes; at += 5) {
      platform.clock.advance(5 * 60 * 1000);
      await sync({});
    }
  };
  return { platform, uuid: image.uuid, store, pass };
};

const nobody = 'ffffffff-2222-4333-8444-555555555555';

describe('server-sync and deletions of images', () => {
  it('does the rest of one that was cut off, and leaves other images alone', async () => {
    const { platform, uuid, store, pass } = await withImage((image) => ({
      status: 'pending_delete',
      source: { object: imageObject(image, '01A') },
    }));
    const other = newRecord(platform, tenantKinds.image, { name: 'other', visibility: 'public', owner: 'admin' });
    await createRecord(platform, tenantKinds.image, other);
    await store(imageObject(uuid, '01A'));
    await pass(5);
    expect(platform.objects.keys()).toEqual([]);
    const read = async (image: string) => readRecord(platform.table, tenantKinds.image, image);
    expect([await read(uuid), (await read(other.uuid))?.name]).toEqual([undefined, 'other']);
  });
});

describe('server-sync and the data of images', () => {
  it('removes within two days what no image refers to: of an image that is gone, and of an upload that is over', async () => {
    const { platform, uuid, store, pass } = await withImage((image) => ({
      source: { object: imageObject(image, '01A') },
    }));
    const named = await store(imageObject(uuid, '01A'));
    await store(imageObject(uuid, '01B'));
    await store(imageObject(nobody, '01C'));
    await pass(2 * day);
    expect(platform.objects.keys()).toEqual([named]);
  });

  it('leaves what is on its way alone, and what is younger than a day', async () => {
    const { platform, uuid, store, pass } = await withImage((image) => ({
      status: 'queued',
      upload: { object: imageObject(image, '01A'), at: 0 },
    }));
    const named = await store(imageObject(uuid, '01A'));
    await pass(2 * day);
    expect(platform.objects.keys()).toEqual([named]);
    const young = await store(imageObject(nobody, '01B'));
    await pass(day - 5);
    expect(platform.objects.keys()).toEqual([named, young].toSorted());
  });
});
