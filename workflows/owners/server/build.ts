/** Putting a server onto its machine (nova-driver.md 3 and 8): phases of the runs that deploy it, at first or anew. */
import type { ShownNode } from '../../../layers/baremetal-client/shown.ts';
import { pack } from '../../../layers/configdrive/packed.ts';
import { Fault } from '../../../layers/domain/fault.ts';
import { buildGuestDrive } from '../../../layers/guest/configdrive.ts';
import { toInstanceInfo } from '../../../layers/guest/instance-info.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import type { StoredImage } from '../../../layers/store/kinds/tenants.ts';
import { deploymentOf, guestServerOf, imageOf, metadataOf, vifsOf } from './guest.ts';
import { done, type ServerContext, type ServerPhase } from './phase.ts';

const NodeLost = (uuid: string) => new Fault('NodeLost', 500, `No node has instance ${uuid} any more.`);

/** The node that the server has. Throws NodeLost. */
export const ownNode = async ({
  machines,
  server: { uuid },
}: Pick<ServerContext, 'machines' | 'server'>): Promise<ShownNode> => {
  const node = await machines.nodeOfInstance(uuid);
  if (!node) throw NodeLost(uuid);
  return node;
};

/** Tells the node of its server, as that and its ports are now. */
export const writeInfo = async (context: ServerContext, more: { readonly preserve_ephemeral?: boolean } = {}) => {
  const {
    machines,
    platform: { table },
    server,
  } = context;
  const node = await ownNode(context);
  const metadata = metadataOf(server, await imageOf(table, server), await vifsOf(table, server));
  const add = toInstanceInfo(metadata, { ...deploymentOf(context, node), ...more }, context.settings.leaveOut);
  await machines.changeInstanceInfo(node.uuid, server.uuid, { add });
};

/** Whether the node has what a deploy needs. Throws ValidationFailed. */
export const validate: ServerPhase = {
  run: async (context) => {
    const node = await ownNode(context);
    const obstacles = await context.machines.validate(node.uuid);
    if (obstacles.length === 0) return done();
    const told = obstacles.map(({ interface: name, reason }) => `${name}: ${reason}`).join('; ');
    throw new Fault('ValidationFailed', 500, `Node ${node.uuid} can not be deployed: ${told}`);
  },
};

const isWanted = (server: StoredServer, image: StoredImage | undefined): boolean =>
  server.config_drive || image?.properties['img_config_drive'] === 'mandatory';

/** base64(gzip(image)), as a node takes it; undefined: it gets none. */
export const configdriveFor = async (context: ServerContext, node: ShownNode): Promise<string | undefined> => {
  const { machines, platform, server } = context;
  const image = await imageOf(platform.table, server);
  if (!isWanted(server, image)) return undefined;
  const vifs = await vifsOf(platform.table, server);
  const metadata = metadataOf(server, image, vifs);
  const cards = await machines.getCards(node.uuid);
  const drive = buildGuestDrive(await guestServerOf(context, metadata), { vifs, ...cards });
  return Buffer.from(await pack(drive)).toString('latin1');
};

/**
 * Whether there will be one, and that it can be built: what cannot fails here, before the machine is asked for anything.
 * It is secret and stored nowhere, so the next phase builds it again and sends it.
 */
export const buildConfigdrive: ServerPhase = {
  run: async (context) => {
    const drive = await configdriveFor(context, await ownNode(context));
    return done(() => ({ config_drive: drive !== undefined }));
  },
};
