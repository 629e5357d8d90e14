/** The action rebuild (compute-api.md 3): what is to become of the server is noted down, the run writes its disk anew. */
import type { Asked } from '../../../layers/domain/compute/actions.ts';
import { checkQuota } from '../../../layers/domain/compute/quota.ts';
import { readStanding } from '../../../layers/store/compute-quotas.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { Answer, Deps } from '../route.ts';
import { act } from './act.ts';
import type { ActionCall } from './action.ts';
import { newPassword, passwordWrite } from './password.ts';
import { readFiles } from './personality.ts';
import { requireImage, requireKey } from './requirements.ts';
import { showServer, wantAfterChange } from './view.ts';

type Values = Asked['values'];

/** What is given stays as it is in the record; null takes away what a server may be without. */
const plain = ['name', 'description', 'accessIPv4', 'accessIPv6', 'diskConfig', 'hostname', 'metadata'] as const;

const plainOf = (values: Values): Partial<StoredServer> =>
  Object.fromEntries(
    plain.filter((name) => (values[name] ?? undefined) !== undefined).map((name) => [name, values[name]]),
  );

const keyOf = async (
  deps: Deps,
  { subject }: ActionCall,
  { key_name: name }: Values,
): Promise<Partial<StoredServer>> => {
  if (name === undefined) return {};
  if (name === null) return { key_name: null, key_pair: null };
  const key_pair = await requireKey(deps.table, subject, name as string);
  return { key_name: key_pair.name, key_pair };
};

const userDataOf = ({ user_data: data }: Values): Partial<StoredServer> => {
  if (data === undefined) return {};
  return { user_data: data === null ? null : (data as string).replaceAll(/\s/g, '') };
};

/** What becomes of the record. Throws Invalid (400), Forbidden (403) past a limit. */
const read = async (deps: Deps, call: ActionCall, values: Values): Promise<Partial<StoredServer>> => {
  const { target, subject } = call;
  const { limits } = await readStanding(deps.table, `project:${target.tenant_id}`);
  checkQuota({ metadata_items: Object.keys(values['metadata'] ?? {}).length }, {}, limits);
  const image = await requireImage(deps.table, subject, values['imageRef'] as string, target.flavor);
  const files = readFiles(values['personality'] ?? undefined, limits);
  return {
    ...plainOf(values),
    ...(await keyOf(deps, call, values)),
    ...userDataOf(values),
    ...(files && { personality: files }),
    image: image.uuid,
    fault: null,
  };
};

/** Answers the server as it is then, with the password of its guest. */
export const rebuild = async (deps: Deps, call: ActionCall, { action, values }: Asked): Promise<Answer> => {
  const password = (values['adminPass'] as string | undefined) ?? newPassword();
  const set = await read(deps, call, values);
  const kept = await passwordWrite(deps, call.target.uuid, password);
  const asked = { action, values: { preserve_ephemeral: values['preserve_ephemeral'] ?? false } };
  const { after } = await act(deps, call, asked, () => ({ set, also: [kept] }));
  const server = await showServer(deps.table, call, after, wantAfterChange(call));
  return {
    location: `/v2.1/servers/${after.uuid}`,
    body: { server: { ...server, adminPass: password, ...rebuiltShows(call, after) } },
  };
};

/** What answers have had since the action took it. */
const rebuiltShows = ({ version }: ActionCall, { key_name, user_data }: StoredServer) => ({
  ...(version >= 54 && { key_name }),
  ...(version >= 57 && { user_data }),
});
