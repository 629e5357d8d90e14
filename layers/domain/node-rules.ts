/** What holds of every node's values, however they came: by POST, by PATCH, by an inspection rule (ironic-api.md 1.6, 2.4, 2.5). */
import { Invalid } from './fault.ts';
import { isUuid } from './values.ts';

/** They are pieces of paths below /v1/nodes. */
const reserved = ['detail', 'validate', 'states', 'vendor_passthru', 'management', 'maintenance'];

/** Names before 1.10 were those of hosts. */
const hostname = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$/;

const checkName = (name: unknown, version: number): void => {
  if (typeof name !== 'string') return;
  if (reserved.includes(name)) throw Invalid(`Cannot use the name "${name}" for a node, it is reserved.`);
  if (isUuid(name)) throw Invalid('Cannot use a UUID as the name of a node.');
  if (version < 10 && !hostname.test(name)) {
    throw Invalid(`Cannot use the name "${name}" for a node: before API version 1.10 it has to be a hostname.`);
  }
};

const bootModes = ['bios', 'uefi'];

/** properties.capabilities is "key:value,key:value". */
const checkCapabilities = (properties: unknown): void => {
  const text = (properties as { capabilities?: unknown } | undefined)?.capabilities;
  const mode = typeof text === 'string' ? /(?:^|,)\s*boot_mode:([^,]*)/.exec(text)?.[1]?.trim() : undefined;
  if (mode !== undefined && !bootModes.includes(mode)) {
    throw Invalid(`properties.capabilities has boot_mode ${mode}, which is none of ${bootModes.join(', ')}.`);
  }
};

/** network_data.json needs these three, or is empty. */
const checkNetworkData = (data: unknown): void => {
  const given = (data ?? {}) as Record<string, unknown>;
  const missing = ['links', 'networks', 'services'].filter((key) => !Array.isArray(given[key]));
  if (Object.keys(given).length > 0 && missing.length > 0) {
    throw Invalid(`Invalid value for network_data: ${missing.join(', ')} must be a list.`);
  }
};

/** Checks the values that are given, each alone. Throws Invalid (400). */
export const checkValues = (values: Readonly<Record<string, unknown>>, version: number): void => {
  checkName(values['name'], version);
  checkCapabilities(values['properties']);
  checkNetworkData(values['network_data']);
};

/** Checks the node as a whole. Throws Invalid (400). */
export const checkWhole = (node: Readonly<Record<string, unknown>>): void => {
  for (const flag of ['protected', 'retired']) {
    if (node[`${flag}_reason`] && !node[flag]) throw Invalid(`${flag}_reason can only be set while ${flag} is true.`);
  }
};
