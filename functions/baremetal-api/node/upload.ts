/**
 * POST configdrive, an addition to Ironic's API: an upload of a configdrive, and the name that PUT states/provision takes
 * for it. Without a body it answers a link to upload what no request can hold (on AWS a request ends at about 6 MB); with
 * one, that is the upload, and who deploys in several steps has to keep the name only.
 */
import * as z from 'zod';

import { fromBase64 } from '../../../layers/configdrive/packed.ts';
import { uploadKey, uploadReference } from '../../../layers/domain/configdrive.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import { check } from '../../../layers/domain/schema.ts';
import { isoTime } from '../../../layers/domain/values.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { type Route, route } from '../route.ts';
import { findByIdent } from './find.ts';

/** How long an upload may take to begin. Short, because who has the link needs no password, seconds. */
const lifetime = 15 * 60;

/** Bytes of a body; what is larger is uploaded by the link. */
const mostBytes = 6 * 1024 * 1024;

const body = z.strictObject({ configdrive: z.string().min(1) });

/** base64(gzip(image)) as bytes; what it is an image of is looked at when it is passed on. Throws Invalid (400). */
const bytesOf = (given: unknown): Uint8Array => {
  const bytes = fromBase64(check(body, given).configdrive);
  if (!bytes) throw Invalid('configdrive is no base64 text.');
  return bytes;
};

export const uploadRoutes: Route[] = [
  route<undefined, StoredNode>({
    at: 'POST /v1/nodes/{ident}/configdrive',
    policy: 'baremetal:node:set_provision_state',
    status: 201,
    raw: body,
    find: findByIdent,
    handle: async ({ objects, ids, clock }, { target: { uuid }, raw }) => {
      const ulid = ids.ulid();
      const given = raw.json(mostBytes);
      if (given !== undefined) {
        await objects.put(uploadKey(uuid, ulid), bytesOf(given));
        return { body: { configdrive: uploadReference(ulid) } };
      }
      return {
        body: {
          upload_url: await objects.link(uploadKey(uuid, ulid), 'PUT', lifetime),
          configdrive: uploadReference(ulid),
          expires_at: isoTime(clock.now() + lifetime * 1000),
        },
      };
    },
  }),
];
