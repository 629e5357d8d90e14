import { readdirSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { renderGuestDocument, type DocumentSchema } from '../../../layers/guest/guest-document.ts';
import { createMetadata } from '../../../layers/guest/metadata.ts';
import { golden, metadataOfCase } from './golden.ts';

const goldens = readdirSync(new URL('../../fixtures/guest-metadata/', import.meta.url)).flatMap((file) => {
  const [, name, schema] = /^(.+)\.v(1\..)\.xml$/.exec(file) ?? [];
  return name === undefined ? [] : [{ name, schema: schema as DocumentSchema }];
});

const none = { uuid: 'i-1', package: '1' };

describe('a guest document', () => {
  it('has goldens', () => {
    expect(goldens).toHaveLength(9);
  });

  it.each(goldens)('is that of $name in schema $schema, byte for byte', ({ name, schema }) => {
    expect(renderGuestDocument(metadataOfCase(name), schema)).toBe(golden(name, schema));
  });

  it('has schema 1.0 unless another is asked for', () => {
    expect(renderGuestDocument(metadataOfCase('one_ip'))).toBe(golden('one_ip', '1.0'));
  });

  it('leaves out what is not known, but never the ports and never a name', () => {
    expect(renderGuestDocument(createMetadata(none, []))).toBe(
      [
        '<nova:instance xmlns:nova="http://openstack.org/xmlns/libvirt/nova/1.0">',
        '  <nova:package version="1"/>',
        '  <nova:name>i-1</nova:name>',
        '  <nova:ports/>',
        '</nova:instance>\n',
      ].join('\n'),
    );
  });

  it('writes 0, and N/A for the name of an owner of whom only the ID is known', () => {
    const meta = createMetadata({ ...none, root_gb: 0, swap_mb: 0, user_id: 'u', project_name: 'nobody' }, []);
    const text = renderGuestDocument(meta);
    expect(text).toContain('<nova:disk>0</nova:disk>\n    <nova:swap>0</nova:swap>');
    expect(text).toContain('<nova:user uuid="u">N/A</nova:user>');
    expect(text).not.toContain('project');
  });

  it('has extra specs in 1.1 also of a flavor of which only the name is known, and no image that is not', () => {
    const text = renderGuestDocument(createMetadata({ ...none, flavor_name: 'bm' }, []), '1.1');
    expect(text).toContain('<nova:flavor name="bm">\n    <nova:extraSpecs/>\n  </nova:flavor>');
    expect(text).not.toContain('nova:image');
  });

  it('names no image for a root on a volume, and only the formats that are known', () => {
    const image = {
      uuid: '',
      container_format: null,
      disk_format: 'raw',
      min_disk: null,
      min_ram: 0,
      properties: {},
    };
    const text = renderGuestDocument(
      createMetadata({ ...none, image, root: { type: 'volume', uuid: 'v' } }, []),
      '1.1',
    );
    expect(text).toContain(
      '  <nova:image uuid="">\n    <nova:diskFormat>raw</nova:diskFormat>\n    <nova:minRam>0</nova:minRam>\n    <nova:properties/>\n',
    );
    expect(text).toContain('<nova:root type="volume" uuid="v"/>');
  });

  it('tells the time in UTC, and none for what is no time', () => {
    const at = (created_at: string) => renderGuestDocument(createMetadata({ ...none, created_at }, []));
    expect(at('2020-10-23T07:36:41+02:00')).toContain('<nova:creationTime>2020-10-23 05:36:41</nova:creationTime>');
    expect(at('2014-09-10T11:19:99Z')).not.toContain('creationTime');
  });

  it('puts floating addresses behind all fixed ones, those of unknown aim last', () => {
    const ip = (address: string) => ({ address, version: 4 as const });
    const ports = [
      {
        uuid: null,
        fixed_ips: [
          {
            ...ip('10.0.0.1'),
            type: 'fixed' as const,
            floating_ips: [{ ...ip('1.1.1.1'), type: 'floating' as const }],
          },
          { ...ip('10.0.0.2'), type: 'fixed' as const, floating_ips: [] },
        ],
        floating_ips: [{ ...ip('2.2.2.2'), type: 'floating' as const }],
      },
    ];
    const text = renderGuestDocument(createMetadata(none, ports));
    expect(text).toContain('<nova:port uuid="">');
    expect([...text.matchAll(/address="([^"]+)"/g)].map(([, address]) => address)).toEqual([
      '10.0.0.1',
      '10.0.0.2',
      '1.1.1.1',
      '2.2.2.2',
    ]);
  });
});
