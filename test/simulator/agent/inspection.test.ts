import { expect, it } from 'vitest';

import { createApi, createLab, iso } from '../lab.ts';

const inspecting = (url: string) => iso(`INGOT-AGENT {"api_url": "http://api.test", "inspection_url": "${url}"}`);

/** A machine that has booted a ramdisk which was told to send its inventory. */
const boot = async (answer: (count: number) => Response) => {
  const api = createApi();
  api.answers['/deploy.iso'] = () => new Response(inspecting('http://api.test/v1/continue_inspection'));
  api.answers['/v1/continue_inspection'] = answer;
  const lab = createLab(api.network);
  await lab.insert('http://images.test/deploy.iso');
  await lab.reset('On');
  await lab.advance(200);
  return { ...lab, api };
};

it('sends its inventory before it looks itself up, without naming a version', async () => {
  const { api, machine } = await boot(() => Response.json({ uuid: 'node-1' }));
  const paths = api.calls.map(({ path }) => path);
  expect(paths.indexOf('/v1/continue_inspection')).toBeLessThan(paths.indexOf('/v1/lookup'));
  const [sent] = api.to('/v1/continue_inspection');
  expect(sent!.version).toBeNull();
  expect(sent!.body).toMatchObject({
    error: null,
    inventory: {
      interfaces: [{ mac_address: machine.mac }],
      disks: [{ size: 480 * 10 ** 9, serial: 'SIM0001D1' }],
      memory: { physical_mb: 65_536 },
      cpu: { count: 32, architecture: 'x86_64' },
      system_vendor: { serial_number: 'SIM0001' },
      boot: { current_boot_mode: 'uefi', pxe_interface: machine.mac },
    },
  });
  expect(machine.agent!.state).toBe('serving');
});

it('goes on to its lookup when nobody wants the inventory', async () => {
  const { api, machine } = await boot(() => new Response('', { status: 404 }));
  expect(api.to('/v1/continue_inspection')).toHaveLength(1);
  expect(machine.agent!.state).toBe('serving');
});

it('tries again while the node is locked or the API is down, five times at most', async () => {
  const later = await boot((count) => (count < 3 ? new Response('', { status: 409 }) : Response.json({ uuid: 'n' })));
  expect(later.api.to('/v1/continue_inspection')).toHaveLength(3);
  const never = await boot(() => new Response('', { status: 503 }));
  expect(never.api.to('/v1/continue_inspection')).toHaveLength(5);
  expect(never.machine.agent!.state).toBe('serving');
});
