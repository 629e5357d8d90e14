/** Credentials leave driver_info before it is stored: they are sealed, and the mask stands in their place. */
import { Conflict, Invalid } from '../../../layers/domain/fault.ts';
import { hardwareTypes, secretKeys } from '../../../layers/domain/hardware-types.ts';
import { hasMaskedUser, isSecretName, mask } from '../../../layers/domain/masking.ts';
import type { Node } from '../../../layers/domain/node.ts';
import { movedRecipient, recipientOf, sentSecrets } from '../../../layers/domain/recipients.ts';
import { isObject, isSame } from '../../../layers/domain/values.ts';
import { sealFor } from '../../../layers/bmc/seal.ts';
import type { Secrets } from '../../../layers/store/kinds/companions.ts';
import type { Deps } from '../route.ts';

type DriverInfo = Readonly<Record<string, unknown>>;

/** Fields whose masks are looked at here and in instance-info.ts, as their secrets are. */
export const ownMasks: readonly string[] = ['driver_info', 'instance_info'];

/** Sealed under this name by the ramdisk API, in the same item. */
const agentToken = 'agent_secret_token';

const declared = new Set(Object.keys(hardwareTypes).flatMap(secretKeys));

/** By every hardware type's table, not only the node's: the driver may change later. */
const isSecret = (name: string) => declared.has(name) || isSecretName(name);

/** What is to be sealed of a value under such a name; undefined: nothing. Throws Invalid (400) for what can not be a secret. */
const plainOf = (name: string, value: unknown): string | undefined => {
  if (value === null || value === mask || value === '') return undefined;
  if (name === agentToken) throw Invalid(`driver_info.${name} is kept by the service, it can not be set.`);
  if (typeof value === 'string') return value;
  if (declared.has(name)) throw Invalid(`Invalid value for driver_info.${name}: must be a string.`);
  return JSON.stringify(value);
};

/**
 * A stored password is for the BMC that it was given for (layers/bmc/seal.ts), and must not go to whoever has changed the
 * address, or whom to trust there. Throws Invalid (400).
 */
export const refuseOtherBmc = (
  { uuid, driver_info: before }: Pick<Node, 'uuid' | 'driver_info'>,
  after: DriverInfo,
): void => {
  for (const secret of sentSecrets) {
    const moved = after[secret] === mask ? movedRecipient(secret, before, after) : [];
    if (moved.length === 0) continue;
    throw Invalid(
      `The stored password of node ${uuid} is for the BMC that it was given for, and ${moved.join(' and ')} is to be another: give driver_info.${secret} in the same request, or remove it.`,
    );
  }
};

/** What stands for a value that has the name of a secret. `place` says where it is: each is sealed for its own. */
type Visit = (place: string, name: string, value: unknown) => unknown;

/** Of one at the top its name, of one below a JSON pointer (RFC 6901), which begins with a slash. */
const placeOf = (way: readonly string[]): string =>
  way.length === 1 && !way[0]!.startsWith('/')
    ? way[0]!
    : way.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Places in a list shift: which secret a mask in it stands for could not be told. Throws Invalid (400). */
const refuseInList = (way: readonly string[], value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && isSecret(name) && inner !== null && inner !== '') {
      throw Invalid(`driver_info.${way.join('.')}: "${name}" can not be kept in a list; use an object with names.`);
    }
    refuseInList(way, inner);
  }
};

/** driver_info with what `visit` says in the place of each secret, at any depth. */
const withSecrets = (info: DriverInfo, visit: Visit, above: readonly string[] = []): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(info).map(([name, value]) => {
      const way = [...above, name];
      if (isSecret(name)) return [name, visit(placeOf(way), name, value)];
      if (isObject(value)) return [name, withSecrets(value, visit, way)];
      refuseInList(way, value);
      return [name, value];
    }),
  );

/** Sealed values by place, plain value and whom they are for. */
export type Sealed = ReadonlyMap<string, string>;
const at = (place: string, plain: string, info: DriverInfo) =>
  JSON.stringify([place, plain, recipientOf(place, info) ?? null]);

/** Seals the plain credentials of a driver_info for this node, and for the BMC that it names. Throws Invalid (400). */
export const sealCredentials = async (
  { sealer }: Pick<Deps, 'sealer'>,
  node: string,
  info: DriverInfo,
): Promise<Sealed> => {
  const found: { place: string; plain: string }[] = [];
  withSecrets(info, (place, name, value) => {
    const plain = plainOf(name, value);
    if (plain !== undefined) found.push({ place, plain });
    return value;
  });
  const sealed = new Map<string, string>();
  for (const { place, plain } of found) {
    sealed.set(at(place, plain, info), await sealFor(sealer, plain, { node, name: place }, info));
  }
  return sealed;
};

/**
 * driver_info as it is stored, and all sealed values of the node: a mask keeps what is sealed already, a place that is
 * gone loses its value. Throws Invalid (400) for a mask with nothing behind it, Conflict (409) if the driver_info holds
 * a credential that was not sealed for this call because somebody changed it in between.
 */
export const conceal = (
  info: DriverInfo,
  sealed: Sealed,
  known: Secrets['values'],
): { info: Record<string, unknown>; values: Record<string, string> } => {
  if (hasMaskedUser(info)) {
    throw Invalid('driver_info has ****** in a URL in the place of a user and password that are not stored there.');
  }
  const values: Record<string, string> = known[agentToken] === undefined ? {} : { [agentToken]: known[agentToken] };
  const stored = withSecrets(info, (place, name, value) => {
    const plain = plainOf(name, value);
    if (value !== mask && plain === undefined) return value;
    const kept = plain === undefined ? known[place] : sealed.get(at(place, plain, info));
    if (kept === undefined && value === mask)
      throw Invalid(`driver_info.${place} is ${mask}, but no value is stored that it stands for.`);
    if (kept === undefined) throw Conflict('driver_info was changed by somebody else at the same time, try again.');
    values[place] = kept;
    return mask;
  });
  return { info: stored, values };
};
