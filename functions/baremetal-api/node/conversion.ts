/**
 * POST /v1/nodes/{ident}/conversion, an addition to Ironic's API for whoever moves in (ADR 22): a node of a driver that is
 * only shown becomes one of redfish, once its BMC has answered with the credentials that it has.
 */
import * as z from 'zod';

import { convert } from '../../../layers/bmc/conversion.ts';
import { sealFor } from '../../../layers/bmc/seal.ts';
import { Conflict, Invalid, NodeLocked } from '../../../layers/domain/fault.ts';
import { foreignInterfaces } from '../../../layers/domain/foreign-types.ts';
import {
  defaultInterfaces,
  hardwareTypes,
  interfaceKinds,
  type InterfaceKind,
} from '../../../layers/domain/hardware-types.ts';
import { mask } from '../../../layers/domain/masking.ts';
import { keep } from '../../../layers/domain/notes.ts';
import { isSame } from '../../../layers/domain/values.ts';
import { askedBy } from '../../../layers/store/events.ts';
import { kinds } from '../../../layers/store/kinds/kinds.ts';
import { readSecrets, secretsWrite } from '../../../layers/store/node-secrets.ts';
import type { StoredNode } from '../../../layers/store/nodes.ts';
import { changeRecord } from '../../../layers/store/records/change.ts';
import type { RequestAnswer } from '../../../workflows/management/requests.ts';
import { type Call, type Deps, type Route, route } from '../route.ts';
import { askMachine } from './ask.ts';
import { findByIdent } from './find.ts';
import { conceal } from './secrets.ts';

const driver = 'redfish';
const password = 'redfish_password';

/** Keys of driver_info that tell how a BMC is reached; what is booted there is no matter of its conversion. */
const accessKeys = Object.keys(hardwareTypes[driver]!.properties).filter((name) => name.startsWith('redfish_'));

const body = z.strictObject({
  driver: z.literal(driver),
  driver_info: z
    .partialRecord(z.enum(accessKeys as [string, ...string[]]), z.unknown())
    .default({})
    .describe('How its BMC is reached, where that does not follow from what is known of it.'),
  dry_run: z.boolean().default(false).describe('Ask the BMC, and leave the node as it is.'),
});
type Body = z.output<typeof body>;
type ConversionCall = Call<Body, StoredNode>;

const answer = z.object({
  outcome: z.enum(['converted', 'convertible', 'unchanged']),
  redfish_address: z.string().nullable(),
  power_state: z.enum(['power on', 'power off']).nullable().describe('As its BMC says.'),
  vendor: z.string().nullable(),
  model: z.string().nullable(),
  serial: z.string().nullable(),
  fingerprint256: z.string().nullable().describe('Of the certificate that the BMC showed.'),
});
type Answer = z.output<typeof answer>;

type Proof = NonNullable<RequestAnswer<'prove_access'>>;

const unseen = { power_state: null, vendor: null, model: null, serial: null, fingerprint256: null };

const answerOf = (outcome: Answer['outcome'], address: unknown, proof?: Proof): Answer => ({
  outcome,
  redfish_address: typeof address === 'string' ? address : null,
  ...(proof
    ? {
        power_state: proof.power,
        vendor: proof.vendor,
        model: proof.model,
        serial: proof.serial,
        fingerprint256: proof.fingerprint256,
      }
    : unseen),
});

/** What somebody chose for this node stays where redfish has it too; all others are what redfish has by default. */
const interfacesAfter = (node: StoredNode): Partial<StoredNode> => {
  const before: Readonly<Record<string, unknown>> = foreignInterfaces(node.driver) ?? {};
  const chosen = (Object.keys(interfaceKinds) as InterfaceKind[])
    .map((kind) => [`${kind}_interface`, kind] as const)
    .filter(([name]) => node[name] !== before[name])
    .filter(([name, kind]) => hardwareTypes[driver]!.interfaces[kind].includes(node[name]!))
    .map(([name]) => [name, node[name]]);
  return { ...defaultInterfaces(driver), ...Object.fromEntries(chosen) };
};

/** The password of the request, sealed; null: it brings none. Throws Invalid (400) for what is no password. */
const sealGiven = async (
  { sealer }: Deps,
  { target, body: { driver_info } }: ConversionCall,
  info: Readonly<Record<string, unknown>>,
): Promise<string | null> => {
  const given = driver_info[password] ?? null;
  if (given === null) return null;
  if (typeof given !== 'string' || given === '' || given === mask) {
    throw Invalid(`driver_info.${password} has to be the password itself, or to be left out.`);
  }
  return sealFor(sealer, given, { node: target.uuid, name: password }, info);
};

/** Writes what was proved, if the node is still what it was proved of. Throws NodeLocked, Conflict (409). */
const write = async (deps: Deps, call: ConversionCall, sealed: string | null, proof: Proof): Promise<void> => {
  const {
    target,
    subject,
    body: { driver_info: given },
  } = call;
  await changeRecord(deps, kinds.node, target.uuid, async (node) => {
    if (node.reservation) throw NodeLocked(node.uuid, node.reservation);
    if (node.driver !== target.driver || !isSame(node.driver_info, target.driver_info)) {
      throw Conflict(`Node ${node.uuid} was changed while its BMC was asked, try again.`);
    }
    const secrets = await readSecrets(deps.table, node.uuid);
    const fresh = sealed ?? (proof.moved && Buffer.from(proof.moved).toString());
    const { info } = convert(node, given);
    const shown = { ...info, ...(fresh !== null && { [password]: mask }) };
    const hidden = conceal(shown, new Map(), { ...secrets.values, ...(fresh !== null && { [password]: fresh }) });
    const found = proof.fingerprint256;
    return {
      set: {
        driver,
        driver_info: hidden.info,
        ...interfacesAfter(node),
        ...(found !== null && keep(node, { bmc_certificate_sha256: found })),
      },
      also: [secretsWrite(node.uuid, secrets, hidden.values)],
      events: [
        {
          kind: 'request',
          severity: 'INFO',
          event_type: 'conversion',
          message: `Converted from driver ${node.driver} to ${driver}.`,
          ...askedBy(subject),
        },
      ],
    };
  });
};

const convertNode = async (deps: Deps, call: ConversionCall): Promise<Answer> => {
  const {
    target,
    body: { driver_info: given, dry_run },
  } = call;
  if (target.driver === driver) return answerOf('unchanged', target.driver_info['redfish_address']);
  const { info } = convert(target, given);
  const sealed = await sealGiven(deps, call, info);
  const { [password]: _, ...rest } = given;
  const proof = await askMachine(deps, call, 'prove_access', { given: rest, sealed });
  if (!proof) throw Conflict(`Node ${target.uuid} has no BMC that could be asked: its power interface is fake.`);
  if (!dry_run) await write(deps, call, sealed, proof);
  return answerOf(dry_run ? 'convertible' : 'converted', info['redfish_address'], proof);
};

export const conversionRoutes: readonly Route[] = [
  route<Body, StoredNode>({
    at: 'POST /v1/nodes/{ident}/conversion',
    movesIn: true,
    // The BMC is only asked, and with the fence of the node nothing changes.
    fenced: false,
    policy: 'baremetal:node:convert',
    status: 200,
    body,
    shows: answer,
    doc: 'Makes a node that was moved in with a driver that is only shown one of redfish, if its BMC answers.',
    find: findByIdent,
    handle: async (deps, call) => ({ body: await convertNode(deps, call) }),
  }),
];
