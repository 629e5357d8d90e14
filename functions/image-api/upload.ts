/** Links for data that no request can hold, an addition to Glance's API: S3 itself checks what is sent to one. */
import * as z from 'zod';

import { readDigest } from '../../layers/domain/image/digest.ts';
import { isoTime } from '../../layers/domain/values.ts';
import type { StoredImage } from '../../layers/store/kinds/tenants.ts';
import { beginUpload, newObject } from './data.ts';
import { downloadLink, downloadSeconds } from './file.ts';
import { findImage } from './find.ts';
import { route, type Route } from './route.ts';
import { imagesPath } from './view.ts';

const at = `${imagesPath}/{image_id}` as const;

/** How long an upload may take to begin, seconds. Whoever has the link can send nothing but this very data. */
const uploadSeconds = 60 * 60;

/** S3 checks SHA-256 and nothing longer. */
const uploadBody = z.strictObject({
  os_hash_algo: z.literal('sha256').default('sha256'),
  os_hash_value: z.string(),
});

const time = z.iso.datetime({ offset: true });

const shownUpload = z.object({
  upload_url: z.url(),
  method: z.literal('PUT'),
  headers: z.record(z.string(), z.string()),
  expires_at: time,
});

export const uploadRoutes: readonly Route[] = [
  route<z.output<typeof uploadBody>, StoredImage>({
    at: `POST ${at}/upload`,
    policy: 'upload_image',
    find: findImage,
    body: uploadBody,
    shows: shownUpload,
    doc: 'A link to send the data to, with PUT and these headers; then import it with the method glance-direct.',
    handle: async (deps, { target, body }) => {
      const digest = readDigest('os_hash_value', body.os_hash_value, body.os_hash_algo);
      const object = newObject(deps, target.uuid);
      const now = deps.clock.now();
      await beginUpload(deps, target.uuid, 'link', { object, at: now, digest });
      const upload = { sha256: digest.os_hash_value };
      const { url, headers } = await deps.objects.uploadLink(object, upload, uploadSeconds);
      return { body: { upload_url: url, method: 'PUT', headers, expires_at: isoTime(now + uploadSeconds * 1000) } };
    },
  }),
  route<undefined, StoredImage>({
    at: `GET ${at}/download`,
    policy: 'download_image',
    find: findImage,
    otherwise: 204,
    shows: z.object({ download_url: z.url(), expires_at: time }),
    doc: 'A link to the data, for who can not follow the redirection of GET file.',
    handle: async (deps, call) => {
      const link = await downloadLink(deps, call);
      if (link === undefined) return {};
      return { body: { download_url: link, expires_at: isoTime(deps.clock.now() + downloadSeconds * 1000) } };
    },
  }),
];
