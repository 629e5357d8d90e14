/** meta-data.json of the EC2 tree of a configdrive (nova-driver.md 4), for readers that know nothing else. */
import type { FixedIp, FloatingIp } from './metadata.ts';
import type { GuestServer } from './server.ts';

/** Nova counts such things; here they have the beginning of their UUID, as long as those of EC2 are. */
const shortId = (kind: 'i' | 'ami', uuid: string): string => `${kind}-${uuid.replaceAll('-', '').slice(0, 17)}`;

const firstOf = (ips: readonly (FixedIp | FloatingIp)[]): string =>
  ips.find(({ version }) => version === 4)?.address ?? '';

const addresses = ({ metadata: { ports } }: GuestServer) => {
  const fixed = ports.flatMap(({ fixed_ips }) => fixed_ips);
  const floating = [
    ...fixed.flatMap(({ floating_ips }) => floating_ips),
    ...ports.flatMap((port) => port.floating_ips),
  ];
  return { 'local-ipv4': firstOf(fixed), 'public-ipv4': firstOf(floating) };
};

/** The object; what there is nothing to say of is absent. */
export const ec2Data = (server: GuestServer): object => {
  const { metadata, hostname, key_pair: key } = server;
  const { root } = metadata;
  return {
    ...(root?.type === 'image' && { 'ami-id': shortId('ami', root.uuid) }),
    'ami-launch-index': server.launch_index,
    'ami-manifest-path': 'FIXME',
    'instance-id': shortId('i', metadata.uuid),
    hostname,
    'local-hostname': hostname,
    'public-hostname': hostname,
    ...addresses(server),
    'reservation-id': server.reservation_id,
    'security-groups': server.security_groups,
    ...(metadata.flavor_name !== null && { 'instance-type': metadata.flavor_name }),
    'block-device-mapping': {
      ami: 'sda',
      root: '/dev/sda',
      ...((metadata.ephemeral_gb ?? 0) > 0 && { ephemeral0: 'sda1' }),
    },
    placement: { 'availability-zone': server.availability_zone },
    'instance-action': 'none',
    ...(key && { 'public-keys': { '0': { _name: `0=${key.name}`, 'openssh-key': key.public_key } } }),
  };
};
