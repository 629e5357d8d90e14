import { describe, expect, it } from 'vitest';

import { profileNames } from '../../../simulator/profiles.ts';
import { createLab } from '../lab.ts';

type Json = Record<string, unknown>;

/** Every path that `@odata.id` names, below the service root. */
const links = (value: unknown): string[] =>
  value && typeof value === 'object'
    ? Object.entries(value).flatMap(([name, inner]) => (name === '@odata.id' ? [inner as string] : links(inner)))
    : [];

describe.each(profileNames)('as %s', (profile) => {
  it('leads from the service root to resources that all answer', async () => {
    const { redfish } = createLab(undefined, profile);
    const seen = new Set<string>();
    const walk = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const { status, body, headers } = await redfish('GET', path);
      expect([path, status]).toEqual([path, 200]);
      expect(headers['etag']).toMatch(/^(W\/)?".+"$/);
      expect((body as Json)['@odata.id']).toBe(`/m0001/redfish/v1${path}`);
      for (const link of links(body)) {
        expect(link.startsWith('/m0001/redfish/v1')).toBe(true);
        await walk(link.slice('/m0001/redfish/v1'.length));
      }
    };
    await walk('');
    expect([...seen].some((path) => path.includes('VirtualMedia/'))).toBe(true);
  });
});

it('shows the machine it is the BMC of', async () => {
  const { machine, redfish } = createLab();
  const { body } = await redfish('GET', '/Systems/1');
  expect(body).toMatchObject({ UUID: machine.uuid, SerialNumber: 'SIM0001', PowerState: 'Off' });
  expect((await redfish('GET', '/Systems/1/EthernetInterfaces/NIC1')).body.MACAddress).toBe(machine.mac);
});

it('opens the root documents to everybody and nothing else', async () => {
  const { redfish } = createLab();
  expect((await redfish('GET', '', undefined, {})).status).toBe(200);
  expect((await redfish('GET', '/$metadata', undefined, {})).status).toBe(200);
  for (const path of ['/Systems', '/Systems/1', '/nowhere']) {
    expect((await redfish('GET', path, undefined, {})).status).toBe(401);
  }
});

it('says what is wrong in ExtendedInfo', async () => {
  const { redfish } = createLab();
  const { status, body } = await redfish('GET', '/Systems/2');
  expect(status).toBe(404);
  expect(body.error['@Message.ExtendedInfo'][0].MessageId).toBe('Base.1.16.ResourceMissingAtURI');
  expect((await redfish('DELETE', '/Systems/1')).status).toBe(405);
  expect((await redfish('POST', '/Systems/1/Actions/ComputerSystem.Reset', '{')).body.error.code).toContain(
    'Malformed',
  );
});

it('takes a reset type from its list only', async () => {
  const { reset, machine } = createLab();
  expect((await reset('Explode')).status).toBe(400);
  expect((await reset('Nmi')).status).toBe(204);
  expect(machine.resets.map(({ type, status }) => `${type} ${status}`)).toEqual(['Explode 400', 'Nmi 204']);
});

describe('PATCH of the system', () => {
  const boot = (settings: Json) => ({ Boot: settings });

  it('sets what was given and leaves the rest', async () => {
    const { redfish } = createLab();
    await redfish('PATCH', '/Systems/1', boot({ BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' }));
    expect((await redfish('PATCH', '/Systems/1', boot({ BootSourceOverrideTarget: 'Hdd' }))).status).toBe(204);
    expect((await redfish('GET', '/Systems/1')).body.Boot).toMatchObject({
      BootSourceOverrideTarget: 'Hdd',
      BootSourceOverrideEnabled: 'Once',
      BootSourceOverrideMode: 'UEFI',
    });
  });

  it('refuses values and properties it does not know, and then changes nothing', async () => {
    const { redfish, machine } = createLab();
    const before = structuredClone(machine.boot);
    for (const body of [
      boot({ BootSourceOverrideTarget: 'Hdd', BootSourceOverrideEnabled: 'Twice' }),
      boot({ BootSourceOverrideTarget: 'Floppy' }),
      boot({ Colour: 'red' }),
      { AssetTag: 'x' },
      {},
    ]) {
      expect((await redfish('PATCH', '/Systems/1', body)).status).toBe(400);
    }
    expect(machine.boot).toEqual(before);
  });

  it('holds to If-Match', async () => {
    const { redfish, authorization } = createLab();
    const { headers } = await redfish('GET', '/Systems/1');
    const patch = async (etag: string) =>
      redfish('PATCH', '/Systems/1', boot({ BootSourceOverrideTarget: 'Hdd' }), { authorization, 'if-match': etag });
    expect((await patch('"stale"')).status).toBe(412);
    expect((await patch(headers['etag']!)).status).toBe(204);
    expect((await patch(headers['etag']!)).status).toBe(412);
    expect((await patch('*')).status).toBe(204);
  });

  it('differs from maker to maker', async () => {
    const target = boot({ BootSourceOverrideTarget: 'Hdd' });
    expect((await createLab(undefined, 'lenovo').redfish('PATCH', '/Systems/1', target)).status).toBe(428);
    expect((await createLab(undefined, 'supermicro').redfish('PATCH', '/Systems/1', target)).status).toBe(400);
    const hpe = createLab(undefined, 'hpe');
    await hpe.reset('On');
    await hpe.advance(5);
    expect((await hpe.redfish('PATCH', '/Systems/1', target)).body.error.code).toContain('DuringSystemPOST');
  });
});

it('is away while the BMC restarts, and the machine does not notice', async () => {
  const { redfish, reset, machine, advance } = createLab();
  await reset('On');
  await advance(5);
  expect((await redfish('POST', '/Managers/1/Actions/Manager.Reset', { ResetType: 'ForceRestart' })).status).toBe(204);
  expect((await redfish('GET', '/Systems/1')).status).toBe(503);
  await advance(60);
  expect((await redfish('GET', '/Systems/1')).status).toBe(200);
  expect(machine.boot_count).toBe(1);
});
