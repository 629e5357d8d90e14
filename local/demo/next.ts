/** What the newcomer is told to try next. */

const version = 'X-OpenStack-Ironic-API-Version: 1.109';

/** The three commands, each for the openstack client and for curl. `name` is a deployed machine. */
export const nextCommands = (url: string, name: string): string => `
Try next, in another terminal, with the openstack client:

  export OS_AUTH_TYPE=none OS_ENDPOINT=${url}
  openstack baremetal node list
  openstack baremetal node show ${name} --fields provision_state driver_info instance_info
  openstack baremetal node undeploy ${name} --wait

or with curl:

  curl -s ${url}/v1/nodes
  curl -s -H '${version}' ${url}/v1/nodes/${name}
  curl -s -H '${version}' -H 'Content-Type: application/json' \\
       -X PUT -d '{"target": "deleted"}' ${url}/v1/nodes/${name}/states/provision
`;

type Login = { readonly client: string; readonly curl: string };

/** What a caller gives to prove who they are, by auth_strategy. */
const logins: Readonly<Record<string, Login>> = {
  noauth: { client: 'export OS_AUTH_TYPE=none', curl: '' },
  http_basic: {
    client: 'export OS_AUTH_TYPE=http_basic OS_USERNAME=operator OS_PASSWORD=...',
    curl: '-u operator:... ',
  },
  oidc: { client: '# no login of its own: see docs/guides/authenticate.md', curl: "-H 'Authorization: Bearer ...' " },
  keystone: { client: 'export OS_AUTH_TYPE=token_endpoint OS_TOKEN=...', curl: "-H 'X-Auth-Token: ...' " },
};

/** Real machines cannot follow a link to 127.0.0.1, and everything that they boot is one. */
export const unreachableNote = `
Real machines cannot reach 127.0.0.1: put a proxy in front of it and name its address by INGOT_PUBLIC_ENDPOINT before you
boot any (docs/guides/agents.md).
`;

/** Without simulated machines: how a real one is enrolled. */
export const enrolCommands = (url: string, strategy: string): string => {
  const { client, curl } = logins[strategy] ?? logins['noauth']!;
  return `
There are no machines yet. Enrol one of your own, with the openstack client:

  ${client} OS_ENDPOINT=${url}
  openstack baremetal node create --driver redfish --name node-1 \\
      --driver-info redfish_address=https://192.0.2.5 --driver-info redfish_username=admin \\
      --driver-info redfish_password=... --driver-info redfish_verify_ca=sha256:... \\
      --driver-info deploy_iso=http://192.0.2.1/deploy.iso
  openstack baremetal port create 52:54:00:00:00:01 --node node-1
  openstack baremetal node manage node-1 --wait

or with curl:

  curl -s ${curl}-H '${version}' -H 'Content-Type: application/json' ${url}/v1/nodes \\
       -d '{"name": "node-1", "driver": "redfish", "driver_info": {"redfish_address": "https://192.0.2.5"}}'
`;
};
