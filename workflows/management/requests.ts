/**
 * Requests to hardware that a client waits for, one row each: what is asked of the machine, and what is answered. Fake
 * hardware answers as Ironic's does. `functions/workflow` runs them, for the API reaches no hardware (ADR 10).
 */
import * as z from 'zod';

import { bootDevice, operations, type Observed } from '../../layers/bmc/operations.ts';
import { indicatorComponent, indicatorState, wantedSubscription, type Indicator } from '../../layers/bmc/settings.ts';
import { Invalid } from '../../layers/domain/fault.ts';
import type { ImageClient } from '../../layers/image-client/client.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { withSource } from '../owners/node/image-source.ts';
import type { Hardware } from '../owners/node/hardware.ts';

/**
 * `held`: the request takes the node's lock; `free`: it only needs nobody to have it, as Ironic's exclusive reads do;
 * `any`: it does not look.
 */
type Lock = 'held' | 'free' | 'any';

/** What a request is answered with: the machine, its record, and the Image API. */
export type Means = {
  readonly hardware: Hardware;
  readonly node: StoredNode;
  readonly images: ImageClient;
};

type Row<P extends z.ZodType, A> = {
  readonly lock: Lock;
  readonly params: P;
  /** What the history says was asked for. */
  readonly told?: (params: z.output<P>) => string;
  /** May be called again as long as the machine is at it; it observes before it acts. */
  run(means: Means, params: z.output<P>): Promise<A>;
};

const row = <P extends z.ZodType, A>(one: Row<P, A>): Row<P, A> => one;

const none = z.strictObject({});

/** Redfish's words for what a machine starts from, as Ironic says them. */
const devices: Readonly<Record<string, z.output<typeof bootDevice>>> = {
  Pxe: 'pxe',
  Hdd: 'disk',
  Cd: 'cdrom',
  UsbCd: 'cdrom',
  UefiHttp: 'uefihttp',
  BiosSetup: 'bios',
};

type BootDevice = { readonly boot_device: string | null; readonly persistent: boolean | null };

/** An override that is not in force says nothing: some BMCs leave the last target there. */
const bootDeviceOf = ({ boot: { target, enabled } }: Observed<'system.get'>): BootDevice => {
  const known = enabled === 'Once' || enabled === 'Continuous';
  if (!known) return { boot_device: null, persistent: null };
  return { boot_device: devices[target ?? ''] ?? null, persistent: enabled === 'Continuous' };
};

const fakeLight = { states: ['on', 'off'], state: 'on' } as const;
const fakeIndicators: readonly Indicator[] = [
  { ...fakeLight, component: 'chassis', name: 'led-0', states: ['on', 'off'], readonly: true },
  { ...fakeLight, component: 'system', name: 'led', states: ['on', 'off', 'blinking'], readonly: false },
];

const indicators = async (hardware: Hardware): Promise<readonly Indicator[]> =>
  (await hardware.ask('indicator.list', {}))?.indicators ?? fakeIndicators;

const which = z.strictObject({ component: indicatorComponent, name: z.string() });

/** Throws Invalid (400), as Ironic's drivers do. */
const find = async (hardware: Hardware, { component, name }: z.output<typeof which>): Promise<Indicator> => {
  const found = (await indicators(hardware)).find((one) => one.component === component && one.name === name);
  if (found) return found;
  throw Invalid(
    `The machine has no indicator ${name} of component ${component}; GET management/indicators lists them.`,
  );
};

export const requests = {
  get_boot_device: row({
    lock: 'free',
    params: none,
    run: async ({ hardware }): Promise<BootDevice> => {
      const seen = await hardware.ask('system.get', {});
      return seen ? bootDeviceOf(seen) : { boot_device: 'pxe', persistent: false };
    },
  }),
  set_boot_device: row({
    lock: 'held',
    params: z.strictObject({ device: bootDevice, persistent: z.boolean() }),
    told: ({ device, persistent }) => `Asked for boot device ${device}, ${persistent ? 'for good' : 'once'}.`,
    run: async ({ hardware }, { device, persistent }) => {
      await hardware.ask('boot.ensure', { device, persistence: persistent ? 'continuous' : 'once' });
    },
  }),
  inject_nmi: row({
    lock: 'held',
    params: none,
    told: () => 'Asked for a non-maskable interrupt.',
    run: async ({ hardware }) => {
      await hardware.ask('nmi.inject', {});
    },
  }),
  list_indicators: row({ lock: 'any', params: none, run: async ({ hardware }) => indicators(hardware) }),
  get_indicator: row({
    lock: 'free',
    params: which,
    run: async ({ hardware }, wanted) => ({ state: (await find(hardware, wanted)).state }),
  }),
  set_indicator: row({
    lock: 'held',
    params: which.extend({ state: indicatorState }),
    told: ({ component, name, state }) => `Asked for indicator ${name}@${component} to be ${state}.`,
    run: async ({ hardware }, { state, ...wanted }) => {
      const { readonly, states } = await find(hardware, wanted);
      if (readonly) throw Invalid(`The indicator ${wanted.name} of component ${wanted.component} cannot be changed.`);
      if (!states.includes(state)) throw Invalid(`This indicator cannot be ${state}, only ${states.join(', ')}.`);
      await hardware.ask('indicator.ensure', { ...wanted, state });
    },
  }),
  list_subscriptions: row({
    lock: 'any',
    params: none,
    run: async ({ hardware }) => (await hardware.ask('subscription.list', {}))?.subscriptions ?? [],
  }),
  create_subscription: row({
    lock: 'held',
    params: wantedSubscription,
    told: () => 'Asked for a subscription to events.',
    run: async ({ hardware }, wanted) => (await hardware.ask('subscription.create', wanted))?.subscription ?? null,
  }),
  delete_subscription: row({
    lock: 'held',
    params: z.strictObject({ id: z.string() }),
    told: ({ id }) => `Asked for the end of subscription ${id}.`,
    run: async ({ hardware }, { id }) => {
      await hardware.ask('subscription.delete', { id });
    },
  }),
  /** Of a node of a foreign type: whether it can become one of redfish. */
  prove_access: row({
    lock: 'free',
    params: operations['bmc.prove'].in,
    run: async ({ hardware }, asked) => (await hardware.ask('bmc.prove', asked)) ?? null,
  }),
  list_media: row({
    lock: 'any',
    params: none,
    run: async ({ hardware }) => (await hardware.ask('vmedia.get', {}))?.media ?? [],
  }),
  /** Of no machine, but what GET validate wants to know: throws what a deploy would fail with. */
  check_image: row({
    lock: 'any',
    params: z.strictObject({ project: z.string().nullable() }),
    run: async ({ node, images }, { project }) => {
      await withSource(images, node, project ?? undefined);
    },
  }),
} as const;

type Requests = typeof requests;
export type RequestName = keyof Requests;
export type RequestParams<N extends RequestName> = z.input<Requests[N]['params']>;
export type RequestAnswer<N extends RequestName> = Awaited<ReturnType<Requests[N]['run']>>;

/** What the API sends. `asked_by` is for the history; `budget_ms`: how long the client can wait for the answer. */
export type RequestCall<N extends RequestName = RequestName> = {
  readonly request: N;
  readonly node: string;
  readonly params: RequestParams<N>;
  readonly asked_by: {
    readonly user: string | null;
    readonly project: string | null;
    readonly roles: readonly string[];
  };
  readonly budget_ms: number;
};

/** A refusal travels as an answer: what a function throws arrives without its status. */
export type RequestReply<N extends RequestName = RequestName> =
  | { readonly is: 'answer'; readonly answer: RequestAnswer<N> }
  | { readonly is: 'refusal'; readonly name: string; readonly code: number; readonly message: string };
