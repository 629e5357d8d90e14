/**
 * What deploy agents ask, as clients see it (ironic-deploy.md 3, ironic-api.md 10). `functions/ramdisk-api` serves these
 * rows; `infra/manifest.ts` leads their paths there, the version document and the OpenAPI document tell of them.
 */
import * as z from 'zod';

import { json } from '../values.ts';

/** What a heartbeat says. */
const heartbeat = z.strictObject({
  callback_url: z.string({ error: 'Missing mandatory parameter: callback_url' }),
  agent_version: z.string().nullish(),
  agent_token: z.string().nullish(),
  agent_verify_ca: z
    .string()
    .max(64 * 1024)
    .nullish(),
  agent_status: z.enum(['start', 'end', 'error']).nullish(),
  agent_status_message: z.string().nullish(),
});
export type Heartbeat = z.output<typeof heartbeat>;

/** Nobody authenticates: the policy of each is that its caller is in the setting agent_networks. */
const open = { policy: 'agent_networks', tooOld: 'nothing' } as const;

/** By the name under which /v1 tells of it. */
export const ramdisk = {
  lookup: {
    at: 'GET /v1/lookup',
    since: 22,
    ...open,
    doc: 'ramdisk: find the node of this machine',
    query: {
      addresses: { doc: 'MAC addresses, comma separated; at most 64.' },
      node_uuid: { doc: 'UUID of the node.' },
    },
    raw: true,
    shows: z.object({ node: json, config: json }),
  },
  heartbeat: {
    at: 'POST /v1/heartbeat/{node_ident}',
    since: 22,
    ...open,
    doc: 'ramdisk: the agent is there',
    status: 202,
    body: heartbeat,
    keys: {
      agent_version: { since: 36, tooOld: 400 },
      agent_token: { since: 62, tooOld: 400 },
      agent_verify_ca: { since: 68, tooOld: 400 },
      agent_status: { since: 72, tooOld: 400 },
      agent_status_message: { since: 72, tooOld: 400 },
    },
    arguments: true,
    /** The certificate is the longest of it. Nobody has proved anything when it is parsed. */
    limit: 128 * 1024,
  },
  continue_inspection: {
    at: 'POST /v1/continue_inspection',
    since: 84,
    /** Agents send no version. */
    unversioned: true,
    ...open,
    doc: 'ramdisk: what was found in this machine',
    status: 202,
    query: {
      node_uuid: { doc: 'UUID of the node.' },
      key: { doc: 'What the medium of the ramdisk gave it to prove itself by; with node_uuid.' },
    },
    raw: true,
    takes: z.object({ inventory: json }),
    shows: z.object({ uuid: z.string() }),
  },
} as const;
