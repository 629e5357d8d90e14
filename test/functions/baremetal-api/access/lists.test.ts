/** What projects see in lists: what they own or lease, and no sign of the rest (ironic-rbac.md 4). */
import { beforeEach, describe, expect, it } from 'vitest';

import { createFront } from '../front.ts';
import { persona, type Persona } from './personas.ts';

type Front = ReturnType<typeof createFront>;
let front: Front;
let uuids: Record<string, string>;
/** Index partitions that were read. */
let partitions: string[];

const owner = persona('owner reader');
const lessee = persona('lessee reader');
const stranger = persona('other admin');
const nobody = persona('project admin');

const fleet = {
  foreign1: {},
  owned: { owner: 'owner', shard: 's1', resource_class: 'big' },
  both: { owner: 'owner', lessee: 'owner', conductor_group: 'east' },
  foreign2: { owner: 'other', shard: 's1' },
  leased: { owner: 'other', lessee: 'owner', shard: 's2' },
  shared: { owner: 'owner', lessee: 'lessee', resource_class: 'big' },
};

beforeEach(async () => {
  front = createFront();
  uuids = {};
  let count = 0;
  const post = async (collection: string, body: object) => {
    const { status, error } = await front.request(`POST /v1/${collection}`, { body });
    if (status !== 201) throw new Error(error);
  };
  for (const [name, values] of Object.entries(fleet)) {
    const { uuid } = await front.enrol({ name, ...values });
    uuids[name] = uuid;
    count += 1;
    const [port, group] = [`52:54:00:00:00:0${count}`, `52:54:00:00:01:0${count}`];
    await post('portgroups', { node_uuid: uuid, name: `group-${name}`, address: group });
    await post('ports', { node_uuid: uuid, name, address: port });
    await post('volume/connectors', { node_uuid: uuid, type: 'ip', connector_id: name });
    const properties = { iqn: name };
    await post('volume/targets', { node_uuid: uuid, volume_type: 'iscsi', volume_id: name, boot_index: 0, properties });
  }
  partitions = [];
  const { query } = front.platform.table;
  front.platform.table.query = async (asked) => {
    partitions.push(asked.partition);
    return query(asked);
  };
});

const ask = async (line: string, subject: Persona) => {
  const answer = await front.request(`GET /v1/${line}`, { subject });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.error}`);
  return answer.body;
};
const namesOf = async (line: string, subject: Persona): Promise<string[]> =>
  (await ask(line, subject)).nodes.map(({ name }: { name: string }) => name);
const statusOf = async (line: string, subject: Persona) => (await front.request(`GET /v1/${line}`, { subject })).status;

describe('nodes', () => {
  it('are those that the project owns or leases, each once, in the order of creation', async () => {
    for (const path of ['nodes', 'nodes/detail']) {
      expect(await namesOf(path, owner)).toEqual(['owned', 'both', 'leased', 'shared']);
      expect(await namesOf(path, lessee)).toEqual(['shared']);
      expect(await namesOf(path, persona('other service'))).toEqual(['foreign2', 'leased']);
    }
    expect(await namesOf('nodes?sort_dir=desc', owner)).toEqual(['shared', 'leased', 'both', 'owned']);
    expect(await namesOf('nodes?sort_key=name', owner)).toEqual(['both', 'leased', 'owned', 'shared']);
  });

  it('of nobody are shown to nobody but the system', async () => {
    const outsider = { ...stranger, project: 'elsewhere' };
    expect(await namesOf('nodes', outsider)).toEqual([]);
    expect(await statusOf('nodes', nobody)).toBe(403);
    expect(await namesOf('nodes', persona('system reader'))).toHaveLength(6);
  });

  it.each(['', '&sort_dir=desc', '&sort_key=name', '&sort_key=name&sort_dir=desc'])(
    'come page by page with "%s" as they come at once',
    async (order) => {
      const whole = await namesOf(`nodes?limit=1000${order}`, owner);
      const paged: string[] = [];
      let line = `nodes?limit=1${order}`;
      for (let page = 0; page < 5; page += 1) {
        const { nodes, next } = await ask(line, owner);
        paged.push(...nodes.map(({ name }: { name: string }) => name));
        if (!next) break;
        line = (next as string).replace('http://metal.test/v1/', '');
      }
      expect(paged).toEqual(whole);
    },
  );

  it('can not be probed by a marker: an unseen node is an unknown one', async () => {
    const errors = await Promise.all(
      [uuids['foreign1']!, '99999999-9999-4999-8999-999999999999'].flatMap((marker) =>
        ['', '&sort_key=name'].map(async (order) => {
          const { status, error } = await front.request(`GET /v1/nodes?marker=${marker}${order}`, { subject: owner });
          return [status, error.replace(marker, 'it')];
        }),
      ),
    );
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1);
    expect(errors[0]![0]).toBe(404);
  });

  it('are narrowed by filters, never widened', async () => {
    expect(await namesOf('nodes?resource_class=big', owner)).toEqual(['owned', 'shared']);
    expect(await namesOf('nodes?shard=s1,s2', owner)).toEqual(['owned', 'leased']);
    expect(await namesOf('nodes?lessee=lessee', owner)).toEqual(['shared']);
    expect(await namesOf('nodes?owner=owner', owner)).toEqual(['owned', 'both', 'shared']);
    expect(await namesOf('nodes?project=owner', owner)).toEqual(['owned', 'both', 'leased', 'shared']);
    expect(await namesOf('nodes?project=owner', persona('system reader'))).toHaveLength(4);
    await front.force(uuids['foreign1']!, { instance_uuid: '11111111-1111-4111-8111-111111111111' });
    expect(await namesOf('nodes?instance_uuid=11111111-1111-4111-8111-111111111111', owner)).toEqual([]);
  });

  it('of another project may not be asked for', async () => {
    for (const filter of ['owner=other', 'project=other', 'owner=owner&project=other']) {
      expect(await statusOf(`nodes?${filter}`, owner)).toBe(403);
      expect(await statusOf(`nodes?${filter}`, persona('system reader'))).toBe(200);
    }
  });

  it('are read from the places of the project and from no other, whatever the filter', async () => {
    await namesOf('nodes?provision_state=enroll&maintenance=false', owner);
    await namesOf('nodes?sort_key=name', owner);
    expect(partitions.length).toBeGreaterThan(0);
    expect(partitions.filter((name) => !/^index#node#(owner|lessee)#owner#\d+$/.test(name))).toEqual([]);
  });
});

describe('what nodes have', () => {
  const seen: Record<string, string[]> = {
    owned: ['owned', 'both', 'leased', 'shared'],
    leased: ['shared'],
  };
  const collections = [
    ['ports', 'ports', 'node_uuid'],
    ['ports/detail', 'ports', 'node_uuid'],
    ['portgroups', 'portgroups', 'node_uuid'],
    ['volume/connectors', 'connectors', 'node_uuid'],
    ['volume/targets', 'targets', 'node_uuid'],
  ] as const;
  const homes = async (line: string, name: string, subject: Persona) =>
    ((await ask(line, subject))[name] as { node_uuid: string }[]).map(({ node_uuid }) => node_uuid);

  it.each(collections)('is listed at %s for the nodes of the project', async (path, name, field) => {
    const fields = path.endsWith('detail') ? '' : `?fields=${field}`;
    const wanted = (who: string) => seen[who]!.map((node) => uuids[node]);
    expect(await homes(path + fields, name, owner)).toEqual(wanted('owned'));
    expect(await homes(path + fields, name, lessee)).toEqual(wanted('leased'));
    expect(await homes(path + fields, name, persona('system reader'))).toHaveLength(6);
    expect(await statusOf(path, nobody)).toBe(403);
  });

  it.each(collections.slice(1))('at %s is not read of the fleet', async (path) => {
    await ask(path, owner);
    expect(partitions.filter((partition) => /^index#(port|portgroup|volume_\w+)#/.test(partition))).toEqual([]);
  });

  it.each(['ports', 'portgroups', 'volume/targets'])('at %s of an unseen node is not found', async (path) => {
    const answers = await Promise.all(
      [uuids['foreign1']!, '99999999-9999-4999-8999-999999999999', 'no-such'].map(async (ident) => {
        const { status, error } = await front.request(`GET /v1/${path}?node=${ident}`, { subject: owner });
        return [status, error.replace(ident, 'it')];
      }),
    );
    expect(answers).toEqual(Array.from({ length: 3 }, () => [404, 'Node it could not be found.']));
    expect(await statusOf(`${path}?node=${uuids['owned']}`, owner)).toBe(200);
  });

  it('is not found by the address or the group of an unseen node', async () => {
    expect((await ask('ports?address=52:54:00:00:00:01', owner)).ports).toEqual([]);
    expect((await ask('ports?address=52:54:00:00:00:02', owner)).ports).toHaveLength(1);
    expect((await ask('portgroups?address=52:54:00:00:01:01', owner)).portgroups).toEqual([]);
    const hidden = await front.request('GET /v1/ports?portgroup=group-foreign1', { subject: owner });
    expect([hidden.status, hidden.error]).toEqual([404, 'Portgroup group-foreign1 could not be found.']);
    expect(await statusOf('ports?portgroup=group-owned', owner)).toBe(200);
  });

  it('is narrowed by shard and conductor group', async () => {
    expect(await homes('ports?fields=node_uuid&shard=s1', 'ports', owner)).toEqual([uuids['owned']]);
    expect(await homes('ports?fields=node_uuid&conductor_groups=east', 'ports', owner)).toEqual([uuids['both']]);
    expect((await ask('ports?shard=s2&address=52:54:00:00:00:02', owner)).ports).toEqual([]);
  });

  it('comes page by page', async () => {
    const first = await ask('ports?limit=3&fields=uuid,name', owner);
    const second = await ask((first.next as string).replace('http://metal.test/v1/', ''), owner);
    const names = [...first.ports, ...second.ports].map(({ name }: { name: string }) => name);
    expect(names).toEqual(['owned', 'both', 'leased', 'shared']);
  });

  it('has the properties of volume targets for admins of the project only', async () => {
    const shown = async (subject: Persona) => (await ask('volume/targets?detail=true&limit=1', subject)).targets[0];
    expect((await shown(persona('owner admin'))).properties).toEqual({ iqn: 'owned' });
    expect((await shown(persona('lessee admin'))).properties).toEqual({ iqn: 'shared' });
    expect(JSON.stringify(await shown(persona('owner manager')))).toContain('Value redacted');
  });
});

describe('children', () => {
  it('are those that the caller may see', async () => {
    const child = await front.enrol({ parent_node: 'shared', owner: 'owner' });
    const leased = await front.enrol({ parent_node: 'shared', owner: 'owner', lessee: 'lessee' });
    const children = async (subject: Persona) => (await ask('nodes/shared/children', subject)).children;
    expect(await children(owner)).toEqual([child.uuid, leased.uuid]);
    expect(await children(lessee)).toEqual([leased.uuid]);
    expect(await namesOf(`nodes?parent_node=${uuids['shared']}`, lessee)).toHaveLength(1);
    expect(await statusOf('nodes/shared/children', stranger)).toBe(404);
  });
});

describe.each([
  ['allocations', { resource_class: 'big' }],
  ['runbooks', { steps: [{ interface: 'deploy', step: 'erase_devices', args: {}, order: 1 }] }],
])('%s', (collection, values) => {
  const made = async (name: string, project: string) => {
    const { status, body, error } = await front.request(`POST /v1/${collection}`, {
      body: { name, owner: project, ...values },
    });
    if (status !== 201) throw new Error(error);
    return body.uuid as string;
  };

  it('can not be probed by a marker: an unseen one is an unknown one', async () => {
    const foreign = await made('CUSTOM_FOREIGN', 'other');
    const mine = await made('CUSTOM_MINE', 'owner');
    for (const order of ['', '&sort_dir=desc', '&sort_key=name']) {
      const line = (marker: string) => `${collection}?marker=${marker}${order}`;
      expect(await statusOf(line(foreign), owner)).toBe(404);
      expect(await statusOf(line('99999999-9999-4999-8999-999999999999'), owner)).toBe(404);
      expect((await ask(line(mine), owner))[collection]).toEqual([]);
      expect(await statusOf(line(foreign), persona('system reader'))).toBe(200);
    }
  });
});
