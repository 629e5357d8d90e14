/**
 * POST configdrive, an addition to Ironic's API: a link to upload a configdrive that no request can hold (on AWS a
 * request ends at about 6 MB), and the name that PUT states/provision takes for it.
 */
import * as z from 'zod';

import { maxImageBytes } from '../../../layers/configdrive/packed.ts';
import { uploadKey, uploadReference } from '../../../layers/domain/configdrive.ts';
import { isoTime, timestamp } from '../../../layers/domain/values.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';

/** How long an upload may take to begin. Short, because who has the link needs no password, seconds. */
const lifetime = 15 * 60;

const asked = z.strictObject({
  size: z.int().min(1).max(maxImageBytes).describe('Bytes of the file, at most 64 MiB; the link takes no other.'),
});

const shows = z.object({
  upload_url: z.url().describe('Where to PUT the file.'),
  configdrive: z.string().describe('What PUT states/provision takes for it.'),
  expires_at: timestamp,
});

export const uploadRoutes: Route[] = [
  route<z.output<typeof asked>, StoredNode>({
    at: 'POST /v1/nodes/{ident}/configdrive',
    fenced: false,
    policy: 'baremetal:node:set_provision_state',
    status: 201,
    body: asked,
    shows,
    find: findByIdent,
    handle: async ({ objects, ids, clock }, { target: { uuid }, body: { size } }) => {
      const ulid = ids.ulid();
      const { url } = await objects.uploadLink(uploadKey(uuid, ulid), { size }, lifetime);
      return {
        body: {
          upload_url: url,
          configdrive: uploadReference(ulid),
          expires_at: isoTime(clock.now() + lifetime * 1000),
        },
      };
    },
  }),
];
