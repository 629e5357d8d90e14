/** The configdrive that Ingot builds from the JSON form of PUT states/provision (DESIGN.md 6, ironic-deploy.md 5). */
import { buildIso, type IsoFile } from './iso.ts';

export type ConfigdriveDocuments = {
  readonly meta_data?: Readonly<Record<string, unknown>> | undefined;
  readonly network_data?: Readonly<Record<string, unknown>> | undefined;
  /** Text goes in as it is; an object or list is written as JSON. */
  readonly user_data?: Readonly<Record<string, unknown>> | readonly unknown[] | string | null | undefined;
  readonly vendor_data?: Readonly<Record<string, unknown>> | undefined;
};

/** What a node tells about itself where meta_data does not. */
export type ConfigdriveDefaults = { readonly uuid: string; readonly name: string | null };

/** The label by which cloud-init and the Linux tools find the drive. */
export const configdriveLabel = 'config-2';

/** Versions of the metadata format under which each document is found: the oldest one, and the newest. */
const versions = ['2012-08-10', 'latest'];

const encode = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

/**
 * A raw ISO 9660 + Joliet + Rock Ridge image labelled config-2. meta_data gets `uuid` and `name` of the node unless it
 * has its own; documents that were not given are not in it. The same input gives the same bytes.
 */
export const buildConfigdrive = (documents: ConfigdriveDocuments, defaults: ConfigdriveDefaults): Uint8Array => {
  const metaData = {
    uuid: defaults.uuid,
    ...(defaults.name !== null && { name: defaults.name }),
    ...documents.meta_data,
  };
  const contents: [string, unknown][] = [
    ['meta_data.json', metaData],
    ['network_data.json', documents.network_data],
    ['user_data', documents.user_data],
    ['vendor_data2.json', documents.vendor_data],
  ];
  const given = contents.filter(([, value]) => value !== undefined && value !== null);
  const files: IsoFile[] = versions.flatMap((version) =>
    given.map(([name, value]) => ({ path: `openstack/${version}/${name}`, data: encode(value) })),
  );
  return buildIso({ label: configdriveLabel, files });
};
