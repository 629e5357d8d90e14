/**
 * The resources that are read, permissive: everything may be missing, and what has another type than the standard
 * says counts as missing (redfish.md 1.3: real BMCs break the schemas).
 */
import * as z from 'zod';

export const text = z.string().nullish().catch(null);
export const flag = z.boolean().nullish().catch(null);
export const number = z.number().nullish().catch(null);
export const texts = z.array(z.string()).nullish().catch(null);
export const link = z.looseObject({ '@odata.id': z.string() }).nullish().catch(null);
export const links = z
  .array(z.looseObject({ '@odata.id': z.string() }))
  .nullish()
  .catch(null);
export const part = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape).nullish().catch(null);

const action = part({ target: text, '@Redfish.ActionInfo': text, 'ResetType@Redfish.AllowableValues': texts });

const boot = part({
  BootSourceOverrideTarget: text,
  BootSourceOverrideEnabled: text,
  BootSourceOverrideMode: text,
  'BootSourceOverrideTarget@Redfish.AllowableValues': texts,
  'BootSourceOverrideMode@Redfish.AllowableValues': texts,
});

/** A lamp to find a part by; the first two are the older way, in which it may also blink. */
export const light = {
  IndicatorLED: text,
  'IndicatorLED@Redfish.AllowableValues': texts,
  LocationIndicatorActive: flag,
};

/** Where changes are written that come true with the next start. */
export const settings = part({ SettingsObject: link, SupportedApplyTimes: texts });

export const serviceRoot = z.looseObject({
  RedfishVersion: text,
  Vendor: text,
  Product: text,
  Systems: link,
  Managers: link,
  Registries: link,
  UpdateService: link,
  EventService: link,
  SessionService: link,
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
  Bios: link,
  SecureBoot: link,
  Processors: link,
  Memory: link,
  Storage: link,
  SimpleStorage: link,
  EthernetInterfaces: link,
  BiosVersion: text,
  MemorySummary: part({ TotalSystemMemoryGiB: number }),
  ProcessorSummary: part({ LogicalProcessorCount: number, Count: number, Model: text }),
  ...light,
  Links: part({ ManagedBy: links, Chassis: links }),
  '@Redfish.Settings': settings,
});
export type ComputerSystem = z.output<typeof computerSystem>;

/** The settings object of a system: what will hold after the next reset. */
export const systemSettings = z.looseObject({ Boot: boot });

export const manager = z.looseObject({
  Manufacturer: text,
  Model: text,
  SerialNumber: text,
  FirmwareVersion: text,
  VirtualMedia: link,
});

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

export const task = z.looseObject({ TaskState: text });
