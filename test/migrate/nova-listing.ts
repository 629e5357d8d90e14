/** What a Nova tells of the servers that its machines have: GET /servers/detail?all_tenants=1, as it is saved. */
import { randomUUID } from 'node:crypto';

const project = 'acf923f2-9b4d-4e0d-acfb-1b2976dd480f';

/** A server, on which node it is, and the address of its card. */
export type Listed = { readonly id: string; readonly node: string; readonly status: string; readonly mac: string };

const serverOf = ({ id, node, status, mac }: Listed, at: number) => ({
  id,
  name: `web-${at}`,
  status,
  tenant_id: project,
  user_id: 'ann',
  created: `2014-09-10T11:19:0${at}Z`,
  image: { id: randomUUID() },
  flavor: { original_name: 'baremetal', vcpus: 1, ram: 1024, disk: 10, ephemeral: 0, swap: 0, extra_specs: {} },
  addresses: {
    private: [
      {
        addr: `192.168.1.${at + 1}`,
        version: 4,
        'OS-EXT-IPS:type': 'fixed',
        'OS-EXT-IPS-MAC:mac_addr': mac,
      },
    ],
  },
  'OS-EXT-SRV-ATTR:hypervisor_hostname': node,
  metadata: {},
});

/** Those, ten at most, and a virtual machine, which is on a node of no Ironic. */
export const listingOf = (servers: readonly Listed[]) => {
  const virtual = { id: randomUUID(), node: randomUUID(), status: 'ACTIVE', mac: '52:54:00:ff:ff:ff' };
  return { servers: [...servers, virtual].map(serverOf) };
};
