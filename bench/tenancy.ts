/** What benches of servers need of an installation: nodes of fake hardware that servers fit, an image, a network. */
import { createTenancy, type Server } from '../test/machine/tenancy.ts';
import { call } from './system.ts';

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

/** Makes what a server is made of. Answers what to ask for. */
export const makeOffer = async (base: string): Promise<object> => {
  const tenancy = createTenancy(base);
  await tenancy.setQuota('admin', { instances: -1 });
  const [flavorRef, imageRef] = [await tenancy.makeFlavor(), await tenancy.makeImage(Buffer.from('a disk'))];
  const networks = [{ uuid: await tenancy.makeNetwork('10.0.0.0/20') }];
  return { name: 'bench', flavorRef, imageRef, networks };
};

/** Asks until all servers are something. Throws if one is in error, unless that may be. */
export const settleServers = async (base: string, count: number, mayFail = false): Promise<Server[]> => {
  const { list } = createTenancy(base);
  for (;;) {
    const servers = await list();
    if (!mayFail && servers.some(({ status }) => status === 'ERROR')) throw new Error('A server is in error.');
    if (servers.length === count && servers.every(({ status }) => status !== 'BUILD')) return servers;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
