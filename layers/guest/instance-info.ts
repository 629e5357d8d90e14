/** instance_info as it tells of a guest: what a deploy writes there (nova-driver.md 2). What is read of it: `told.ts`. */
import { type Fact, type FactName, facts, type FloatingIp, type GuestMetadata, type GuestPort } from './metadata.ts';

/** What a deploy says besides what the guest is. */
export type Deployment = {
  /** Name of the service that deploys. */
  readonly host: string;
  /** Size of the machine's disk as its `properties` say, GiB; not that of the flavor. */
  readonly local_gb: number;
  /** File system of the ephemeral disk; null: the default of the image. */
  readonly ephemeral_format: string | null;
  /** Of a rebuild only: whether the ephemeral disk is kept. */
  readonly preserve_ephemeral?: boolean;
};

/** A value of instance_info. Numbers are written as text, lists of addresses as JSON text. */
type Value = string | readonly string[];

type Key = {
  /** Undefined: there is nothing to say. */
  of(meta: GuestMetadata, deployment: Deployment): Value | undefined;
  /** Without it machines are deployed otherwise, so no setting leaves it out. */
  readonly needed?: true;
  /** It is a fact of the metadata, of the same name. */
  readonly isFact?: true;
  readonly backfilled?: true;
  readonly doc: string;
};

const factKey = (name: FactName): Key => {
  const { doc, unlessZero, backfilled }: Fact = facts[name];
  return {
    of: (meta) => (meta[name] === null || (unlessZero && meta[name] === 0) ? undefined : String(meta[name])),
    ...(['root_gb', 'swap_mb', 'ephemeral_gb'].includes(name) && { needed: true }),
    ...(backfilled && { backfilled }),
    isFact: true,
    doc,
  };
};

const factKeys = Object.fromEntries(Object.keys(facts).map((name) => [name, factKey(name as FactName)])) as {
  readonly [N in FactName]: Key;
};

/** Nova's address, and beside it the port that has it, which Nova does not tell. */
const addressOf = (
  port: GuestPort,
  { address, type, version }: { address: string; type: string; version: number },
) => ({
  address,
  type,
  version,
  meta: {},
  ...(port.uuid !== null && { port_id: port.uuid }),
});

const fixedIps = ({ ports }: GuestMetadata) =>
  ports.flatMap((port) =>
    port.fixed_ips.map(({ floating_ips, ...fixed }) => {
      const { port_id, ...told } = addressOf(port, fixed);
      const floating = floating_ips.map(({ address, type, version }) => ({ address, type, version, meta: {} }));
      return { ...told, floating_ips: floating, ...(port_id !== undefined && { port_id }) };
    }),
  );

const floatingOf = ({ fixed_ips: fixed, floating_ips: own }: GuestPort): FloatingIp[] => [
  ...fixed.flatMap(({ floating_ips }) => floating_ips),
  ...own,
];

const floatingIps = ({ ports }: GuestMetadata) =>
  ports.flatMap((port) => floatingOf(port).map((floating) => addressOf(port, floating)));

/** What an extra spec or image property with this scope is about, and what it says: `trait1:X` is X in the scope trait. */
const scoped = (specs: Readonly<Record<string, string>>, scope: RegExp): [string, string][] =>
  Object.entries(specs).flatMap(([key, value]) => {
    const [, name] = scope.exec(key) ?? [];
    return name === undefined ? [] : [[name, value] as [string, string]];
  });

const capabilitiesOf = ({ extra_specs }: GuestMetadata): string | undefined => {
  const found = scoped(extra_specs, /^capabilities:(.+)$/);
  return found.length > 0 ? JSON.stringify(Object.fromEntries(found)) : undefined;
};

const traitsOf = ({ extra_specs, image }: GuestMetadata): string[] | undefined => {
  const all = [extra_specs, image?.properties ?? {}].flatMap((specs) => scoped(specs, /^trait\d*:(.+)$/));
  const required = all.filter(([, value]) => value === 'required').map(([name]) => name);
  return required.length > 0 ? [...new Set(required)] : undefined;
};

/** Python's words, which Ironic's clients expect. */
const boolean = (value: boolean) => (value ? 'True' : 'False');

/** Every key, in the order in which a deploy sends them. A fact of the metadata has its row there. */
export const instanceInfoKeys: { readonly [name: string]: Key } = {
  image_source: {
    of: ({ root }) => (root?.type === 'image' ? root.uuid : undefined),
    needed: true,
    doc: 'UUID of the image.',
  },
  ...factKeys,
  nova_host_id: { of: (_meta, { host }) => host, doc: 'Name of the service that deploys.' },
  local_gb: { of: (_meta, { local_gb }) => String(local_gb), doc: "Size of the machine's disk, GiB." },
  fixed_ips: {
    of: (meta) => JSON.stringify(fixedIps(meta)),
    backfilled: true,
    doc: 'Fixed addresses as JSON text, each with the floating ones that lead to it.',
  },
  floating_ips: {
    of: (meta) => JSON.stringify(floatingIps(meta)),
    backfilled: true,
    doc: 'Floating addresses as JSON text.',
  },
  ephemeral_format: {
    of: ({ ephemeral_gb }, { ephemeral_format: format }) => (ephemeral_gb && format !== null ? format : undefined),
    needed: true,
    doc: 'File system of the ephemeral disk.',
  },
  preserve_ephemeral: {
    of: (_meta, { preserve_ephemeral: keep }) => (keep === undefined ? undefined : boolean(keep)),
    needed: true,
    doc: 'Of a rebuild: whether the ephemeral disk is kept.',
  },
  capabilities: { of: capabilitiesOf, needed: true, doc: 'What the flavor asks of the machine, as JSON text.' },
  traits: { of: traitsOf, needed: true, doc: 'Traits that the flavor or the image requires; a list.' },
};

/** The names that the setting instance_info_leave_out may have. */
export const spareKeys: readonly string[] = Object.entries(instanceInfoKeys)
  .filter(([, { needed }]) => !needed)
  .map(([name]) => name);

/** What instance_info tells of a guest, without the keys of `leaveOut`, which are among `spareKeys`. */
export const toInstanceInfo = (
  meta: GuestMetadata,
  deployment: Deployment,
  leaveOut: readonly string[] = [],
): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(instanceInfoKeys).flatMap(([name, { of }]) => {
      const value = leaveOut.includes(name) ? undefined : of(meta, deployment);
      return value === undefined ? [] : [[name, value]];
    }),
  );
