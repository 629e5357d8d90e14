/**
 * The private notes of a node, its field `driver_internal_info`, as a table: what each means, what it is, and until when
 * it is true (ironic-states.md 4, 6, 7). Names that Ironic has are Ironic's. Nothing else reads or writes the field, so
 * a name without a row, or a value of another type, does not compile.
 *
 * A stored record may have names without a row, which a version before or after this one wrote. They are kept as they
 * are and shown like the others, nothing is decided by them, and they go with the node.
 */
import * as z from 'zod';

import type { PlannedStep, Step } from './steps.ts';
import { json, timestamp } from './values.ts';

type Row = { readonly doc: string; readonly ends: readonly string[] };

/** How long a note is true. `ends`: the lifetimes that end with this one. Nothing ends the last but the node's removal. */
export const lifetimes = {
  step: { ends: [], doc: 'until the step in progress has ended' },
  offer: { ends: [], doc: 'until the agent may offer something else' },
  plan: { ends: ['step', 'offer'], doc: 'until the steps are done, given up, or replaced by others' },
  work: {
    ends: ['plan'],
    doc: 'until the work is over; that of a failed service is not before the machine is back in its instance',
  },
  inspection: { ends: [], doc: 'until the inspection is over, or another one begins' },
  boot: { ends: ['inspection', 'offer'], doc: 'until the machine is switched off or started anew' },
  agent: {
    ends: ['boot'],
    doc: 'until nobody has a use for the agent: one that is booted again from the same medium has the same token',
  },
  medium: { ends: [], doc: 'until the medium of the agent is removed' },
  instance: { ends: ['work', 'agent'], doc: 'until the instance is removed' },
  document: { ends: [], doc: 'until the guest document is written, or removed' },
  node: { ends: [], doc: 'as long as the node; the next of its kind takes its place' },
} as const satisfies { readonly [name: string]: Row };

/** How long a note is true. */
export type Lifetime = keyof typeof lifetimes;

/** What can be over while the node is there. */
export type Ending = Exclude<Lifetime, 'node'>;

/** A note. `masked`: nobody is shown its value. `unread`: it decides nothing, it is there for who looks at the node. */
export type Note = {
  readonly schema: z.ZodType;
  readonly lifetime: Lifetime;
  readonly doc: string;
  readonly masked?: true;
  readonly unread?: true;
};

const isStep = (value: unknown): boolean => typeof value === 'object' && value !== null && 'step' in value;
const steps = z.array(z.custom<Step>(isStep)).readonly();
const plannedSteps = z.array(z.custom<PlannedStep>(isStep)).readonly();
const index = z.int().min(0);

const plan = (kind: string) => ({ schema: plannedSteps, lifetime: 'plan', doc: `The steps of the ${kind}.` }) as const;
const next = (kind: string) =>
  ({ schema: index, lifetime: 'plan', doc: `Which of the ${kind}'s steps is next; absent: none has ended.` }) as const;
const reboot = (kind: string) =>
  ({
    schema: z.literal(true),
    lifetime: 'plan',
    doc: `Before the ${kind} goes on, the ramdisk has to be booted again.`,
  }) as const;
const offer = (kind: string) =>
  ({
    schema: z.object({ deploy: z.array(json).readonly() }),
    lifetime: 'offer',
    unread: true,
    doc: `The steps that the agent offers for a ${kind}.`,
  }) as const;

/** How far the takeover of a machine is: nobody has begun, a run looks at it, or how the last one ended. */
export const takeoverStates = ['pending', 'running', 'completed', 'failed'] as const;

/** By the names under which they are stored and shown. */
export const notes = {
  agent_url: { schema: z.string(), lifetime: 'boot', doc: 'Where the agent takes commands; its first call says so.' },
  agent_verify_ca: { schema: z.string(), lifetime: 'boot', doc: 'The certificate of the agent (PEM).' },
  agent_version: { schema: z.string(), lifetime: 'node', unread: true, doc: 'Version of the agent that called last.' },
  agent_last_heartbeat: { schema: timestamp, lifetime: 'node', doc: 'When an agent called last.' },
  agent_secret_token: {
    schema: z.literal('******'),
    lifetime: 'agent',
    masked: true,
    unread: true,
    doc: 'There is a token for the agent. It is sealed for the BMC proxy and never stands here.',
  },
  agent_secret_token_pregenerated: {
    schema: z.literal(true),
    lifetime: 'agent',
    masked: true,
    doc: "The agent has, or could have, its token by the machine's own medium.",
  },
  agent_token_by_lookup: {
    schema: z.string(),
    lifetime: 'boot',
    masked: true,
    doc: 'The run whose agent may ask for its token once, because it has no medium to get it by.',
  },
  agent_medium: {
    schema: z.string(),
    lifetime: 'medium',
    doc: 'The object that holds the medium that was made last for an agent of this node.',
  },
  removable_media: {
    schema: z.boolean(),
    lifetime: 'node',
    doc: 'Whether the BMC has a drive for the medium of agents beside that of their ISO, as it said last.',
  },
  bmc_certificate_sha256: {
    schema: z.string(),
    lifetime: 'node',
    unread: true,
    doc: 'Fingerprint of the certificate that the BMC showed last, to be pinned in driver_info.redfish_verify_ca.',
  },
  power_sync_failures: {
    schema: z.int().min(1),
    lifetime: 'node',
    doc: 'How often in a row the power state could not be synchronised; absent: it could the last time.',
  },
  inspected_by_run: {
    schema: z.string(),
    lifetime: 'inspection',
    doc: 'The run whose inventory is stored.',
  },
  inspected_with_key: {
    schema: z.boolean(),
    lifetime: 'inspection',
    doc: 'Whether the ramdisk that sent the inventory proved to be the one that was booted for it.',
  },
  clean_steps: plan('clean'),
  clean_step_index: next('clean'),
  cleaning_reboot: reboot('clean'),
  agent_cached_clean_steps: offer('clean'),
  service_steps: plan('service'),
  service_step_index: next('service'),
  servicing_reboot: reboot('service'),
  agent_cached_service_steps: offer('service'),
  deploy_steps: plan('deploy'),
  deploy_step_index: next('deploy'),
  deployment_reboot: reboot('deploy'),
  agent_cached_deploy_steps: offer('deploy'),
  user_deploy_steps: {
    schema: steps,
    lifetime: 'plan',
    doc: 'The steps that the request and deploy templates add to those of the deploy.',
  },
  steps_validated: {
    schema: z.literal(true),
    lifetime: 'plan',
    doc: 'The agent has been asked, and the plan of the deploy is complete.',
  },
  hardware_manager_version: {
    schema: json,
    lifetime: 'plan',
    unread: true,
    doc: 'Versions of the hardware managers of the agent.',
  },
  step_stage: {
    schema: z.string(),
    lifetime: 'step',
    doc: 'How far the step in progress has got, if it takes several goes.',
  },
  ramdisk_boots: {
    schema: index,
    lifetime: 'work',
    doc: 'How often the machine was switched off to boot the ramdisk; more than 0: it is up, or was left there.',
  },
  is_whole_disk_image: {
    schema: z.boolean(),
    lifetime: 'instance',
    doc: 'Whether the image of the instance is that of a whole disk, not of a partition.',
  },
  drive_flaw: {
    schema: z.string(),
    lifetime: 'instance',
    doc: 'Why no agent could read the configdrive that came with the request.',
  },
  image_project: {
    schema: z.string(),
    lifetime: 'instance',
    doc: 'The project that has to see the image of the Image API which a deploy writes; absent: none has to.',
  },
  image_id: {
    schema: z.string(),
    lifetime: 'plan',
    doc: 'The image of the Image API that the deploy in progress was begun with.',
  },
  deploy_boot_mode: {
    schema: z.enum(['uefi', 'bios']),
    lifetime: 'instance',
    unread: true,
    doc: 'The boot mode that the deploy was asked for; uefi if it was asked for none.',
  },
  secure_boot_by_deploy: {
    schema: z.boolean(),
    lifetime: 'node',
    doc: 'Whether a deploy has switched secure boot on, and nobody has switched it off since.',
  },
  guest_metadata_stale: {
    schema: z.object({ since: timestamp, revision: index }),
    lifetime: 'document',
    doc: 'Since when the guest document does not tell what is so; absent: it does.',
  },
  automatic_lessee: {
    schema: z.literal(true),
    lifetime: 'instance',
    doc: 'The lessee of the node was set by the deploy, and goes with the instance.',
  },
  takeover: {
    schema: z.object({ state: z.enum(takeoverStates), since: timestamp, reason: z.string().optional() }),
    lifetime: 'node',
    doc: 'How far the takeover of the machine is, which was moved here with an instance; absent: there is none to take over.',
  },
} as const satisfies { readonly [name: string]: Note };

/** What a note is called. */
export type NoteName = keyof typeof notes;

/** The notes whose values nobody is shown; one without a row is judged by its name. */
export const maskedNotes: readonly string[] = Object.entries<Note>(notes)
  .filter(([, { masked }]) => masked)
  .map(([name]) => name);

/** The notes of a node. A stored record may have others besides, which nobody can name. */
export type Notes = { readonly [N in NoteName]?: z.output<(typeof notes)[N]['schema']> };

/** What has notes. Changes of them have this form, too: they are part of a change of the node. */
export type Noted = { readonly driver_internal_info: Notes };

/** The field of a node that nobody has noted anything of. */
export const noNotes: Noted = { driver_internal_info: {} };

/** The field's schema: clients cannot write it, and its description promises no more than an object. */
export const notesField = json as z.ZodType<Notes>;

/** What the node's note says; undefined if it has none. */
export const note = <N extends NoteName>({ driver_internal_info: info }: Noted, name: N): Notes[N] => info[name];

/** The node's notes with these, which take the place of those of the same name. */
export const keep = ({ driver_internal_info: info }: Noted, more: Notes): Noted => ({
  driver_internal_info: { ...info, ...more },
});

/** One note whose name is chosen among several: the compiler does not look at values under a computed name. */
export const noteOf = <N extends NoteName>(name: N, value: Notes[N] & {}): Notes => ({ [name]: value });

/** The node's notes without these; absent ones do not matter. */
export const drop = ({ driver_internal_info: info }: Noted, ...names: readonly NoteName[]): Noted => ({
  driver_internal_info: Object.fromEntries(
    Object.entries(info).filter(([name]) => !(names as readonly string[]).includes(name)),
  ),
});

const endedWith = (lifetime: Lifetime): Lifetime[] => [lifetime, ...lifetimes[lifetime].ends.flatMap(endedWith)];

/** The names of the notes that are not true any more when these are over. */
export const notesUntil = (...endings: readonly Ending[]): NoteName[] => {
  const over = endings.flatMap(endedWith);
  return (Object.keys(notes) as NoteName[]).filter((name) => over.includes(notes[name].lifetime));
};

/** The node's notes as they are when these are over. */
export const forget = (node: Noted, ...endings: readonly Ending[]): Noted => drop(node, ...notesUntil(...endings));
