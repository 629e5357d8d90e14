/**
 * Tokens of agents (ADR 9): made, given to a node in one write - sealed for the proxy, as a hash for who checks it -,
 * and checked.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

import { mask } from '../domain/masking.ts';
import { keep } from '../domain/notes.ts';
import { readSecrets, secretsWrite } from './node-secrets.ts';
import { kinds } from './kinds/kinds.ts';
import type { StoredNode } from './nodes.ts';
import { changeRecord, type Needs as Writing } from './records/change.ts';
import type { Change } from './records/plan.ts';
import type { Platform } from '../platform/platform.ts';

type Needs = Writing & Pick<Platform, 'sealer'>;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** What the node keeps of a token (hex). */
export const tokenHash = (token: string): string => sha256(token).toString('hex');

const equal = (given: Buffer, known: Buffer): boolean => given.length === known.length && timingSafeEqual(given, known);

/** Whether this is the token behind the hash; never without either. */
export const isToken = (token: string | null | undefined, hash: string | null): boolean =>
  Boolean(token) && hash !== null && equal(sha256(token!), Buffer.from(hash, 'hex'));

/**
 * The key by which the ramdisk of an inspection proves itself. It stands in a URL, which ramdisks write into their
 * logs; so it is not the token, nor does it lead back to it.
 */
export const inspectionKey = (hash: string): string =>
  createHmac('sha256', hash).update('continue_inspection').digest('hex');

/** Whether the key is that of the token behind the hash. */
export const isInspectionKey = (key: string, hash: string | null): boolean =>
  hash !== null && equal(sha256(key), sha256(inspectionKey(hash)));

/** 244 random bits; agents take 32 characters or more. */
export const newToken = ({ ids }: Pick<Platform, 'ids'>): string => `${ids.uuid()}${ids.uuid()}`.replaceAll('-', '');

/**
 * Makes `token` the one of the node's agent, unless `decide` answers undefined; what it answers is changed in the same
 * write. Returns the node as it then is: the token is its own only if `agent_token_sha256` is its hash.
 * Throws what `decide` throws, NotFound (404), Conflict (409).
 */
export const giveAgentToken = async (
  needs: Needs,
  uuid: string,
  token: string,
  decide: (node: StoredNode) => Change<StoredNode> | undefined,
): Promise<StoredNode> => {
  const sealed = await needs.sealer.seal(token, { node: uuid, name: 'agent_secret_token' });
  const { after } = await changeRecord(needs, kinds.node, uuid, async (fresh) => {
    const change = decide(fresh);
    if (!change) return undefined;
    const secrets = await readSecrets(needs.table, uuid);
    return {
      ...change,
      set: {
        ...change.set,
        agent_token_sha256: tokenHash(token),
        ...keep({ ...fresh, ...change.set }, { agent_secret_token: mask }),
      },
      also: [...(change.also ?? []), secretsWrite(uuid, secrets, { ...secrets.values, agent_secret_token: sealed })],
    };
  });
  return after;
};
