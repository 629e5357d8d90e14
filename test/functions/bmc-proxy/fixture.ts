/** What the tests of the proxy share: a machine with a fake BMC, enrolled in a table, and the proxy in front of it. */
import { afterEach } from 'vitest';

import { create } from '../../../functions/bmc-proxy/app.ts';
import type { Deps } from '../../../functions/bmc-proxy/call.ts';
import { Config } from '../../../functions/bmc-proxy/config.ts';
import type { Operation, Params, Reply, Request } from '../../../layers/bmc/operations.ts';
import { sealFor } from '../../../layers/bmc/seal.ts';
import { createMemoryPlatform } from '../../../layers/platform/memory/platform.ts';
import { tlsWire } from '../../../layers/redfish-client/transport.ts';
import { createBmcRecords, readLedger } from '../../../layers/store/bmc-records.ts';
import { keyOf } from '../../../layers/store/kinds/kind.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { secretsWrite } from '../../../layers/store/node-secrets.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { createRecord } from '../../../layers/store/records/change.ts';
import { createFakeBmc, type FakeBmc } from '../../fakes/bmc.ts';
import { environmentWith } from '../../fakes/settings.ts';

export const uuid = '11111111-1111-4111-8111-111111111111';

export const environment = { INGOT_BMC_NETWORKS: '127.0.0.0/8', INGOT_POLL_INTERVAL_MS: '3000' };

const open: FakeBmc[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (bmc) => bmc.close()));
});

const aNode = (driverInfo: Record<string, unknown>, internal: Record<string, unknown>): StoredNode =>
  ({
    uuid,
    driver: 'redfish',
    driver_info: driverInfo,
    driver_internal_info: internal,
    instance_info: {},
    properties: {},
    provision_state: 'available',
    target_provision_state: null,
    reservation: 'run-1',
    generation: 3,
    revision: 1,
    run: 'run-1',
    position: '01',
    created_at: '2026-01-01T00:00:00+00:00',
  }) as unknown as StoredNode;

export type Options = {
  readonly prefix?: string;
  /** By which name its BMC is known; default 127.0.0.1. */
  readonly host?: string;
  readonly driver_info?: Record<string, unknown>;
  readonly agent_token?: string;
  readonly password?: string;
  readonly environment?: Record<string, string>;
  readonly resolve?: Deps['resolve'];
  /** Default: the real one, to the fake BMC. */
  readonly wire?: Deps['wire'];
};

/** A machine and `ask`: one request to the proxy, by default of generation 3 with 30 s of (virtual) time. */
export const enrol = async (options: Options = {}) => {
  const bmc = await createFakeBmc(options.prefix === undefined ? {} : { prefix: options.prefix });
  open.push(bmc);
  if (options.password !== undefined) bmc.password = options.password;
  const platform = createMemoryPlatform();
  const token = options.agent_token ?? 'MARKER-agent-token-0123456789abcdef';
  const base = `https://${options.host ?? '127.0.0.1'}:${bmc.port}${options.prefix ?? ''}`;
  const info = {
    redfish_address: base,
    redfish_username: bmc.username,
    redfish_password: '******',
    redfish_verify_ca: `sha256:${bmc.fingerprint256}`,
    ...options.driver_info,
  };
  const internal = { agent_url: `${base}/agent`, agent_verify_ca: bmc.certificate, agent_secret_token: '******' };
  const seal = async (name: string, value: string) => sealFor(platform.sealer, value, { node: uuid, name }, info);
  const sealed = {
    redfish_password: await seal('redfish_password', bmc.password),
    agent_secret_token: await seal('agent_secret_token', token),
  };
  const secrets = secretsWrite(uuid, { values: {}, revision: 0 }, sealed);
  await createRecord(platform, kinds.node, aNode(info, internal), () => ({ also: [secrets] }));
  const deps = {
    ...platform,
    wire: options.wire ?? tlsWire,
    records: createBmcRecords(platform),
    ...(options.resolve && { resolve: options.resolve }),
  };
  const proxy = create(deps, Config.parse(environmentWith({ ...environment, ...options.environment })));
  const invocation = { request_id: 'request-1', remaining_ms: () => 120_000 };

  const ask = async <O extends Operation>(op: O, params: Params<O>, more: Partial<Request> = {}): Promise<Reply<O>> =>
    (await proxy(
      { op, node: uuid, generation: 3, op_id: `run-1/${op}`, params, deadline_ms: 30_000, ...more },
      invocation,
    )) as Reply<O>;

  return {
    ...platform,
    bmc,
    token,
    ask,
    /** Any event, as Lambda would hand it over. */
    raw: async (event: unknown) => proxy(event, invocation),
    /** State and what was sent, of every ledger row in order. */
    ledger: async () =>
      (await readLedger(platform.table, uuid)).map(({ state, what, outcome }) =>
        [state, what ?? outcome].filter(Boolean).join(' '),
      ),
    setNode: async (set: Record<string, unknown>) => platform.table.write([{ update: keyOf(kinds.node, uuid), set }]),
  };
};
