/** What the control plane shows of machines. Tokens, image queries and command parameters stay inside. */
import { withoutSecrets } from '../log.ts';
import { isOn, profileOf, type Machine } from '../machine.ts';
import type { World } from '../world.ts';

const iso = (at: number): string => new Date(at).toISOString();

const dated = <T extends { at: number }>(rows: readonly T[]) => rows.map((row) => ({ ...row, at: iso(row.at) }));

/** How to reach a machine's BMC (`own`: without a path), and the address its network card has. */
export const describeAccess = (world: World, machine: Machine, fingerprint256: string, own?: string) => ({
  name: machine.name,
  profile: machine.profile,
  address: `${world.base}/${machine.name}`,
  own_address: own ?? null,
  system_id: `/redfish/v1/Systems/${profileOf(machine).ids.system}`,
  username: machine.username,
  password: machine.password,
  mac: machine.mac,
  certificate: world.certificate,
  fingerprint256,
});

const describeMedia = (world: World, machine: Machine) =>
  Object.fromEntries(
    Object.entries(machine.media).map(([slot, media]) => [
      slot,
      media && { image: withoutSecrets(media.image), inserted: media.ready_at <= world.clock.now() },
    ]),
  );

const describeAgent = ({ agent }: Machine) =>
  agent && {
    state: agent.state,
    node_uuid: agent.node_uuid,
    api_version: `1.${agent.version}`,
    running: agent.running?.name ?? null,
    rescued: agent.rescue !== undefined,
    commands: agent.commands.map(({ id, command_name, command_status }) => ({ id, command_name, command_status })),
  };

/** What is on the partition; its bytes are at /machines/<name>/configdrive. */
const describeConfigdrive = (configdrive: Machine['disk']['configdrive']) => {
  if (!configdrive) return null;
  const { packed: _packed, ...shown } = configdrive;
  return shown;
};

/** All that can be known of one machine. */
export const describeMachine = (world: World, machine: Machine) => ({
  name: machine.name,
  profile: machine.profile,
  mac: machine.mac,
  power: isOn(machine) ? 'on' : 'off',
  phase: machine.phase,
  device: machine.device,
  change: machine.change && { to: machine.change.to, cause: machine.change.cause, at: iso(machine.change.at) },
  boot: machine.boot,
  media: describeMedia(world, machine),
  agent: describeAgent(machine),
  disk: {
    ...machine.disk,
    configdrive: describeConfigdrive(machine.disk.configdrive),
    ephemeral: machine.disk.ephemeral
      ? { ...machine.disk.ephemeral, made_at: iso(machine.disk.ephemeral.made_at) }
      : null,
    image: machine.disk.image && { ...machine.disk.image, written_at: iso(machine.disk.image.written_at) },
  },
  power_timeline: dated(machine.timeline),
  resets: dated(machine.resets),
  boots: dated(machine.boots),
  boot_count: machine.boot_count,
  sessions: machine.sessions.length,
  auth_failures: machine.auth_failures,
  violations: dated(machine.violations),
  faults: world.faults.list(machine.name),
});
