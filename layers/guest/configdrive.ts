/**
 * The configdrive of a guest (nova-driver.md 4): what its cloud-init reads. Documents and their keys are rows with the
 * version of the format that introduced them; each version has a folder, so that old readers find what they know.
 */
import { configdriveLabel } from '../configdrive/index.ts';
import { buildIso, type IsoFile } from '../configdrive/iso.ts';
import { ec2Data } from './ec2-data.ts';
import { networkData } from './network-data.ts';
import type { GuestNetwork } from './network.ts';
import type { GuestServer } from './server.ts';

/** The versions of the format, oldest first; `latest` is the newest. */
const versions = [
  '2012-08-10',
  '2013-04-04',
  '2013-10-17',
  '2015-10-15',
  '2016-06-30',
  '2016-10-06',
  '2017-02-22',
  '2018-08-27',
  '2020-10-14',
  '2025-04-04',
  'latest',
] as const;
type Version = (typeof versions)[number];

const isKnown = (since: Version | undefined, version: Version): boolean =>
  since === undefined || versions.indexOf(since) <= versions.indexOf(version);

const contentPath = (at: number) => `content/${String(at).padStart(4, '0')}`;

type Row<T> = { readonly since?: Version; readonly of: (server: GuestServer, network: GuestNetwork) => T };

/** The keys of meta_data.json; undefined: absent. */
const metaKeys: { readonly [name: string]: Row<unknown> } = {
  uuid: { of: ({ metadata }) => metadata.uuid },
  name: { of: ({ metadata }) => metadata.display_name },
  hostname: { of: ({ hostname }) => hostname },
  launch_index: { of: ({ launch_index }) => launch_index },
  availability_zone: { of: ({ availability_zone: zone }) => zone },
  meta: { of: ({ meta }) => (Object.keys(meta).length > 0 ? meta : undefined) },
  public_keys: { of: ({ key_pair: key }) => (key ? { [key.name]: key.public_key } : undefined) },
  keys: { of: ({ key_pair: key }) => (key ? [{ name: key.name, type: key.type, data: key.public_key }] : undefined) },
  files: {
    of: ({ files }) =>
      files.length > 0 ? files.map(({ path }, at) => ({ path, content_path: `/${contentPath(at)}` })) : undefined,
  },
  admin_pass: { of: ({ admin_pass }) => admin_pass ?? undefined },
  random_seed: { since: '2013-04-04', of: ({ random_seed: seed }) => Buffer.from(seed).toString('base64') },
  project_id: { since: '2015-10-15', of: ({ metadata }) => metadata.project_id ?? undefined },
  // A machine has no devices that were tagged and no processors that it shares.
  devices: { since: '2016-06-30', of: () => [] },
  dedicated_cpus: { since: '2020-10-14', of: () => [] },
};

const metaData = (server: GuestServer, network: GuestNetwork, version: Version): object =>
  Object.fromEntries(
    Object.entries(metaKeys)
      .filter(([, { since }]) => isKnown(since, version))
      .map(([name, { of }]) => [name, of(server, network)]),
  );

/** The documents besides meta_data.json; undefined: absent. */
const documents: { readonly [name: string]: Row<object | Uint8Array | undefined> } = {
  user_data: { of: ({ user_data }) => user_data ?? undefined },
  'vendor_data.json': { since: '2013-10-17', of: ({ vendor_data }) => vendor_data },
  'network_data.json': { since: '2015-10-15', of: (_server, network) => networkData(network) },
  'vendor_data2.json': { since: '2016-10-06', of: ({ vendor_data }) => ({ static: vendor_data }) },
};

const bytesOf = (content: object): Uint8Array =>
  content instanceof Uint8Array ? content : new TextEncoder().encode(JSON.stringify(content));

const ofVersion = (server: GuestServer, network: GuestNetwork, version: Version): IsoFile[] => {
  const told = Object.entries(documents)
    .filter(([, { since }]) => isKnown(since, version))
    .map(([name, { of }]) => [name, of(server, network)] as const);
  return [['meta_data.json', metaData(server, network, version)] as const, ...told].flatMap(([name, content]) =>
    content ? [{ path: `openstack/${version}/${name}`, data: bytesOf(content) }] : [],
  );
};

/** Nova writes these two by default, and leaves out the older ones. */
const ec2Versions = ['2009-04-04', 'latest'];

const ec2Files = (server: GuestServer): IsoFile[] =>
  ec2Versions.flatMap((version) => [
    { path: `ec2/${version}/meta-data.json`, data: bytesOf(ec2Data(server)) },
    ...(server.user_data ? [{ path: `ec2/${version}/user-data`, data: server.user_data }] : []),
  ]);

/** Every file of the drive. */
export const configdriveFiles = (server: GuestServer, network: GuestNetwork): IsoFile[] => [
  ...versions.flatMap((version) => ofVersion(server, network, version)),
  ...server.files.map(({ contents }, at) => ({ path: `openstack/${contentPath(at)}`, data: contents })),
  ...ec2Files(server),
];

/**
 * The drive as a raw ISO 9660 + Joliet + Rock Ridge image labelled config-2. The same input gives the same bytes. It
 * holds `admin_pass` and `user_data`: it is a secret.
 */
export const buildGuestDrive = (server: GuestServer, network: GuestNetwork): Uint8Array =>
  buildIso({ label: configdriveLabel, files: configdriveFiles(server, network) });
