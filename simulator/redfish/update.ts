/** The UpdateService: the list of firmware, and SimpleUpdate, which fetches an image and is done after a while. */
import { discard } from '../fetch.ts';
import { firmwareIds, versionOf, type FirmwareId } from '../firmware.ts';
import { spanOf, type Span } from '../world.ts';
import { collection, healthy, link, refusal, type Act, type Call, type View } from './call.ts';
import { runAsTask } from './job.ts';

const inventory = '/UpdateService/FirmwareInventory';

const protocols = ['HTTP', 'HTTPS'] as const;

/** The service, with its one action. */
export const updateService: View = ({ machine }) => ({
  '@odata.type': '#UpdateService.v1_11_3.UpdateService',
  Id: 'UpdateService',
  Name: 'Update Service',
  ServiceEnabled: true,
  FirmwareInventory: link(machine, inventory),
  Actions: {
    '#UpdateService.SimpleUpdate': {
      target: link(machine, '/UpdateService/Actions/UpdateService.SimpleUpdate')['@odata.id'],
      'TransferProtocol@Redfish.AllowableValues': protocols,
    },
  },
  Status: healthy,
});

/** All firmware. */
export const firmwareList: View = ({ machine }) =>
  collection(
    machine,
    'SoftwareInventoryCollection',
    'Firmware Inventory',
    firmwareIds.map((id) => `${inventory}/${id}`),
  );

const isKnown = (id: string | undefined): id is FirmwareId => firmwareIds.includes(id as FirmwareId);

/** One kind of firmware. */
export const firmware: View = ({ world, machine, params }) => {
  const id = params['firmware'];
  if (!isKnown(id)) throw refusal('Base.1.16.ResourceMissingAtURI');
  return {
    '@odata.type': '#SoftwareInventory.v1_10_0.SoftwareInventory',
    Id: id,
    Name: `${id} Firmware`,
    Version: versionOf(world, machine, id),
    Updateable: true,
    Status: healthy,
  };
};

const imageOf = ({ body }: Call): string => {
  const { ImageURI: image, TransferProtocol: protocol } = body;
  if (image === undefined) throw refusal('Base.1.16.ActionParameterMissing', 'ImageURI');
  if (protocol !== undefined && !protocols.includes(protocol as 'HTTP')) {
    throw refusal('Base.1.16.ActionParameterNotSupported', 'TransferProtocol');
  }
  if (typeof image !== 'string' || !URL.canParse(image) || !/^https?:$/.test(new URL(image).protocol)) {
    throw refusal('Base.1.16.ActionParameterNotSupported', 'ImageURI');
  }
  return image;
};

/** Without targets the BMC itself is meant. */
const targetsOf = ({ body }: Call): FirmwareId[] => {
  const { Targets: targets = [] } = body;
  if (!Array.isArray(targets)) throw refusal('Base.1.16.ActionParameterNotSupported', 'Targets');
  const ids = targets.map((target) => String(target).split('/').at(-1));
  if (!ids.every(isKnown)) throw refusal('Base.1.16.ActionParameterNotSupported', 'Targets');
  return ids.length > 0 ? ids : ['BMC'];
};

/** Seconds from the image being there until it runs. */
const updateSpan: Span = [60, 180];
/** Milliseconds that an image may take to come. */
const fetchLimit = 120_000;
const kept = 20;

/** As images are named: bios-2.5.0.bin. */
const versionIn = (image: string): string => /\d+(?:\.\d+)+/.exec(new URL(image).pathname)?.[0] ?? '0.0.1';

const fetchImage = async ({ world }: Call, image: string): Promise<void> => {
  const found = await world
    .fetch(image, { signal: AbortSignal.timeout(fetchLimit) })
    .catch(() => ({ status: 0, body: null }));
  await discard(found);
  if (found.status !== 200) throw refusal('Base.1.16.ResourceAtUriInUnknownFormat');
};

/** Becomes a task; the versions are those that the name of the image tells once it is done. */
export const simpleUpdate: Act = async (call) => {
  const image = imageOf(call);
  const targets = targetsOf(call);
  return runAsTask(call, 'Firmware update', async () => {
    const { world, machine } = call;
    await fetchImage(call, image);
    const at = world.clock.now() + spanOf(world, machine, updateSpan);
    const made = targets.map((id) => ({ id, version: versionIn(image), at }));
    machine.updates = [...(machine.updates ?? []), ...made].slice(-kept);
    return at;
  });
};
