/** What the guest of a server and its node are told of it: one neutral object, of the server and its ports as they are. */
import { secondTime } from '../../../layers/domain/compute/times.ts';
import { release } from '../../../layers/domain/release.ts';
import type { Deployment } from '../../../layers/guest/instance-info.ts';
import { createMetadata, type GuestMetadata } from '../../../layers/guest/metadata.ts';
import { guestPorts, type Vif } from '../../../layers/guest/network.ts';
import { type GuestServer, newRandomSeed } from '../../../layers/guest/server.ts';
import type { Table } from '../../../layers/platform/table.ts';
import { sizeOf } from '../../../layers/schedule/candidate.ts';
import { serverCompanions } from '../../../layers/store/kinds/companions.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import { networkKinds } from '../../../layers/store/kinds/networks.ts';
import { type StoredImage, tenantKinds } from '../../../layers/store/kinds/tenants.ts';
import { readRecord } from '../../../layers/store/records/find.ts';
import { vifOf } from '../../../layers/store/server-ports.ts';
import type { ServerContext } from './phase.ts';

/** The image that a server is made of; undefined: it was deleted meanwhile. */
export const imageOf = async (table: Table, { image }: StoredServer): Promise<StoredImage | undefined> =>
  readRecord(table, tenantKinds.image, image);

/** The VIFs of a server, in the order of its interfaces. */
export const vifsOf = async (table: Table, { interfaces }: Pick<StoredServer, 'interfaces'>): Promise<Vif[]> => {
  const uuids = interfaces.filter(({ state }) => state !== 'leaving').map(({ port_id: uuid }) => uuid);
  const ports = await Promise.all(uuids.map(async (uuid) => readRecord(table, networkKinds.network_port, uuid)));
  return Promise.all(ports.flatMap((port) => (port ? [vifOf(table, port)] : [])));
};

const imageTold = ({ uuid, container_format, disk_format, min_disk, min_ram, properties }: StoredImage) => ({
  uuid,
  container_format,
  disk_format,
  min_disk,
  min_ram,
  properties,
});

const knownOf = (server: StoredServer, image: StoredImage | undefined) => ({
  uuid: server.uuid,
  package: release,
  display_name: server.name,
  created_at: secondTime(server.created_at),
  flavor_name: server.flavor.name,
  flavor_id: server.flavor.id,
  memory_mb: server.flavor.ram,
  root_gb: server.flavor.disk,
  swap_mb: server.flavor.swap,
  ephemeral_gb: server.flavor.ephemeral,
  vcpus: server.flavor.vcpus,
  user_id: server.user_id,
  user_name: server.user_name,
  project_id: server.tenant_id,
  project_name: server.project_name,
  extra_specs: server.flavor.extra_specs,
  image: image ? imageTold(image) : null,
  root: { type: 'image', uuid: server.image } as const,
});

/** The metadata of a server that is made of this image, with these VIFs. */
export const metadataOf = (server: StoredServer, image: StoredImage | undefined, vifs: readonly Vif[]): GuestMetadata =>
  createMetadata(knownOf(server, image), guestPorts(vifs));

/** What is told of the deployment on a node with these properties. */
export const deploymentOf = (
  { settings }: Pick<ServerContext, 'settings'>,
  node: Parameters<typeof sizeOf>[0],
): Deployment => ({
  host: settings.host,
  local_gb: sizeOf(node).local_gb,
  ephemeral_format: settings.ephemeralFormat,
});

/** The password for the guest; null once it was told. */
export const passwordOf = async ({
  platform,
  server: { uuid },
}: Pick<ServerContext, 'platform' | 'server'>): Promise<string | null> => {
  const kept = await serverCompanions.admin_password.read(platform.table, uuid);
  return kept ? platform.opener.open(kept.sealed, { node: uuid, name: serverCompanions.admin_password.name }) : null;
};

/** What the configdrive of a server tells besides its network. It is a secret. */
export const guestServerOf = async (context: ServerContext, metadata: GuestMetadata): Promise<GuestServer> => {
  const { server, platform } = context;
  return {
    metadata,
    hostname: server.hostname,
    launch_index: server.launch_index,
    reservation_id: server.reservation_id,
    availability_zone: server.availability_zone,
    meta: server.metadata,
    key_pair: server.key_pair,
    admin_pass: await passwordOf(context),
    user_data: server.user_data === null ? null : Buffer.from(server.user_data, 'base64'),
    vendor_data: {},
    security_groups: server.security_groups.map(({ name }) => name),
    files: (server.personality ?? []).map(({ path, contents }) => ({
      path,
      contents: Buffer.from(contents, 'base64'),
    })),
    random_seed: newRandomSeed(platform),
  };
};
