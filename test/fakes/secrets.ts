/** Sealing that keeps the rules of the port and hides a value from whoever searches stored text, without cryptography. */
import type { Opener, SealContext, Sealer } from '../../layers/store/ports.ts';
import { sealable, Unsealable } from '../../layers/store/secrets.ts';

type Sealed = { readonly plain: string; readonly context: SealContext; readonly count: number };

const parse = (sealed: string): Sealed | undefined => {
  try {
    return JSON.parse(Buffer.from(sealed, 'base64').toString()) as Sealed;
  } catch {
    return undefined;
  }
};

/** Opens only with the context it was sealed for; two seals of one value differ. */
export const createFakeSecrets = (): Sealer & Opener => {
  let count = 0;
  return {
    seal: async (plain, context) => {
      count += 1;
      const sealed: Sealed = { plain: sealable(plain), context, count };
      return Buffer.from(JSON.stringify(sealed)).toString('base64');
    },
    open: async (sealed, context) => {
      const found = parse(sealed);
      if (found?.context.node !== context.node || found.context.name !== context.name) throw Unsealable(context);
      return found.plain;
    },
  };
};
