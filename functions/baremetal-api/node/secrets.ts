/** Credentials leave driver_info before it is stored: they are sealed, and the mask stands in their place. */
import { Conflict, Invalid } from '../../../layers/domain/fault.ts';
import { foreignAccess } from '../../../layers/domain/foreign-types.ts';
import { hardwareTypes, secretKeys } from '../../../layers/domain/hardware-types.ts';
import { isSecretName, mask } from '../../../layers/domain/masking.ts';
import type { Node } from '../../../layers/domain/node.ts';
import { isSame } from '../../../layers/domain/values.ts';
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

/** Whether there is something to seal under this name. Throws Invalid (400) for what can not be a secret. */
const isPlain = (name: string, value: unknown): value is string => {
  if (!isSecret(name) || value === null || value === mask || value === '') return false;
  if (name === agentToken) throw Invalid(`driver_info.${name} is kept by the service, it can not be set.`);
  if (typeof value === 'string') return true;
  if (declared.has(name)) throw Invalid(`Invalid value for driver_info.${name}: must be a string.`);
  return false;
};

/**
 * The stored password of a node of a foreign type is for the BMC that it was given for: a conversion sends it there, and
 * must not send it to whoever has changed the address. Throws Invalid (400).
 */
export const refuseOtherBmc = (
  { uuid, driver, driver_info: before }: Pick<Node, 'uuid' | 'driver' | 'driver_info'>,
  after: DriverInfo,
): void => {
  const access = foreignAccess(driver);
  if (!access || isSame(before[access.address], after[access.address]) || after[access.password] !== mask) return;
  throw Invalid(
    `The stored password of node ${uuid} is for the BMC that it was given for, and ${access.address} is to be another: give driver_info.${access.password} in the same request, or remove it.`,
  );
};

/** Sealed values by name and plain value. */
export type Sealed = ReadonlyMap<string, string>;
const at = (name: string, plain: string) => `${name} ${plain}`;

/** Seals the plain credentials of a driver_info for this node. */
export const sealCredentials = async (
  { sealer }: Pick<Deps, 'sealer'>,
  node: string,
  info: DriverInfo,
): Promise<Sealed> => {
  const sealed = new Map<string, string>();
  for (const [name, value] of Object.entries(info)) {
    if (isPlain(name, value)) sealed.set(at(name, value), await sealer.seal(value, { node, name }));
  }
  return sealed;
};

/**
 * driver_info as it is stored, and all sealed values of the node: a mask keeps what is sealed already, a name that is
 * gone loses its value. Throws Invalid (400) for a mask with nothing behind it, Conflict (409) if the driver_info holds
 * a credential that was not sealed for this call because somebody changed it in between.
 */
export const conceal = (
  info: DriverInfo,
  sealed: Sealed,
  known: Secrets['values'],
): { info: Record<string, unknown>; values: Record<string, string> } => {
  const values: Record<string, string> = known[agentToken] === undefined ? {} : { [agentToken]: known[agentToken] };
  const stored = Object.entries(info).map(([name, value]): [string, unknown] => {
    const old = known[name];
    if (value === mask && isSecret(name)) {
      if (old === undefined)
        throw Invalid(`driver_info.${name} is ${mask}, but no value is stored that it stands for.`);
      values[name] = old;
    }
    if (!isPlain(name, value)) return [name, value];
    const fresh = sealed.get(at(name, value));
    if (fresh === undefined) throw Conflict('driver_info was changed by somebody else at the same time, try again.');
    values[name] = fresh;
    return [name, mask];
  });
  return { info: Object.fromEntries(stored), values };
};
