/**
 * The resources that are read, permissive: everything may be missing, and what has another type than the standard
 * says counts as missing (redfish.md 1.3: real BMCs break the schemas).
 */
import * as z from 'zod';

const text = z.string().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);
const texts = z.array(z.string()).nullish().catch(null);
const link = z.looseObject({ '@odata.id': z.string() }).nullish().catch(null);
const links = z
  .array(z.looseObject({ '@odata.id': z.string() }))
  .nullish()
  .catch(null);
const part = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape).nullish().catch(null);

const action = part({ target: text, '@Redfish.ActionInfo': text, 'ResetType@Redfish.AllowableValues': texts });

const boot = part({
  BootSourceOverrideTarget: text,
  BootSourceOverrideEnabled: text,
  BootSourceOverrideMode: text,
  'BootSourceOverrideTarget@Redfish.AllowableValues': texts,
  'BootSourceOverrideMode@Redfish.AllowableValues': texts,
});

export const serviceRoot = z.looseObject({
  RedfishVersion: text,
  Vendor: text,
  Product: text,
  Systems: link,
  Managers: link,
  Links: part({ Sessions: link }),
});

export type ServiceRoot = z.output<typeof serviceRoot>;

export const collection = z.looseObject({ Members: links, 'Members@odata.nextLink': text });

export const computerSystem = z.looseObject({
  PowerState: text,
  Manufacturer: text,
  Model: text,
  SerialNumber: text,
  Boot: boot,
  Status: part({ Health: text }),
  Actions: part({ '#ComputerSystem.Reset': action }),
  VirtualMedia: link,
  Links: part({ ManagedBy: links }),
  '@Redfish.Settings': part({ SettingsObject: link }),
});
export type ComputerSystem = z.output<typeof computerSystem>;

/** The settings object of a system: what will hold after the next reset. */
export const systemSettings = z.looseObject({ Boot: boot });

export const manager = z.looseObject({ Model: text, FirmwareVersion: text, VirtualMedia: link });

export const virtualMedia = z.looseObject({
  Id: text,
  MediaTypes: texts,
  Image: text,
  ImageName: text,
  Inserted: flag,
  Actions: part({ '#VirtualMedia.InsertMedia': action, '#VirtualMedia.EjectMedia': action }),
});
export type VirtualMedia = z.output<typeof virtualMedia>;

export const actionInfo = z.looseObject({
  Parameters: z
    .array(z.looseObject({ Name: text, AllowableValues: texts }))
    .nullish()
    .catch(null),
});

export const task = z.looseObject({
  TaskState: text,
  Messages: z
    .array(z.looseObject({ MessageId: text, Message: text }))
    .nullish()
    .catch(null),
});
