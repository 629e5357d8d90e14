/** What the tests of the client share: a fake BMC and clients of it, closed after each test. */
import { afterEach } from 'vitest';

import { createRedfish, type Redfish } from '../../../layers/redfish-client/client.ts';
import type { RedfishOptions } from '../../../layers/redfish-client/conversation.ts';
import { tlsWire } from '../../../layers/redfish-client/transport.ts';
import { createFakeBmc, type FakeBmc } from '../../fakes/bmc.ts';
import { createVirtualClock } from '../../../layers/platform/memory/clock.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

export const startBmc = async (options?: Parameters<typeof createFakeBmc>[0]): Promise<FakeBmc> => {
  const bmc = await createFakeBmc(options);
  open.push(bmc);
  return bmc;
};

/** Options that fit `bmc`; time is virtual, so pauses take none. */
export const optionsFor = (bmc: FakeBmc, more: Partial<RedfishOptions> = {}): RedfishOptions => {
  const clock = more.clock ?? createVirtualClock();
  return {
    peer: {
      label: 'BMC under test',
      host: '127.0.0.1',
      address: '127.0.0.1',
      port: bmc.port,
      trust: { mode: 'pin', fingerprint256: bmc.fingerprint256 },
    },
    wire: tlsWire,
    root_prefix: '',
    username: bmc.username,
    password: bmc.password,
    auth_type: 'auto',
    clock,
    deadline: clock.now() + 60_000,
    connect_ms: 20_000,
    read_ms: 20_000,
    ...more,
  };
};

export const clientOf = (bmc: FakeBmc, more: Partial<RedfishOptions> = {}): Redfish => {
  const redfish = createRedfish(optionsFor(bmc, more));
  open.push(redfish);
  return redfish;
};
