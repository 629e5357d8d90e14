/** What the demo deploys: the image and the configdrive's documents. */
import type { Images } from './machines.ts';

/** cloud-init reads this on the first boot of the machine. */
const userData = `#cloud-config
hostname: ingot-demo
write_files:
  - path: /etc/motd
    content: Deployed by Ingot.
`;

/** The documents of which Ingot builds the image; the checks read them back from the disk. */
export const configdrive = {
  meta_data: { hostname: 'ingot-demo', name: 'ingot-demo', public_keys: {} },
  user_data: userData,
  network_data: {
    links: [{ id: 'nic0', type: 'phy', mtu: 1500 }],
    networks: [
      {
        id: 'net0',
        link: 'nic0',
        type: 'ipv4',
        ip_address: '192.0.2.10',
        netmask: '255.255.255.0',
        routes: [{ network: '0.0.0.0', netmask: '0.0.0.0', gateway: '192.0.2.1' }],
      },
    ],
    services: [{ type: 'dns', address: '192.0.2.53' }],
  },
};

/** instance_info for the simulator's image, which is checked by its digest. */
export const instanceInfo = ({ demo_raw }: Images) => ({
  image_source: demo_raw.url,
  image_os_hash_algo: 'sha256',
  image_os_hash_value: demo_raw.sha256,
  image_disk_format: 'raw',
});
