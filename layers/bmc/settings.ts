/** What can be set at a machine besides power and boot: its indicators and its BIOS, in Ironic's words. */
import * as z from 'zod';

export const bootMode = z.enum(['uefi', 'bios']);

export const indicatorComponent = z.enum(['system', 'chassis', 'disk', 'power', 'nic']);
export const indicatorState = z.enum(['on', 'off', 'blinking']);

/** `name` is the Id that the BMC gives the part; together with the component it is unique. */
export const indicator = z.object({
  component: indicatorComponent,
  name: z.string(),
  states: z.array(indicatorState),
  readonly: z.boolean(),
  state: z.enum(['on', 'off', 'blinking', 'unknown']),
});
export type Indicator = z.output<typeof indicator>;

/** A BIOS setting with what the BMC's registry says about it; null where it says nothing. */
export const biosSetting = z.object({
  name: z.string(),
  value: z.unknown(),
  attribute_type: z.string().nullable(),
  allowable_values: z.array(z.unknown()).nullable(),
  lower_bound: z.number().nullable(),
  max_length: z.number().nullable(),
  min_length: z.number().nullable(),
  read_only: z.boolean().nullable(),
  reset_required: z.boolean().nullable(),
  unique: z.boolean().nullable(),
  upper_bound: z.number().nullable(),
});
export type BiosSetting = z.output<typeof biosSetting>;

/** What a registry says that says nothing. */
export const undescribed: Omit<BiosSetting, 'name' | 'value'> = {
  attribute_type: null,
  allowable_values: null,
  lower_bound: null,
  max_length: null,
  min_length: null,
  read_only: null,
  reset_required: null,
  unique: null,
  upper_bound: null,
};

/** Who is told of a machine's events, in Redfish's names, which are those of Ironic's methods. `path`: on the BMC. */
export const subscription = z.object({
  path: z.string(),
  Id: z.string(),
  Destination: z.string().nullable(),
  Protocol: z.string().nullable(),
  Context: z.string().nullable(),
  EventTypes: z.array(z.string()).nullable(),
});
export type Subscription = z.output<typeof subscription>;

/** A wish for one. Headers that the BMC shall send may be credentials: they are told to nobody else. */
export const wantedSubscription = z.strictObject({
  Destination: z.string(),
  Protocol: z.string().default('Redfish'),
  Context: z.string().default(''),
  EventTypes: z.array(z.string()).default(['Alert']),
  HttpHeaders: z.array(z.record(z.string(), z.string())).default([]),
});

/** A slot for virtual media. `image` is its URL without query and credentials. */
export const mediaState = z.object({
  media_types: z.array(z.string()),
  inserted: z.boolean(),
  image: z.string().nullable(),
});
