/** What nobody may foretell: names of sessions and commands, tokens. */
import { randomBytes, randomUUID } from 'node:crypto';

export type Nonces = { uuid(): string; bytes(count: number): Buffer };

/** From the operating system. */
export const systemNonces: Nonces = { uuid: () => randomUUID(), bytes: (count) => randomBytes(count) };
