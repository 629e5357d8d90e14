/** Resources below a system and its chassis, as permissive as those of `resources.ts`. */
import * as z from 'zod';

import { flag, light, link, links, number, part, settings, text, texts } from './resources.ts';

const list = <S extends z.ZodRawShape>(shape: S) =>
  z
    .array(z.looseObject(shape).catch({} as never))
    .nullish()
    .catch(null);

const attributes = z.record(z.string(), z.unknown()).nullish().catch(null);

/** Also the shape of its settings object. */
export const bios = z.looseObject({
  Attributes: attributes,
  AttributeRegistry: text,
  Actions: part({ '#Bios.ResetBios': part({ target: text }) }),
  '@Redfish.Settings': settings,
});
export type Bios = z.output<typeof bios>;

export const registryFile = z.looseObject({
  Id: text,
  Registry: text,
  Location: list({ Language: text, Uri: text }),
});

export const attributeRegistry = z.looseObject({
  RegistryEntries: part({
    Attributes: list({
      AttributeName: text,
      Type: text,
      Value: list({ ValueName: text }),
      ReadOnly: flag,
      // Dell iDRAC 9 spells it so.
      Readonly: flag,
      LowerBound: number,
      UpperBound: number,
      MinLength: number,
      MaxLength: number,
      ResetRequired: flag,
      IsSystemUniqueProperty: flag,
    }),
  }),
});

/** Also the shape of its settings object. */
export const secureBoot = z.looseObject({
  SecureBootEnable: flag,
  SecureBootCurrentBoot: text,
  '@Redfish.Settings': settings,
});

export const eventService = z.looseObject({ Subscriptions: link });

export const eventDestination = z.looseObject({
  Id: text,
  Destination: text,
  Protocol: text,
  Context: text,
  EventTypes: texts,
});

export const chassis = z.looseObject({ Id: text, NetworkAdapters: link, ...light });

export const storage = z.looseObject({ Drives: links });

export const drive = z.looseObject({
  Id: text,
  Name: text,
  CapacityBytes: number,
  Manufacturer: text,
  Model: text,
  SerialNumber: text,
  ...light,
});
export type Drive = z.output<typeof drive>;

export const simpleStorage = z.looseObject({
  Devices: list({ Name: text, Manufacturer: text, Model: text, CapacityBytes: number }),
});

export const processor = z.looseObject({
  ProcessorType: text,
  ProcessorArchitecture: text,
  Model: text,
  TotalThreads: number,
  TotalCores: number,
});

export const memoryModule = z.looseObject({ CapacityMiB: number });

export const ethernetInterface = z.looseObject({
  Id: text,
  Name: text,
  MACAddress: text,
  PermanentMACAddress: text,
  SpeedMbps: number,
  LinkStatus: text,
});

export const networkAdapter = z.looseObject({
  Id: text,
  Manufacturer: text,
  Model: text,
  SerialNumber: text,
  Controllers: list({ FirmwarePackageVersion: text }),
  /** Since 2021; before that NetworkPorts. */
  Ports: link,
  NetworkPorts: link,
});

export const networkPort = z.looseObject({
  Id: text,
  LinkStatus: text,
  AssociatedNetworkAddresses: texts,
  CurrentSpeedGbps: number,
  CurrentLinkSpeedMbps: number,
  Ethernet: part({ AssociatedMACAddresses: texts }),
});

export const updateService = z.looseObject({ FirmwareInventory: link });

export const softwareInventory = z.looseObject({ Id: text, Name: text, Version: text });
