/** The simulated machines as an operator would enrol them. */
import { call } from './system.ts';

export type Machine = {
  address: string;
  system_id: string;
  username: string;
  password: string;
  mac: string;
  certificate: string;
};
export type Inventory = {
  machines: Machine[];
  images: { deploy_iso: string; demo_raw: { url: string; sha256: string } };
};

export const readInventory = async (control: string): Promise<Inventory> =>
  call<Inventory>(control, 'GET', '/machines');

/** Creates the node and its port; returns the UUID. */
export const enrol = async (
  base: string,
  machine: Machine,
  { deploy_iso: iso, demo_raw: demo }: Inventory['images'],
) => {
  const { uuid } = await call<{ uuid: string }>(base, 'POST', '/v1/nodes', {
    driver: 'redfish',
    driver_info: {
      redfish_address: machine.address,
      redfish_system_id: machine.system_id,
      redfish_username: machine.username,
      redfish_password: machine.password,
      redfish_verify_ca: machine.certificate,
      deploy_iso: iso,
    },
    instance_info: { image_source: demo.url, image_os_hash_algo: 'sha256', image_os_hash_value: demo.sha256 },
  });
  await call(base, 'POST', '/v1/ports', { node_uuid: uuid, address: machine.mac });
  return uuid;
};
