/** Sealing that keeps the rules of the platform and hides a value from whoever searches stored text, without a key. */
import { createHash } from 'node:crypto';

import { isSame } from '../../domain/values.ts';
import type { Opener, SealContext, Sealer } from '../platform.ts';
import { sealable, Unsealable } from '../secrets.ts';

type Sealed = { readonly plain: string; readonly context: SealContext; readonly count: number };

const sumOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

const parse = (sealed: string): Sealed | undefined => {
  const [sum, text = ''] = sealed.split('.');
  return sum === sumOf(text) ? (JSON.parse(Buffer.from(text, 'base64').toString()) as Sealed) : undefined;
};

/** Opens, in any copy of it, what was sealed for the same context; two seals of one value differ. */
export const createMemorySecrets = (): Sealer & Opener => {
  let count = 0;
  return {
    seal: async (plain, context) => {
      count += 1;
      const sealed: Sealed = { plain: sealable(plain), context, count };
      const text = Buffer.from(JSON.stringify(sealed)).toString('base64');
      return `${sumOf(text)}.${text}`;
    },
    open: async (sealed, context) => {
      const found = parse(sealed);
      if (!found || !isSame(found.context, context)) throw Unsealable(context);
      return found.plain;
    },
  };
};
