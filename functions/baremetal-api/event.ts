/** POST /v1/events (ironic-api.md 9, since 1.54): what the network service tells. Nothing here waits for it. */
import * as z from 'zod';

import { mac, uuid } from '../../layers/domain/values.ts';
import { route, type Route } from './route.ts';

const event = z.strictObject({
  event: z.enum(['network.bind_port', 'network.unbind_port', 'network.delete_port']),
  port_id: uuid,
  mac_address: mac,
  status: z.string(),
  device_id: uuid.nullish(),
  'binding:host_id': z.string().nullish(),
  'binding:vnic_type': z.string().nullish(),
});

const body = z.strictObject({ events: z.array(event).min(1, 'must have at least one event') });

export const eventRoutes: readonly Route[] = [
  route<z.output<typeof body>>({
    at: 'POST /v1/events',
    since: 54,
    policy: 'baremetal:events:post',
    body,
    handle: async ({ log }, { body: { events } }) => {
      for (const { event: name, port_id: port, mac_address: address, status } of events) {
        log.info('The network service told of a port.', { event: name, port, address, status: status.slice(0, 255) });
      }
      return {};
    },
  }),
];
