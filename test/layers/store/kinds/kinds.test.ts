/** Every kind of record, by its row. */
import { describe, expect, it } from 'vitest';

import { countedUuid } from '../../../../layers/platform/memory/ids.ts';
import { createMemoryPlatform } from '../../../../layers/platform/memory/platform.ts';
import { newRecord, placeOf, toItem, toRecord } from '../../../../layers/store/kinds/form.ts';
import { companions } from '../../../../layers/store/kinds/companions.ts';
import type { AnyKind, Kept } from '../../../../layers/store/kinds/kind.ts';
import { kindAt, kinds } from '../../../../layers/store/kinds/kinds.ts';
import { tenantKinds } from '../../../../layers/store/kinds/tenants.ts';

const ofMachines: readonly (readonly [string, AnyKind])[] = Object.entries(kinds);
const rows: readonly (readonly [string, AnyKind])[] = [...ofMachines, ...Object.entries(tenantKinds)];
const [one, home] = [countedUuid(1), countedUuid(2)];

describe.each(rows)('the kind %s', (name, kind) => {
  it('is called by its name in keys', () => {
    expect(kind.name).toBe(name);
    const { pk, sk } = placeOf(kind, { uuid: one, node_uuid: home } as unknown as Kept);
    expect([pk, sk]).toEqual(kind.home ? [`node#${home}`, `${name}#${one}`] : [`${name}#${one}`, name]);
  });

  it('has a sentence for each value that can be taken', () => {
    const uniques = Object.values(kind.fields).flatMap(({ unique }) => (unique ? [unique] : []));
    expect(Object.keys(kind.taken).toSorted()).toEqual([...uniques, ...(kind.home ? [] : ['uuid'])].toSorted());
    for (const sentence of Object.values(kind.taken)) expect(sentence.split(/\*|\{own\}/)).toHaveLength(2);
  });

  it('is found by its key, in whichever table', () => {
    expect(kindAt(placeOf(kind, { uuid: one, node_uuid: home } as unknown as Kept))).toBe(kind);
  });

  it('finds records of a home by the guard of their UUID', () => {
    expect(kind.fields['uuid']?.unique).toBe(kind.home ? name : undefined);
  });

  it('has an upgrade to each version of its schema but the first', () => {
    expect(kind.upgrades).toHaveLength(kind.schema - 1);
  });

  it('gives back the record of its items', () => {
    const record = newRecord(createMemoryPlatform(), kind, { node_uuid: home }) as Kept;
    const apart = (kind.apart ?? []) as string[];
    const parts = apart.map((field) => ({ pk: '', sk: '', values: (record as never)[field] as unknown }));
    expect(toRecord(kind, toItem(kind, record), parts)).toEqual(record);
  });
});

describe('names', () => {
  it('tell all that stands with a node apart, and a key of tenants from one of machines', () => {
    const names = [
      ...Object.values(companions).map(({ name }) => name),
      ...rows.map(([name]) => name),
      ...rows.flatMap(([, { apart = [] }]) => apart),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});
