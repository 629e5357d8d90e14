/** The Compute API in front of the real Bare Metal API, with nodes that are put straight into its table. */
import { create } from '../../../functions/baremetal-api/app.ts';
import { Config } from '../../../functions/baremetal-api/config.ts';
import { environmentWith } from '../../fakes/settings.ts';
import { createFrontWithNodes } from '../baremetal-api/node/stored.ts';
import { createFront, type Options, root } from './front.ts';

/** What of a node is nobody's business but the operators': each is different from all that may be told. */
export const secrets = {
  name: 'rack7-u12',
  driver_info: { redfish_address: 'https://10.77.0.9', redfish_username: 'calvin', redfish_password: 'hunter2' },
  last_error: 'The BMC burns.',
  extra: { owner_phone: '555-0199' },
  properties: { serial: 'SN-4711', cpus: 7717 },
};

/** In whatever text they stand. */
export const told = /rack7|10\.77|calvin|hunter2|burns|555-0199|SN-4711|7717/;

export const createMachines = () => {
  const { platform, store } = createFrontWithNodes();
  platform.apis.served.baremetal = create(platform, Config.parse(environmentWith()));
  const { request } = createFront({}, platform);
  /** As an administrator. */
  const ask = async (line: string, options: Options = {}) => request(line, { subject: root, ...options });
  const paths = () => platform.apis.calls.map(({ wanted }) => wanted.path.split('?')[0]);
  return { platform, store, request, ask, paths };
};
