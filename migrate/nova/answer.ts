/** What a Compute API answers, ours or any Nova. */
import { Fault } from '../../layers/domain/fault.ts';
import type { Reply } from '../service.ts';

/** What it says in an error, whose one member is called by its kind. */
const toldBy = (body: unknown): string => {
  const [first] = Object.values((body ?? {}) as Readonly<Record<string, { readonly message?: unknown } | undefined>>);
  return typeof first?.message === 'string' ? first.message : 'it does not say why.';
};

/** The body of a success. Throws Fault ComputeFailed (502) for any other answer to `asked`, a method and a path. */
export const answered = ({ status, body }: Reply, asked: string): unknown => {
  if (status >= 200 && status < 300) return body;
  throw new Fault('ComputeFailed', 502, `The Compute API answered with ${status} to ${asked}: ${toldBy(body)}`);
};
