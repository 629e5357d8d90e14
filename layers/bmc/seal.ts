/**
 * The seal of a node's secrets. What is sent to a BMC is sealed for that BMC: for the address and the trust that stood in
 * driver_info when it was given. Whoever changes those, by the API or by writing the table, has a password that does not
 * open; the API, which can only seal, asks for it again.
 */
import { createHash } from 'node:crypto';

import { recipientOf } from '../domain/recipients.ts';
import type { Opener, SealContext, Sealer } from '../platform/platform.ts';

type DriverInfo = Readonly<Record<string, unknown>>;

/**
 * Begins a value that is sealed for somebody. Those of versions that did not are opened without: taking it away, or
 * putting it before another, makes a value that does not open.
 */
const form = 'for-one.';

/** A certificate may be one of the values, and a context is short (8 KB with KMS) and stands in logs: its hash. */
const contextFor = (context: SealContext, info: DriverInfo): SealContext => {
  const recipient = recipientOf(context.name, info);
  if (!recipient) return context;
  return { ...context, recipient: createHash('sha256').update(JSON.stringify(recipient)).digest('hex') };
};

/** Seals a secret for whom this driver_info sends it to. Throws TooLarge (413). */
export const sealFor = async (
  sealer: Sealer,
  plain: string,
  context: SealContext,
  info: DriverInfo,
): Promise<string> => {
  const bound = contextFor(context, info);
  return (bound.recipient === undefined ? '' : form) + (await sealer.seal(plain, bound));
};

/** Opens it, if it was sealed for them. Throws Unsealable (500). */
export const openFor = async (
  opener: Opener,
  sealed: string,
  context: SealContext,
  info: DriverInfo,
): Promise<string> =>
  sealed.startsWith(form)
    ? opener.open(sealed.slice(form.length), contextFor(context, info))
    : opener.open(sealed, context);
