/** What benches of servers need of an installation: nodes of fake hardware that servers fit, an image, a network. */
import { createHash } from 'node:crypto';

import { call } from './system.ts';

type Named = { readonly id: string };

const enrol = async (base: string, index: number): Promise<string> => {
  const { uuid } = await call<{ uuid: string }>(base, 'POST', '/v1/nodes', {
    driver: 'fake-hardware',
    name: `fake-${index}`,
    network_interface: 'flat',
    resource_class: 'bm.small',
    properties: { cpus: 4, memory_mb: 8192, local_gb: 100 },
    automated_clean: false,
    instance_info: { image_source: 'http://127.0.0.1/none.raw', image_checksum: '0'.repeat(32) },
  });
  const address = `52:54:00:00:${[index >> 8, index & 255].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`;
  await call(base, 'POST', '/v1/ports', { node_uuid: uuid, address });
  return uuid;
};

/** So many nodes, which are available once they were managed, provided and switched on. */
export const enrolFakes = async (base: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async (_, index) => enrol(base, index)));

const makeImage = async (base: string): Promise<string> => {
  const bytes = Buffer.from('a disk');
  const formats = { name: 'disk', disk_format: 'raw', container_format: 'bare' };
  const { id } = await call<Named>(base, 'POST', '/image/v2/images', formats);
  const { upload_url, headers } = await call<{ upload_url: string; headers: Record<string, string> }>(
    base,
    'POST',
    `/image/v2/images/${id}/upload`,
    { os_hash_value: createHash('sha256').update(bytes).digest('hex') },
  );
  await fetch(upload_url, { method: 'PUT', headers, body: bytes });
  await call(base, 'POST', `/image/v2/images/${id}/import`, { method: { name: 'glance-direct' } });
  return id;
};

const makeNetwork = async (base: string): Promise<string> => {
  const { network } = await call<{ network: Named }>(base, 'POST', '/network/v2.0/networks', {
    network: { name: 'private' },
  });
  const subnet = { network_id: network.id, ip_version: 4, cidr: '10.0.0.0/20' };
  await call(base, 'POST', '/network/v2.0/subnets', { subnet });
  return network.id;
};

/** Makes what a server is made of. Answers what to ask for. */
export const makeOffer = async (base: string): Promise<object> => {
  const flavor = { id: 'small', name: 'bm.small', ram: 4096, vcpus: 2, disk: 40 };
  await call(base, 'POST', '/compute/v2.1/flavors', { flavor });
  await call(base, 'POST', '/compute/v2.1/flavors/small/os-extra_specs', {
    extra_specs: { 'resources:CUSTOM_BM_SMALL': '1' },
  });
  await call(base, 'PUT', '/compute/v2.1/os-quota-sets/admin', { quota_set: { instances: -1 } });
  const networks = [{ uuid: await makeNetwork(base) }];
  return { name: 'bench', flavorRef: 'small', imageRef: await makeImage(base), networks };
};

type Server = Named & { readonly status: string };

/** Asks until all servers are something. Throws if one is in error, unless that may be. */
export const settleServers = async (base: string, count: number, mayFail = false): Promise<Server[]> => {
  for (;;) {
    const { servers } = await call<{ servers: Server[] }>(base, 'GET', '/compute/v2.1/servers/detail?limit=1000');
    if (!mayFail && servers.some(({ status }) => status === 'ERROR')) throw new Error('A server is in error.');
    if (servers.length === count && servers.every(({ status }) => status !== 'BUILD')) return servers;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
