/** Key pairs (compute-api.md 7): each user has his own, under names. */
import { keyPair } from '../../layers/domain/compute/key-pair.ts';
import { microTime } from '../../layers/domain/compute/times.ts';
import { Invalid, NotFound } from '../../layers/domain/fault.ts';
import { allows, denied, type Rule } from '../../layers/domain/policy.ts';
import { projector, type Shown, type Want } from '../../layers/domain/projection.ts';
import { namedSchema } from '../../layers/domain/schema.ts';
import { newRecord } from '../../layers/store/kinds/form.ts';
import { tenantKinds, type StoredKeyPair } from '../../layers/store/kinds/tenants.ts';
import { createKeyPair, removeKeyPair } from '../../layers/store/key-pairs.ts';
import { readRecordBy } from '../../layers/store/records/find.ts';
import { listRecords } from '../../layers/store/records/list.ts';
import { nextLinks, readLimit } from './list.ts';
import { type Call, type Deps, route, type Route } from './route.ts';
import { fingerprintOf, newKey } from './ssh-key.ts';

const kind = tenantKinds.key_pair;
const at = '/v2.1/os-keypairs';

const shown: Shown<StoredKeyPair> = {
  id: ({ uuid }) => Number.parseInt(uuid.slice(0, 8), 16),
  created_at: ({ created_at: time }) => microTime(time),
};

const shownAs = (call: Call, want: Want) => projector<StoredKeyPair>(keyPair, call, want, { shown });

const brief = ['name', 'public_key', 'fingerprint', 'type'];

/** Whose key pairs the request is about: his own, or those of `named`. Throws Forbidden (403). */
const userOf = ({ subject }: Call, rule: Rule, named = subject.user ?? ''): string => {
  if (!allows(rule, subject, { user_id: named })) throw denied(rule);
  return named;
};

/** One of this name. Throws NotFound (404), Forbidden (403). */
const find = async ({ table }: Deps, call: Call, rule: Rule): Promise<StoredKeyPair> => {
  const user = userOf(call, rule, call.query['user_id']?.[0]);
  const name = call.params['keypair_name']!;
  const found = await readRecordBy(table, kind, keyPair.name.unique, name, user);
  if (!found) throw NotFound(`Keypair ${name} not found for user ${user}`);
  return found;
};

/** From 2.92 on names may be those of files and of people, and the private half is the user's own business. */
const opened = 92;

const readNew = async (call: Call<Record<'keypair', Record<string, unknown>>>) => {
  const { keypair } = call.body;
  const { name, public_key: given } = keypair as { name: string; public_key?: string };
  if (call.version < opened && /[@.]/.test(name)) {
    throw Invalid('Invalid value for keypair.name: @ and . need API version 2.92.');
  }
  if (call.version >= opened && !given) throw Invalid('Missing mandatory parameter: keypair.public_key.');
  const { private_key, ...made } = given ? { public_key: given, private_key: undefined } : await newKey(name);
  return { values: { ...keypair, ...made, fingerprint: fingerprintOf(made.public_key) }, private_key };
};

const shape = { name: 'KeyPair', rows: keyPair, under: 'keypair' } as const;

const ofUser = { user_id: { since: 10, doc: 'Whose; for administrators.' } };

export const keyPairRoutes: readonly Route[] = [
  route({
    at: `GET ${at}`,
    policy: 'os_compute_api:os-keypairs:index',
    query: { ...ofUser, limit: { since: 35 }, marker: { since: 35 } },
    answers: { ...shape, list: 'keypairs' },
    handle: async ({ table }, call) => {
      const user = userOf(call, 'os_compute_api:os-keypairs:index', call.query['user_id']?.[0]);
      const [limit, after] = [readLimit(call), call.query['marker']?.[0]];
      const last = after && (await readRecordBy(table, kind, keyPair.name.unique, after, user));
      if (after !== undefined && !last) throw Invalid(`marker [${after}] not found`);
      const page = { limit, marker: last ? last.uuid : undefined, sort_key: 'id', descending: false };
      const found = await listRecords(table, kind, page, { lookups: [{ index: 'user_id', value: user }] });
      const show = shownAs(call, brief);
      const next = call.version >= 35 && found.length === limit ? found.at(-1)!.name : undefined;
      return {
        body: { keypairs: found.map((one) => ({ keypair: show(one) })), ...nextLinks(call, at, 'keypairs', next) },
      };
    },
  }),
  route<Record<'keypair', Record<string, unknown>>>({
    at: `POST ${at}`,
    policy: 'os_compute_api:os-keypairs:create',
    status: (version) => (version < 2 ? 200 : 201),
    answers: shape,
    body: namedSchema('keypair', keyPair),
    handle: async (deps, call) => {
      const named = call.body['keypair']?.['user_id'] as string | undefined;
      const user_id = userOf(call, 'os_compute_api:os-keypairs:create', named ?? undefined);
      const { values, private_key } = await readNew(call);
      const record = newRecord(deps, kind, { ...values, user_id });
      await createKeyPair(deps, record, call.subject.project);
      const show = shownAs(call, [...brief, 'user_id']);
      return { body: { keypair: { ...show(record), ...(private_key && { private_key }) } } };
    },
  }),
  route({
    at: `GET ${at}/{keypair_name}`,
    policy: 'os_compute_api:os-keypairs:show',
    query: ofUser,
    answers: shape,
    handle: async (deps, call) => {
      const found = await find(deps, call, 'os_compute_api:os-keypairs:show');
      return { body: { keypair: shownAs(call, 'all')(found) } };
    },
  }),
  route({
    at: `DELETE ${at}/{keypair_name}`,
    policy: 'os_compute_api:os-keypairs:delete',
    query: ofUser,
    status: (version) => (version < 2 ? 202 : 204),
    handle: async (deps, call) => {
      await removeKeyPair(deps, await find(deps, call, 'os_compute_api:os-keypairs:delete'));
      return {};
    },
  }),
];
