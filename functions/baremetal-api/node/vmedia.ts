/** /v1/nodes/{ident}/vmedia: what is in the virtual drives of a machine (ironic-api.md 2.1, since 1.89). */
import * as z from 'zod';

import { validateInterface } from '../../../layers/bmc/validation.ts';
import { Invalid } from '../../../layers/domain/fault.ts';
import type { ManagementRequest } from '../../../layers/store/management-requests.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { route, type Call, type Deps, type Route } from '../route.ts';
import { askMachine, startManagement } from './ask.ts';
import { findByIdent } from './find.ts';

const at = '/v1/nodes/{ident}/vmedia';

/** The slot of the BMC that a device is. */
const slots = { cdrom: 'cd', disk: 'usb', floppy: undefined } as const;
type Device = keyof typeof slots;

/** Throws Invalid (400) for a device that there is not. */
const slotOf = (device: string): 'cd' | 'usb' => {
  const known = Object.hasOwn(slots, device);
  const slot = known ? slots[device as Device] : undefined;
  if (slot) return slot;
  if (known) throw Invalid(`This version has no virtual ${device}, use cdrom or disk.`);
  throw Invalid(`"${device}" is not a device type, use one of ${Object.keys(slots).join(', ')}.`);
};

const schemes = ['http:', 'https:', 'nfs:', 'cifs:'];

/** Throws Invalid (400). The URL is not repeated: it may hold a signature. */
const checkImage = (image: string): string => {
  if (URL.canParse(image) && schemes.includes(new URL(image).protocol)) return image;
  throw Invalid('image_url must be a URL that begins with http://, https://, nfs:// or cifs://.');
};

/** Where the image comes from may not be said, or has to be what this version does. */
const checkSource = (source: string | null | undefined): void => {
  if ((source ?? 'http') === 'http') return;
  throw Invalid(`image_download_source "${source}" is not possible: the BMC fetches image_url itself, which is http.`);
};

const attachBody = z.strictObject({
  device_type: z.string(),
  image_url: z.string(),
  image_download_source: z.string().nullish(),
});
const detachBody = z.strictObject({ device_types: z.union([z.string(), z.array(z.string())]).nullish() });

const permit = (node: StoredNode): void => {
  validateInterface(node, 'management');
};

const attach = async (deps: Deps, call: Call<z.output<typeof attachBody>, StoredNode>) => {
  const { device_type: device, image_url: image, image_download_source: source } = call.body;
  checkSource(source);
  const request = { action: 'attach_media', slot: slotOf(device), image: checkImage(image) } as const;
  await startManagement(deps, call, { request, told: `Asked for an image in the virtual ${device}.`, permit });
  return {};
};

const listed = (given: string | readonly string[] | null | undefined): string[] =>
  [given ?? []]
    .flat()
    .flatMap((names) => names.split(','))
    .map((name) => name.trim())
    .filter(Boolean);

const detach = async (deps: Deps, call: Call<z.output<typeof detachBody>, StoredNode>) => {
  const wanted = [...new Set(listed(call.body.device_types).map(slotOf))];
  const request: ManagementRequest = { action: 'detach_media', slots: wanted.length > 0 ? wanted : ['all'] };
  await startManagement(deps, call, { request, told: 'Asked for empty virtual drives.', permit });
  return {};
};

export const vmediaRoutes: readonly Route[] = [
  route<undefined, StoredNode>({
    at: `GET ${at}`,
    since: 93,
    policy: 'baremetal:node:vmedia:get',
    find: findByIdent,
    handle: async (deps, call) => {
      permit(call.target);
      return { body: await askMachine(deps, call, 'list_media', {}) };
    },
  }),
  route<z.output<typeof attachBody>, StoredNode>({
    at: `POST ${at}`,
    fenced: true,
    since: 89,
    policy: 'baremetal:node:vmedia:attach',
    body: attachBody,
    arguments: true,
    find: findByIdent,
    handle: attach,
  }),
  route<z.output<typeof detachBody>, StoredNode>({
    at: `DELETE ${at}`,
    fenced: true,
    since: 89,
    policy: 'baremetal:node:vmedia:detach',
    body: detachBody,
    arguments: true,
    find: findByIdent,
    handle: detach,
  }),
];
