/** What servers are made of, written down as the Image and the Network API leave it, and flavors made by the front door. */
import { createMemoryPlatform, type MemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { computeKinds, type StoredServer } from '../../../layers/store/kinds/compute.ts';
import { newRecord } from '../../../layers/store/kinds/form.ts';
import { type StoredImage, tenantKinds } from '../../../layers/store/kinds/tenants.ts';
import { createNetwork } from '../../../layers/store/networks.ts';
import { changeRecord, createRecord } from '../../../layers/store/records/change.ts';
import { createSubnet } from '../../../layers/store/subnets.ts';
import { createFront, type Options, root } from './front.ts';

const anImage = async (platform: MemoryPlatform, values: Partial<StoredImage> = {}): Promise<string> => {
  const record = newRecord(platform, tenantKinds.image, {
    name: 'debian',
    status: 'active',
    visibility: 'public',
    owner: 'admin',
    disk_format: 'qcow2',
    container_format: 'bare',
    ...values,
  });
  await createRecord(platform, tenantKinds.image, record);
  return record.uuid;
};

const aNetwork = async (platform: MemoryPlatform, project_id: string, values: object = {}): Promise<string> => {
  const allocation_pools = [{ start: '10.0.0.2', end: '10.0.0.254' }];
  const { uuid } = await createNetwork(platform, { project_id, name: 'private', ...values });
  await createSubnet(platform, { project_id, network_id: uuid, ip_version: 4, cidr: '10.0.0.0/24', allocation_pools });
  return uuid;
};

/** The Compute API with a flavor `small` (2 cores, 4 GB, 40 GB) and a public image. `env` are settings. */
export const createCloud = async (env: Record<string, string> = {}) => {
  const platform = createMemoryPlatform();
  const { request } = createFront(env, platform);
  const image = await anImage(platform);
  const flavor = { id: 'small', name: 'bm.small', ram: 4096, vcpus: 2, disk: 40 };
  const made = await request('POST /v2.1/flavors', { subject: root, body: { flavor } });
  if (made.status !== 200) throw new Error(made.text);

  /** Asks for a server; `server` is what the body has besides, `hints` those of the scheduler. */
  const boot = async (server: object = {}, options: Options & { hints?: object } = {}) => {
    const { hints, ...rest } = options;
    const given = { name: 's1', imageRef: image, flavorRef: 'small', networks: 'none', ...server };
    return request('POST /v2.1/servers', {
      ...rest,
      body: { server: given, ...(hints && { 'os:scheduler_hints': hints }) },
    });
  };

  /** The UUID of a new server. */
  const booted = async (server: object = {}, options: Options & { hints?: object } = {}): Promise<string> => {
    const answer = await boot(server, options);
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body.server.id as string;
  };

  /** Puts a server into a condition that would take a run to get to. */
  const force = async (uuid: string, set: Partial<StoredServer>) =>
    changeRecord(platform, computeKinds.server, uuid, () => ({ set }));

  const idle = { run: null, run_workflow: null, request_id: null, asked: null, task_state: null } as const;

  /** The UUID of one that its run has made active. */
  const active = async (server: object = {}, options: Options = {}): Promise<string> => {
    const uuid = await booted(server, options);
    await force(uuid, { ...idle, vm_state: 'active', power_state: 1 });
    return uuid;
  };

  const show = async (uuid: string, options: Options = {}) =>
    (await request(`GET /v2.1/servers/${uuid}`, options)).body?.server;

  return {
    platform,
    request,
    image,
    boot,
    booted,
    force,
    active,
    show,
    anImage: async (values: Partial<StoredImage> = {}) => anImage(platform, values),
    aNetwork: async (project: string, values: object = {}) => aNetwork(platform, project, values),
  };
};
