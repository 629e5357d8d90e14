/** Which keys of driver_info decide who gets a secret of it: read off the tables of hardware types, ours and foreign. */
import { foreignRecipients } from './foreign-types.ts';
import { hardwareTypes } from './hardware-types.ts';
import { isSame } from './values.ts';

type DriverInfo = Readonly<Record<string, unknown>>;

const ours = Object.values(hardwareTypes).flatMap(({ properties }) => {
  const rows = Object.entries(properties);
  const keys = rows.filter(([, { recipient }]) => recipient).map(([name]) => name);
  return rows.filter(([, { secret }]) => secret).map(([name]): [string, readonly string[]] => [name, keys]);
});

const keysOf: ReadonlyMap<string, readonly string[]> = new Map([
  ...foreignRecipients().map(([secret, key]): [string, readonly string[]] => [secret, [key]]),
  ...ours,
]);

/** The names of the secrets that go to a BMC. */
export const sentSecrets: readonly string[] = [...keysOf.keys()];

/** What a driver_info says of who gets the secret of this name, one value a key; undefined: nobody does. */
export const recipientOf = (secret: string, info: DriverInfo): readonly unknown[] | undefined =>
  keysOf.get(secret)?.map((key) => info[key] ?? null);

/** The keys by which the secret of this name would go to somebody else than before. */
export const movedRecipient = (secret: string, before: DriverInfo, after: DriverInfo): string[] =>
  (keysOf.get(secret) ?? []).filter((key) => !isSame(before[key] ?? null, after[key] ?? null));
