/**
 * A server as a tenant gets one. The operator makes a flavor that means the simulated machines; the rest is hers: image,
 * network, key pair, server. What an earlier start made is found again.
 */
import { Fault, isFault } from '../../layers/domain/fault.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import type { Client } from './client.ts';
import type { Images } from './machines.ts';

/** The APIs as who uses them: `flavors` is the Compute API as the operator has it. */
export type Apis = {
  readonly flavors: Client;
  readonly compute: Client;
  readonly image: Client;
  readonly network: Client;
};

/** As much of a server as the demo looks at. */
export type ServerView = {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly addresses: Readonly<Record<string, readonly { readonly addr: string }[]>>;
  readonly fault?: { readonly message: string };
  readonly 'OS-EXT-STS:task_state': string | null;
};

/** What things are called, here and in the commands that the newcomer is told. */
export const names = {
  flavor: 'simulated',
  image: 'demo',
  network: 'private',
  key: 'demo',
  server: 'demo-server',
} as const;

/** cloud-init reads this on the first boot of the server. */
export const userData = `#cloud-config
write_files:
  - path: /etc/motd
    content: A server of Ingot.
`;

/** Nobody has the other half of this key. */
export const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMVWzIPCvgFhLF8Nk5RgZwQ3w0Fyd3UHV9qA0UXeYBmE demo@ingot';

/** One machine of the class, whatever its size. */
const specs = {
  'resources:CUSTOM_SIMULATED': '1',
  'resources:VCPU': '0',
  'resources:MEMORY_MB': '0',
  'resources:DISK_GB': '0',
};

type Named = { readonly id: string; readonly name: string };

const ensureFlavor = async ({ flavors: api }: Apis): Promise<string> => {
  const { flavors } = await api<{ flavors: Named[] }>('GET /v2.1/flavors');
  if (!flavors.some(({ id }) => id === names.flavor)) {
    const size = { ram: 4096, vcpus: 2, disk: 10 };
    await api('POST /v2.1/flavors', { flavor: { id: names.flavor, name: names.flavor, ...size } });
  }
  await api(`POST /v2.1/flavors/${names.flavor}/os-extra_specs`, { extra_specs: specs });
  return names.flavor;
};

/** Where the simulator served the data is noted on the image, for nobody is told again where it is. */
type Image = Named & { readonly demo_url?: string; readonly status: string };

const ensureImage = async ({ image: api }: Apis, { demo_raw: { url, sha256 } }: Images): Promise<string> => {
  const { images } = await api<{ images: Image[] }>(`GET /v2/images?name=${names.image}`);
  const fits = images.find(({ demo_url: from, status }) => from === url && status === 'active');
  if (fits) return fits.id;
  for (const { id } of images) await api(`DELETE /v2/images/${id}`);
  const form = { disk_format: 'raw', container_format: 'bare' };
  const { id } = await api<Named>('POST /v2/images', {
    name: names.image,
    ...form,
    image_checksum: sha256,
    demo_url: url,
  });
  await api(`POST /v2/images/${id}/import`, { method: { name: 'web-download', uri: url } });
  return id;
};

type Network = Named & { readonly subnets: readonly string[] };

const ensureNetwork = async ({ network: api }: Apis): Promise<string> => {
  const { networks } = await api<{ networks: Network[] }>(`GET /v2.0/networks?name=${names.network}`);
  const found =
    networks[0] ??
    (await api<{ network: Network }>('POST /v2.0/networks', { network: { name: names.network } })).network;
  if (found.subnets.length === 0) {
    const range = { ip_version: 4, cidr: '10.20.0.0/24', dns_nameservers: ['9.9.9.9'] };
    await api('POST /v2.0/subnets', { subnet: { name: `${names.network}-v4`, network_id: found.id, ...range } });
  }
  return found.id;
};

const ensureKey = async ({ compute: api }: Apis): Promise<string> => {
  const { keypairs } = await api<{ keypairs: { keypair: { name: string } }[] }>('GET /v2.1/os-keypairs');
  if (!keypairs.some(({ keypair: { name } }) => name === names.key)) {
    await api('POST /v2.1/os-keypairs', { keypair: { name: names.key, type: 'ssh', public_key: publicKey } });
  }
  return names.key;
};

/** What a server is made of, by what POST /servers calls it. Throws what the APIs refuse. */
export const prepareParts = async (apis: Apis, images: Images) => ({
  flavorRef: await ensureFlavor(apis),
  imageRef: await ensureImage(apis, images),
  networks: [{ uuid: await ensureNetwork(apis) }],
  key_name: await ensureKey(apis),
});

/** How often a server is looked at, and for how long before the demo gives up. Milliseconds. */
const lookEvery = 150;
const patience = 15 * 60_000;

type Watch = { readonly apis: Apis; readonly clock: Clock };

/** The server once `isThere` says so; undefined: there is none any more. Throws Stuck (504). */
const watch = async (
  { apis: { compute }, clock }: Watch,
  id: string,
  isThere: (server: ServerView) => boolean,
): Promise<ServerView | undefined> => {
  for (const end = clock.now() + patience; ; await clock.sleep(lookEvery)) {
    const found = await compute<{ server: ServerView }>(`GET /v2.1/servers/${id}`).catch((error: unknown) => {
      if (isFault(error) && error.code === 404) return undefined;
      throw error;
    });
    if (!found || isThere(found.server)) return found?.server;
    if (clock.now() > end) throw new Fault('Stuck', 504, `Server ${id} is still in status ${found.server.status}.`);
  }
};

/** Deletes a server and resolves when it is gone. Throws Failed (500) if it stays. */
export const removeServer = async (needs: Watch, id: string): Promise<void> => {
  await needs.apis.compute(`DELETE /v2.1/servers/${id}`);
  const isStuck = ({ status, 'OS-EXT-STS:task_state': task }: ServerView) => status === 'ERROR' && task === null;
  const left = await watch(needs, id, isStuck);
  if (left) throw new Fault('Failed', 500, `Server ${left.name} was not deleted: ${left.fault?.message}`);
};

/** Deletes what a start that was cut off has left of the server. */
export const removeOld = async (needs: Watch): Promise<void> => {
  const { servers } = await needs.apis.compute<{ servers: Named[] }>(`GET /v2.1/servers?name=^${names.server}$`);
  for (const { id } of servers) await removeServer(needs, id);
};

/** Asks for the server; what it is by then is only its id. */
export const createServer = async ({ compute }: Apis, parts: object): Promise<string> => {
  const user_data = Buffer.from(userData).toString('base64');
  const body = { server: { name: names.server, ...parts, user_data, config_drive: true } };
  const { server } = await compute<{ server: { id: string } }>('POST /v2.1/servers', body);
  return server.id;
};

/** The server once it is built. Throws Failed (500) with its fault if it could not be. */
export const builtServer = async (needs: Watch, id: string): Promise<ServerView> => {
  const server = await watch(needs, id, ({ status }) => status !== 'BUILD');
  if (server?.status === 'ACTIVE') return server;
  throw new Fault('Failed', 500, `Server ${names.server}: ${server?.fault?.message ?? 'it is gone.'}`);
};

/** All of its addresses. */
export const addressesOf = ({ addresses }: ServerView): string[] =>
  Object.values(addresses).flatMap((cards) => cards.map(({ addr }) => addr));
