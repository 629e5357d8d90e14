/** What the BMC's registry says about the settings of the BIOS: kinds, limits, allowed values. */
import { isFault } from '../../layers/domain/fault.ts';
import { undescribed } from '../../layers/bmc/settings.ts';
import { attributeRegistry, registryFile } from '../../layers/redfish-client/parts.ts';
import type { Bmc } from './bmc.ts';
import { readMembers, readOptional } from './resource.ts';

type Described = typeof undescribed;

/** A registry is a help: one that is refused, or cannot be read, takes nothing from the values themselves. */
const helpless = ['BmcProtocol', 'BmcRejected', 'BmcUnsupported', 'BmcNotFound'];

const readEntries = async (bmc: Bmc, id: string) => {
  const { Registries } = await bmc.redfish.root();
  const isIt = ({ path, body }: { path: string; body: { Id?: unknown; Registry?: unknown } }) =>
    [body.Registry, body.Id, decodeURIComponent(path.split('/').at(-1)!)].includes(id);
  const file = (await readMembers(bmc, Registries, registryFile)).find(isIt);
  const places = file?.body.Location ?? [];
  const place = places.find(({ Language }) => /^en/i.test(Language ?? '')) ?? places[0];
  if (!place?.Uri) return [];
  const found = await readOptional(bmc, { '@odata.id': place.Uri }, attributeRegistry);
  return found?.body.RegistryEntries?.Attributes ?? [];
};

type Entry = Awaited<ReturnType<typeof readEntries>>[number];

const toDescribed = (entry: Entry): Described => ({
  attribute_type: entry.Type ?? null,
  allowable_values: entry.Value?.flatMap(({ ValueName }) => ValueName ?? []) ?? null,
  lower_bound: entry.LowerBound ?? null,
  max_length: entry.MaxLength ?? null,
  min_length: entry.MinLength ?? null,
  read_only: entry.ReadOnly ?? entry.Readonly ?? null,
  reset_required: entry.ResetRequired ?? null,
  unique: entry.IsSystemUniqueProperty ?? null,
  upper_bound: entry.UpperBound ?? null,
});

/** A function from a setting's name to what the registry `id` says; nothing where there is no such registry. */
export const readAttributes = async (bmc: Bmc, id: string | null | undefined): Promise<(name: string) => Described> => {
  if (!id) return () => undescribed;
  const entries = await readEntries(bmc, id).catch((error: unknown) => {
    if (isFault(error) && helpless.includes(error.name)) return [];
    throw error;
  });
  const byName = new Map(entries.map((entry) => [entry.AttributeName, toDescribed(entry)]));
  return (name) => byName.get(name) ?? undescribed;
};
