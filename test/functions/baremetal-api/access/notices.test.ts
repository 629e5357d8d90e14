/** What lessees read in place of what only the owner may know (ironic-rbac.md 5). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { openTable } from '../../../../local/table/table.ts';
import { createWriter } from '../../../../local/table/writer.ts';
import { createMemoryPlatform } from '../../../../layers/platform/memory/platform.ts';
import { createFront } from '../front.ts';
import { persona, type Persona } from './personas.ts';

const notices = {
  last_error: '** Value Redacted - Requires baremetal:node:get:last_error permission. **',
  reservation: '** Redacted - requires baremetal:node:get:reservation permission. **',
  driver_internal_info: {
    content: '** Redacted - Requires baremetal:node:get:driver_internal_info permission. **',
  },
  driver_info: { content: '** Redacted - requires baremetal:node:get:driver_info permission. **' },
};
const truth = { last_error: 'broken', driver_info: { redfish_address: 'https://10.0.0.1' }, reservation: null };

const folder = mkdtempSync(join(tmpdir(), 'ingot-notices-'));
let front: ReturnType<typeof createFront>;
let close: () => Promise<void>;

/** On the table of one machine, whose items lists keep the texts of. */
beforeEach(async () => {
  const platform = createMemoryPlatform();
  const path = join(folder, `${platform.ids.ulid()}-${performance.now()}.db`);
  const writer = createWriter(path, platform.clock);
  const local = openTable({ path, writer, clock: platform.clock });
  front = createFront({}, { ...platform, table: { ...platform.table, ...local } });
  close = async () => {
    local.close();
    await writer.close();
  };
  const { driver_info } = truth;
  const values = { driver: 'redfish', driver_info };
  const shared = await front.enrol({ name: 'shared', owner: 'owner', lessee: 'lessee', ...values });
  const mine = await front.enrol({ name: 'mine', owner: 'lessee', ...values });
  for (const { uuid } of [shared, mine]) await front.force(uuid, { last_error: 'broken' });
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

const show = async (line: string, subject: Persona) => (await front.request(`GET /v1/${line}`, { subject })).body;
const owners = ['owner admin', 'owner reader', 'owner service'].map(persona);
const system = ['system admin', 'system reader', 'system service'].map(persona);
const lessees = ['lessee admin', 'lessee member', 'lessee reader'].map(persona);

it('are shown with a node to lessees, and the truth to owners and the system', async () => {
  for (const subject of [...owners, ...system]) expect(await show('nodes/shared', subject)).toMatchObject(truth);
  for (const subject of lessees) expect(await show('nodes/shared', subject)).toMatchObject(notices);
  expect(await show('nodes/mine', persona('lessee reader'))).toMatchObject(truth);
});

it('stand also in place of null, and never where the field was not asked for', async () => {
  expect((await show('nodes/shared?fields=reservation', lessees[0]!)).reservation).toBe(notices.reservation);
  expect(Object.keys(await show('nodes/shared?fields=name', lessees[0]!))).toEqual(['name', 'links']);
  expect(Object.keys((await show('nodes', lessees[0]!)).nodes[0])).not.toContain('last_error');
});

it('stand in the states and in the answer to a patch', async () => {
  expect((await show('nodes/shared/states', lessees[0]!)).last_error).toBe(notices.last_error);
  expect((await show('nodes/shared/states', owners[1]!)).last_error).toBe('broken');
  const body = [{ op: 'add', path: '/extra/a', value: 1 }];
  const answer = await front.request('PATCH /v1/nodes/shared', { body, subject: lessees[0]! });
  expect(answer.body).toMatchObject({ ...notices, extra: { a: 1 } });
});

it.each(['last_error', 'reservation'])('keep the order of a list from telling of %s', async (field) => {
  const name = async (subject: Persona, query: string) =>
    ((await show(`nodes?sort_key=${field}${query}`, subject)).nodes as { name: string }[]).map((node) => node.name);
  const { uuid: shared } = (await show('nodes/shared', owners[0]!)) as { uuid: string };
  for (const [value, truly] of [
    ['a', ['shared', 'mine']],
    ['z', ['mine', 'shared']],
  ] as const) {
    await front.force(shared, { [field]: value });
    await front.force((await show('nodes/mine', system[0]!)).uuid, { [field]: 'm' });
    for (const subject of lessees) {
      expect(await name(subject, '')).toEqual(['shared', 'mine']);
      expect(await name(subject, '&sort_dir=desc')).toEqual(['mine', 'shared']);
      expect(await name(subject, `&marker=${shared}`)).toEqual(['mine']);
    }
    for (const subject of system) expect(await name(subject, '')).toEqual(truly);
  }
});

it('are in lists for each caller as in the node itself, whoever asked before', async () => {
  const callers = [...system, ...lessees, ...owners];
  for (const round of [callers, callers.toReversed(), callers]) {
    for (const subject of round) {
      for (const line of ['nodes/detail', 'nodes?fields=last_error,driver_info,name']) {
        const nodes = (await show(line, subject)).nodes as ({ name: string } & Record<string, unknown>)[];
        for (const node of nodes) {
          const hidden = subject.project === 'lessee' && node.name === 'shared';
          expect(node['last_error']).toEqual(hidden ? notices.last_error : 'broken');
          expect(node['driver_info']).toEqual(hidden ? notices.driver_info : truth.driver_info);
        }
        expect(nodes.map(({ name }) => name)).toEqual(
          { owner: ['shared'], lessee: ['shared', 'mine'] }[subject.project] ?? ['shared', 'mine'],
        );
      }
    }
  }
});
