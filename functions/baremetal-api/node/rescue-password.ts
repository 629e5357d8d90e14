/** The password of a rescue: hashed at once and sealed, so that it is stored nowhere (ironic-states.md 11). */
import { verbs, type Verb } from '../../../layers/domain/baremetal/verbs.ts';
import { Invalid, TooLarge } from '../../../layers/domain/fault.ts';
import { rescuePasswordName, rescuePasswordWrite } from '../../../layers/store/rescue-passwords.ts';
import type { Write } from '../../../layers/platform/table.ts';
import type { Deps } from '../route.ts';
import { sha256Crypt } from '../sha256-crypt.ts';

/** Bytes. Hashing takes longer the longer the password is. */
const maxBytes = 256;

/**
 * What the password adds to the write that begins a rescue; nothing for verbs that take none. Throws Invalid (400) for
 * one of blanks, TooLarge (413).
 */
export const rescueWrites = async (
  { sealer, ids }: Pick<Deps, 'sealer' | 'ids'>,
  node: string,
  verb: Verb,
  password: string | null | undefined,
): Promise<Write[]> => {
  if (!verbs[verb].body?.rescue_password) return [];
  if (!password || password.trim() === '') {
    throw Invalid('A non-empty "rescue_password" is required when setting target provision state to rescue.');
  }
  if (Buffer.byteLength(password) > maxBytes) throw TooLarge(`"rescue_password" may have at most ${maxBytes} bytes.`);
  const salt = ids.uuid().replaceAll('-', '').slice(-16);
  const sealed = await sealer.seal(sha256Crypt(password, salt), { node, name: rescuePasswordName });
  return [rescuePasswordWrite(node, sealed)];
};
