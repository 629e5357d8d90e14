/** The client in front of the real Bare Metal API, over a line that may be cut. */
import { create } from '../../../functions/baremetal-api/app.ts';
import { Config } from '../../../functions/baremetal-api/config.ts';
import { createBaremetalClient } from '../../../layers/baremetal-client/client.ts';
import type { ApiReply, ApiRequest } from '../../../layers/platform/apis.ts';
import { Unavailable } from '../../../layers/domain/fault.ts';
import { createFrontWithNodes } from '../../functions/baremetal-api/node/stored.ts';
import { environmentWith } from '../../fakes/settings.ts';

/** What becomes of one request: `send` makes it; its answer may be lost, or another one given. */
export type Mishap = (wanted: ApiRequest, send: () => Promise<ApiReply>) => Promise<ApiReply>;

/** The request is made, and its answer is lost. */
export const lost: Mishap = async (_wanted, send) => {
  await send();
  throw Unavailable('The answer was lost.');
};

/** Nobody is there. */
export const silent: Mishap = async () => {
  throw Unavailable('Nobody answers.');
};

/** An answer that the API did not give. */
export const answering =
  (status: number, body: unknown): Mishap =>
  async () => ({ status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body) });

/** Ironic's form of a refusal. */
export const refusing = (status: number, faultstring: string): Mishap =>
  answering(status, { error_message: JSON.stringify({ faultcode: 'Client', faultstring, debuginfo: null }) });

/** `patience_ms`: how long whoever waits does so. */
export const createTenant = ({ patience_ms = 60_000 } = {}) => {
  const front = createFrontWithNodes();
  const { platform } = front;
  platform.apis.served.baremetal = create(platform, Config.parse(environmentWith()));
  const mishaps: { readonly method: string; readonly what: Mishap }[] = [];

  const call = async (wanted: ApiRequest): Promise<ApiReply> => {
    const send = async () => platform.apis.baremetal(wanted);
    const at = mishaps.findIndex(({ method }) => method === wanted.method);
    return at === -1 ? send() : mishaps.splice(at, 1)[0]!.what(wanted, send);
  };

  /** The next requests of this method meet these, one each. */
  const mishap = (method: string, ...what: readonly Mishap[]): void =>
    void mishaps.push(...what.map((one) => ({ method, what: one })));

  /** The requests that were made, such as `PUT /v1/nodes/{node}/states/power`, without their queries. */
  const requests = (method?: string): string[] =>
    platform.apis.calls
      .filter(({ wanted }) => method === undefined || wanted.method === method)
      .map(({ wanted }) => `${wanted.method} ${wanted.path.split('?')[0]!.replace(/[0-9a-f-]{36}/, '{node}')}`);

  const client = createBaremetalClient(
    { ...platform, call },
    { request_id: 'req-1', until: platform.clock.now() + patience_ms },
  );
  return { ...front, client, mishap, requests };
};

export const instance = '11111111-2222-4333-8444-555555555555';
export const otherInstance = '99999999-2222-4333-8444-555555555555';
