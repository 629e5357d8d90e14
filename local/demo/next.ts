/** What the newcomer is told to try next. */
import type { Cloud } from '../cloud.ts';
import { cloudName } from '../clouds-file.ts';
import { names } from './server.ts';
import { tenant } from './tenant.ts';

const version = 'X-OpenStack-Ironic-API-Version: 1.109';

/** `tenant`: what the openstack client is told of a user of a project, if others log in otherwise. */
type Login = { readonly client: string; readonly curl: string; readonly tenant?: string };
type Called = Pick<Cloud, 'url' | 'strategy' | 'clouds'>;

/** What a caller gives to prove who they are, by auth_strategy; the openstack client besides its file. */
const logins: Readonly<Record<string, Login>> = {
  noauth: { client: '', curl: '' },
  http_basic: {
    client: ' OS_USERNAME=operator OS_PASSWORD=...',
    curl: '-u operator:... ',
    tenant: '  export OS_USERNAME=... OS_PASSWORD=...    # of a user of INGOT_USERS_FILE\n',
  },
  oidc: { client: '# no login of its own: see docs/guides/authenticate.md', curl: "-H 'Authorization: Bearer ...' " },
  keystone: {
    client: ' OS_USERNAME=... OS_PASSWORD=... OS_PROJECT_NAME=... OS_USER_DOMAIN_NAME=... OS_PROJECT_DOMAIN_NAME=...',
    curl: "-H 'X-Auth-Token: ...' ",
  },
};

/** As a shell takes it. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

const loginOf = ({ clouds, strategy }: Called): Login => {
  const login = logins[strategy]!;
  if (clouds === undefined) return login;
  return { ...login, client: `export OS_CLIENT_CONFIG_FILE=${quoted(clouds)} OS_CLOUD=${cloudName}${login.client}` };
};

/** A server, made of what the demo has left for its tenant. */
const demoTenantCommands = ({ clouds }: Called): string =>
  clouds === undefined
    ? ''
    : `
and as a tenant, ${tenant.user} of project ${tenant.project}, who has an image, a network and a key pair:

  export OS_AUTH_TYPE=http_basic OS_USERNAME=${tenant.user} OS_PASSWORD=${tenant.password}
  openstack server create --image ${names.image} --flavor ${names.flavor} --network ${names.network} --key-name ${names.key} --wait s1
  openstack server show s1
  openstack server delete s1 --wait
`;

/** The same where everything has yet to be made. */
const tenantCommands = ({ clouds, strategy }: Called): string =>
  clouds === undefined
    ? ''
    : `
and once it is available, a flavor for its class, and as a tenant a server:

  openstack flavor create bm.small --ram 16384 --disk 500 --vcpus 8 --property resources:CUSTOM_BM_SMALL=1 \\
      --property resources:VCPU=0 --property resources:MEMORY_MB=0 --property resources:DISK_GB=0
${logins[strategy]?.tenant ?? ''}  openstack keypair create --public-key ~/.ssh/id_ed25519.pub k
  openstack network create private && openstack subnet create --network private --subnet-range 10.0.0.0/24 private-v4
  openstack server create --image ... --flavor bm.small --network private --key-name k --wait s1
`;

/** What to try with a deployed machine, for the openstack client and for curl, and as a tenant. `name`: the machine's. */
export const nextCommands = (called: Called, name: string): string => {
  const { url } = called;
  return `
Try next, in another terminal, with the openstack client:

  ${loginOf(called).client}
  openstack baremetal node list
  openstack baremetal node show ${name} --fields provision_state driver_info instance_info
  openstack baremetal node undeploy ${name} --wait

or with curl:

  curl -s ${url}/v1/nodes
  curl -s -H '${version}' ${url}/v1/nodes/${name}
  curl -s -H '${version}' -H 'Content-Type: application/json' \\
       -X PUT -d '{"target": "deleted"}' ${url}/v1/nodes/${name}/states/provision
${demoTenantCommands(called)}`;
};

/** Real machines cannot follow a link to 127.0.0.1, and everything that they boot is one. */
export const unreachableNote = `
Real machines cannot reach 127.0.0.1: put a proxy in front of it and name its address by INGOT_PUBLIC_ENDPOINT before you
boot any (docs/guides/agents.md).
`;

/** Without simulated machines: how a real one is enrolled. */
export const enrolCommands = (called: Called): string => {
  const { client, curl } = loginOf(called);
  return `
There are no machines yet. Enrol one of your own, with the openstack client:

  ${client}
  openstack baremetal node create --driver redfish --name node-1 --resource-class bm.small \\
      --driver-info redfish_address=https://192.0.2.5 --driver-info redfish_username=admin \\
      --driver-info redfish_password=... --driver-info redfish_verify_ca=sha256:... \\
      --driver-info deploy_iso=http://192.0.2.1/deploy.iso
  openstack baremetal port create 52:54:00:00:00:01 --node node-1
  openstack baremetal node manage node-1 --wait

or with curl:

  curl -s ${curl}-H '${version}' -H 'Content-Type: application/json' ${called.url}/v1/nodes \\
       -d '{"name": "node-1", "driver": "redfish", "driver_info": {"redfish_address": "https://192.0.2.5"}}'
${tenantCommands(called)}`;
};
