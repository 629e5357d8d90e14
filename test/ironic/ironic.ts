/**
 * A real Ironic on the loopback interface: API and conductor in one process of an ordinary user, without message bus and
 * without Keystone, over a database that is an SQLite file unless another one is named. It can be stopped and started
 * again, as an operator does.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { freePort, type Process, request, startProgram } from '../machine/system.ts';

const root = new URL('../..', import.meta.url).pathname;

/** What run.sh installs: where, and the microversion that it speaks. */
const releases = {
  '39.0': { venv: '.venv-ironic', microversion: '1.115' },
  '21.4': { venv: '.venv-ironic-21.4', microversion: '1.82' },
} as const;

/** The newest, and the one that Debian 12 and OpenStack 2023.1 have. */
export type Release = keyof typeof releases;

/** The interfaces that nodes of the tests may have: drivers that do nothing, and those of Redfish and IPMI. */
const enabled = {
  bios: 'fake,no-bios,redfish',
  boot: 'fake,ipxe,redfish-virtual-media',
  console: 'fake,no-console',
  deploy: 'fake,direct',
  firmware: 'fake,no-firmware,redfish',
  inspect: 'fake,no-inspect,redfish',
  management: 'fake,ipmitool,redfish',
  network: 'noop',
  power: 'fake,ipmitool,redfish',
  raid: 'fake,no-raid,agent,redfish',
  rescue: 'fake,no-rescue,agent',
  storage: 'fake,noop,external',
  vendor: 'fake,no-vendor,ipmitool,redfish',
} as const;

type Place = { readonly folder: string; readonly port: number; readonly connection: string };

/** It keeps to what it is told: it looks at no machine by itself, and waits for none. */
const configOf = ({ folder, port, connection }: Place): string => `[DEFAULT]
auth_strategy = noauth
host = conductor-of-the-test
my_ip = 127.0.0.1
rpc_transport = none
use_stderr = true
state_path = ${folder}/state
tempdir = ${folder}/state
enabled_hardware_types = fake-hardware,redfish,ipmi
${Object.entries(enabled)
  .map(([name, list]) => `enabled_${name}_interfaces = ${list}`)
  .join('\n')}
default_network_interface = noop
[api]
host_ip = 127.0.0.1
port = ${port}
api_workers = 1
[database]
connection = ${connection}
[conductor]
automated_clean = false
sync_power_state_interval = 0
check_provision_state_interval = 0
[dhcp]
dhcp_provider = none
[pxe]
tftp_root = ${folder}/tftp
tftp_master_path = ${folder}/tftp/master
images_path = ${folder}/images
instance_master_path = ${folder}/images/master
[deploy]
http_root = ${folder}/http
http_url = http://127.0.0.1:1/
[oslo_concurrency]
lock_path = ${folder}/state
`;

/** The driver asks for the version when it is loaded. No BMC of the tests speaks IPMI. */
const ipmitool = '#!/bin/sh\n[ "$1" = -V ] && echo "ipmitool version 1.8.19"\n';

const layOut = (place: Place): void => {
  const { folder } = place;
  for (const name of ['state', 'tftp', 'images', 'http', 'bin']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'bin/ipmitool'), ipmitool);
  chmodSync(join(folder, 'bin/ipmitool'), 0o755);
  // A database's password is in it.
  writeFileSync(join(folder, 'ironic.conf'), configOf(place), { mode: 0o600 });
};

const run = async (program: string, args: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(program, args, (error, out, err) => (error ? reject(new Error(`${program}: ${out}${err}`)) : resolve()));
  });

export type Ironic = {
  readonly url: string;
  /** The newest that it speaks. */
  readonly microversion: string;
  /** Where its SQLite file is, if it has one. */
  readonly file: string;
  /** Starts it, if it is not running, and waits until it answers and its conductor is there. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Its process, while it runs. */
  pid(): number | undefined;
  /** What it wrote since it was started last. */
  output(): string;
};

/**
 * Writes its configuration into the folder and its schema into the database, and leaves it stopped. `connection`: as
 * SQLAlchemy writes it. Throws if it is not installed.
 */
export const createIronic = async (folder: string, connection?: string, release: Release = '39.0'): Promise<Ironic> => {
  const { venv, microversion } = releases[release];
  const programs = join(root, venv, 'bin');
  if (!existsSync(join(programs, 'ironic'))) {
    throw new Error(`There is no Ironic in ${venv}: \`npm run test:ironic\` installs it.`);
  }
  const port = await freePort();
  const file = join(folder, 'ironic.db');
  layOut({ folder, port, connection: connection ?? `sqlite:///${file}` });
  const config = ['--config-file', join(folder, 'ironic.conf')];
  await run(join(programs, 'ironic-dbsync'), [...config, 'create_schema']);

  const url = `http://127.0.0.1:${port}`;
  let service: Process | undefined;
  let told = '';
  const conductors = async (): Promise<boolean> => {
    const { status, body } = await request(url, 'GET', '/v1/drivers', undefined, microversion);
    return status === 200 && (body['drivers'] as readonly unknown[]).length === 3;
  };
  return {
    url,
    microversion,
    file,
    start: async () => {
      if (service) return;
      const PATH = `${folder}/bin:${process.env['PATH']}`;
      service = startProgram(join(programs, 'ironic'), config, { PATH });
      await service.ready('Ironic', conductors, 60);
    },
    stop: async () => {
      await service?.kill('SIGTERM');
      told = service?.output() ?? told;
      service = undefined;
    },
    pid: () => service?.child.pid,
    output: () => service?.output() ?? told,
  };
};
