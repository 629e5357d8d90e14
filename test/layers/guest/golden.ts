/** The goldens of the guest document (../fixtures/guest-metadata), each with the metadata that it is of. */
import { readFileSync } from 'node:fs';

import { createMetadata, type GuestMetadata, type GuestPort } from '../../../layers/guest/metadata.ts';

const folder = new URL('../../fixtures/guest-metadata/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, folder), 'utf8');

type Ip = { type: 'fixed' | 'floating'; address: string; ipVersion: 4 | 6 };
type Input = {
  package: string;
  name: string;
  creationTime: string;
  flavor: {
    name: string;
    id: string;
    memory: number;
    disk: number;
    swap: number;
    ephemeral: number;
    vcpus: number;
    extraSpecs: Record<string, string>;
  };
  image: {
    uuid: string;
    containerFormat: string;
    diskFormat: string;
    minDisk: number;
    minRam: number;
    properties: Record<string, string>;
  };
  owner: { userId: string; userName: string; projectId: string; projectName: string };
  root: { type: 'image'; uuid: string } | null;
  ports: { uuid: string; ips: Ip[] }[];
};

/** Floating addresses of the inputs follow the fixed ones; each leads to the first fixed one of its port. */
const portOf = ({ uuid, ips }: Input['ports'][number]): GuestPort => {
  const floating = ips
    .filter(({ type }) => type === 'floating')
    .map(({ address, ipVersion }) => ({ address, type: 'floating' as const, version: ipVersion }));
  const fixed = ips
    .filter(({ type }) => type === 'fixed')
    .map(({ address, ipVersion }, at) => ({
      address,
      type: 'fixed' as const,
      version: ipVersion,
      floating_ips: at === 0 ? floating : [],
    }));
  return { uuid, fixed_ips: fixed, floating_ips: [] };
};

export const instance = '6a1f2a5e-1111-4222-8333-944455556666';

/** The metadata of a case. */
export const metadataOfCase = (name: string): GuestMetadata => {
  const { flavor, image, owner, root, ports, ...input } = JSON.parse(read(`${name}.input.json`)) as Input;
  return createMetadata(
    {
      uuid: instance,
      package: input.package,
      display_name: input.name,
      created_at: `${input.creationTime.replace(' ', 'T')}Z`,
      flavor_name: flavor.name,
      flavor_id: flavor.id,
      memory_mb: flavor.memory,
      root_gb: flavor.disk,
      swap_mb: flavor.swap,
      ephemeral_gb: flavor.ephemeral,
      vcpus: flavor.vcpus,
      extra_specs: flavor.extraSpecs,
      user_id: owner.userId,
      user_name: owner.userName,
      project_id: owner.projectId,
      project_name: owner.projectName,
      image: {
        uuid: image.uuid,
        container_format: image.containerFormat,
        disk_format: image.diskFormat,
        min_disk: image.minDisk,
        min_ram: image.minRam,
        properties: image.properties,
      },
      root,
    },
    ports.map(portOf),
  );
};

export const golden = (name: string, schema: string): string => read(`${name}.v${schema}.xml`);
