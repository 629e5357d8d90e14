/** What the tenants of an installation do, in tests and benches: flavors, images, networks and servers over HTTP. */
import { createHash } from 'node:crypto';

import { type Reply, request } from './system.ts';

type Ask = (base: string, method: string, path: string, body?: unknown) => Promise<Reply>;

export type Server = {
  readonly id: string;
  readonly status: string;
  readonly fault?: { readonly message: string };
  readonly addresses: Readonly<Record<string, readonly { readonly addr: string }[]>>;
};

/** `ask`: how often each request is made. The order is that of the person who prepares it all. */
export const createTenancy = (base: string, ask: Ask = request) => {
  const asked = async (status: number, method: string, path: string, body?: object): Promise<Record<string, never>> => {
    const reply = await ask(base, method, path, body);
    if (reply.status !== status) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as Record<string, never>;
  };

  /** Servers of it get nodes of resource class `bm.small`. */
  const makeFlavor = async (): Promise<string> => {
    const flavor = { id: 'small', name: 'bm.small', ram: 4096, vcpus: 2, disk: 40 };
    await asked(200, 'POST', '/compute/v2.1/flavors', { flavor });
    const extra_specs = { 'resources:CUSTOM_BM_SMALL': '1' };
    await asked(200, 'POST', '/compute/v2.1/flavors/small/os-extra_specs', { extra_specs });
    return flavor.id;
  };

  const makeImage = async (bytes: Buffer): Promise<string> => {
    const formats = { name: 'disk', disk_format: 'raw', container_format: 'bare' };
    const { id } = await asked(201, 'POST', '/image/v2/images', formats);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const link = await asked(200, 'POST', `/image/v2/images/${String(id)}/upload`, { os_hash_value: sha256 });
    const sent = await fetch(link['upload_url']!, {
      method: 'PUT',
      headers: link['headers']!,
      body: new Uint8Array(bytes),
    });
    if (sent.status !== 200) throw new Error(`The link of the image answered ${sent.status}.`);
    await asked(202, 'POST', `/image/v2/images/${String(id)}/import`, { method: { name: 'glance-direct' } });
    return id!;
  };

  const makeNetwork = async (cidr: string): Promise<string> => {
    const { network } = await asked(201, 'POST', '/network/v2.0/networks', { network: { name: 'private' } });
    const network_id = (network as unknown as { id: string }).id;
    await asked(201, 'POST', '/network/v2.0/subnets', { subnet: { network_id, ip_version: 4, cidr } });
    return network_id;
  };

  /** The answer, whatever it is. */
  const create = async (server: object): Promise<Reply> => ask(base, 'POST', '/compute/v2.1/servers', { server });
  const remove = async (id: string): Promise<Reply> => ask(base, 'DELETE', `/compute/v2.1/servers/${id}`);
  /** Undefined: there is none any more. */
  const show = async (id: string): Promise<Server | undefined> => {
    const { status, body } = await ask(base, 'GET', `/compute/v2.1/servers/${id}`);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`Server ${id}: ${status} ${JSON.stringify(body)}`);
    return body['server'] as Server;
  };
  const list = async (): Promise<Server[]> => {
    const { servers } = await asked(200, 'GET', '/compute/v2.1/servers/detail?all_tenants=1&limit=1000');
    return servers as unknown as Server[];
  };
  const ports = async (): Promise<{ id: string; fixed_ips: { ip_address: string }[] }[]> => {
    const { ports: found } = await asked(200, 'GET', '/network/v2.0/ports');
    return found as never;
  };
  const setQuota = async (project: string, quota_set: object) =>
    asked(200, 'PUT', `/compute/v2.1/os-quota-sets/${project}`, { quota_set });
  return { makeFlavor, makeImage, makeNetwork, create, remove, show, list, ports, setQuota };
};
