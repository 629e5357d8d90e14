/** Files that clients until 2.56 give their servers along (compute-api.md 1): small ones, which the configdrive brings. */
import * as z from 'zod';

import { base64Text } from '../../../layers/domain/compute/new-server.ts';
import { type Amounts, limitsOf } from '../../../layers/domain/compute/quota.ts';
import { Forbidden } from '../../../layers/domain/fault.ts';
import { check } from '../../../layers/domain/schema.ts';

const files = z.array(
  z.strictObject({
    path: z.string().min(1),
    contents: z.string().regex(base64Text, 'must be base64'),
  }),
);

export type Files = z.output<typeof files>;

/** The files of a body. Throws Invalid (400), Forbidden (403) past a limit. */
export const readFiles = (given: unknown, set: Amounts): Files | null => {
  if (given === undefined) return null;
  const { personality: found } = check(z.object({ personality: files }), { personality: given });
  const limits = limitsOf(set);
  const exceeds = (limit: number, size: number) => limit >= 0 && size > limit;
  if (exceeds(limits.injected_files, found.length)) {
    throw Forbidden('Quota exceeded, too many injected files.');
  }
  for (const { path, contents } of found) {
    if (exceeds(limits.injected_file_path_bytes, Buffer.byteLength(path))) {
      throw Forbidden('Quota exceeded, the path of an injected file is too long.');
    }
    if (exceeds(limits.injected_file_content_bytes, Buffer.from(contents, 'base64').length)) {
      throw Forbidden('Quota exceeded, an injected file is too large.');
    }
  }
  return found.length > 0 ? found : null;
};
