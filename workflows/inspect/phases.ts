/** inspect: what the machine consists of, told by its BMC or by the agent (ironic-states.md 12). */
import { Fault, Invalid, isFault } from '../../layers/domain/fault.ts';
import { implementationOf } from '../../layers/domain/hardware-types.ts';
import { plainText } from '../../layers/domain/foreign-text.ts';
import { evaluateRules } from '../../layers/domain/inspection-rules/evaluate.ts';
import { addressesOf, bootModeOf, type Inspected, propertiesOf, ramdiskError } from '../../layers/domain/inspection.ts';
import { isoTime } from '../../layers/domain/values.ts';
import { forget, keep, note } from '../../layers/domain/notes.ts';
import { rulesOfPhase } from '../../layers/store/inspection-rules.ts';
import { inventoryWrite, readInventory } from '../../layers/store/inventories.ts';
import { kinds } from '../../layers/store/kinds/kinds.ts';
import type { StoredNode } from '../../layers/store/nodes.ts';
import { recordsOf } from '../../layers/store/records/find.ts';
import { finish } from '../../layers/store/reservation.ts';
import { forgetAgent } from '../owners/node/agent.ts';
import { inspectionNote } from '../owners/node/history.ts';
import { changeInspectedPort, createInspectedPorts } from './ports.ts';
import { hasInspected } from './inspection.ts';
import { answer, done, type Phase, type PhaseContext, type Phases } from '../owners/node/phase.ts';
import * as boot from '../owners/node/boot.ts';

const ways = { way: ['nothing', 'redfish', 'agent'] } as const;
type Way = (typeof ways.way)[number];

const wayOf = ({ inspect_interface: asked }: StoredNode): Way => {
  const way = implementationOf(asked);
  if (way === 'fake') return 'nothing';
  if (way === 'redfish' || way === 'agent') return way;
  throw Invalid(`inspect_interface ${asked} cannot inspect; set it to redfish or agent.`);
};

const prepare: Phase<typeof ways> = {
  answers: ways,
  run: async ({ node, platform }) => {
    const way = wayOf(node);
    if (way === 'agent' && node.disable_power_off) {
      throw Invalid(
        'disable_power_off is set, but an inspection by the agent has to switch the machine off; set inspect_interface to redfish.',
      );
    }
    const started = isoTime(platform.clock.now());
    const change = (fresh: StoredNode) => ({
      inspection_started_at: started,
      inspection_finished_at: null,
      ...forget(fresh, 'inspection'),
    });
    return answer({ way }, change);
  },
};

/** The BMC's inventory has the form of the agent's. */
const readInventoryOfBmc: Phase = {
  slow: true,
  run: async ({ hardware, node, platform, run }) => {
    const seen = await hardware.ask('inventory.get', {});
    const inspected: Inspected = { inventory: seen?.inventory ?? {}, plugin_data: {} };
    return done((fresh) => keep(fresh, { inspected_by_run: run }), {
      also: [await inventoryWrite(platform, node.uuid, inspected)],
    });
  },
};

/** The ramdisk API notes on the node whose inventory it stored, so none that was sent is ever missed. */
const waitForAgent: Phase = {
  run: async ({ run }) => ({ is: 'wait', came: (node) => hasInspected(node, run) }),
};

const inventoryOf = async ({ node, platform, run }: PhaseContext): Promise<Inspected> => {
  const inspected = hasInspected(node, run) ? await readInventory(platform, node.uuid) : undefined;
  if (inspected) return inspected;
  throw new Fault('InspectionFailed', 400, 'The inventory that this inspection found is not stored any more.');
};

/** Ironic's hooks ramdisk-error and validate-interfaces. */
const checkInventory: Phase = {
  run: async (context) => {
    const inspected = await inventoryOf(context);
    const error = ramdiskError(inspected);
    if (error !== undefined) {
      throw new Fault('InspectionFailed', 400, `The ramdisk reported: ${plainText(error)}`);
    }
    if (addressesOf(inspected).length === 0) {
      throw new Fault('InspectionFailed', 400, 'The ramdisk found no network card with a MAC address.');
    }
    return done();
  },
};

const notes = ({ about }: PhaseContext, texts: readonly string[]) => texts.map((text) => inspectionNote(about, text));

/** The cards that the BMC itself knows of; none if it does not tell. */
const cardsOfBmc = async ({ hardware }: PhaseContext): Promise<readonly string[]> => {
  try {
    const seen = await hardware.ask('inventory.get', {});
    return (seen?.inventory.interfaces ?? []).map(({ mac_address: address }) => address);
  } catch (error) {
    if (isFault(error) && error.name === 'BmcUnsupported') return [];
    throw error;
  }
};

/**
 * Whom to believe about cards: the ramdisk that was booted for this and has proved it; of any other, which may be
 * whoever knows the address of the BMC, only what the BMC says as well. A port is how agents are told apart.
 */
const vouchersFor = async (context: PhaseContext): Promise<(address: string) => boolean> => {
  const { node } = context;
  if (wayOf(node) !== 'agent' || note(node, 'inspected_with_key') === true) return () => true;
  const known = new Set(await cardsOfBmc(context));
  return (address) => known.has(address);
};

const createPlatform: Phase = {
  slow: true,
  run: async (context) => {
    const { node, platform, run } = context;
    const inspected = await inventoryOf(context);
    const vouched = await vouchersFor(context);
    const { created, taken, doubted } = await createInspectedPorts(platform, node, run, inspected, vouched);
    const texts = [
      ...(doubted.length > 0
        ? [
            `No port for ${doubted.join(', ')}: the ramdisk did not prove itself, and the BMC does not know the address.`,
          ]
        : []),
      ...(created.length > 0 ? [`Ports created: ${created.join(', ')}.`] : []),
      ...(taken.length > 0 ? [`No port created where another node has the address: ${taken.join(', ')}.`] : []),
    ];
    return done(undefined, { events: notes(context, texts) });
  },
};

/** Capabilities stay: they are what an operator wants of the machine, not what it happens to be. */
const recordHardware: Phase = {
  run: async (context) => {
    const inspected = await inventoryOf(context);
    const found = propertiesOf(inspected);
    const mode = bootModeOf(inspected);
    const change = ({ properties }: StoredNode) => ({
      properties: { ...properties, ...found },
      ...(mode && { boot_mode: mode }),
    });
    return done(change);
  },
};

/** More lines are no help to anybody, and a transaction takes a hundred writes. */
const maxLines = 20;

/** Rules decide on the node as it is when it is written; what they make of ports is written before. */
const applyRules: Phase<typeof ways> = {
  answers: ways,
  run: async (context) => {
    const { node, platform, run } = context;
    const way = wayOf(node);
    const rules = await rulesOfPhase(platform.table, 'main');
    if (rules.length === 0) return answer({ way });
    const inspected = await inventoryOf(context);
    const cards = await recordsOf(platform.table, kinds.port, node.uuid);
    const judge = (fresh: StoredNode) => evaluateRules(rules, { ...inspected, node: fresh, ports: cards });
    const { ports: changes, plugin_data, log } = judge(node);
    for (const { uuid, ...values } of changes) await changeInspectedPort(platform, uuid, run, values);
    return answer({ way }, (fresh) => judge(fresh).node, {
      events: notes(context, log.slice(0, maxLines)),
      also: [await inventoryWrite(platform, node.uuid, { ...inspected, plugin_data })],
    });
  },
};

const finishInspection: Phase = {
  run: async ({ platform }) => {
    const finished = isoTime(platform.clock.now());
    return done((node) => ({
      ...forgetAgent(node),
      ...finish(node, 'done'),
      inspection_finished_at: finished,
      last_error: null,
    }));
  },
};

/** By the names of the states in inspect.asl.json. */
export const phases: Phases = {
  Prepare: prepare,
  ReadInventory: readInventoryOfBmc,
  PowerOff: boot.powerOff,
  AttachBootMedia: boot.attachBootMedia,
  SetBootDevice: boot.bootMediaOnce,
  PowerOn: boot.powerOn,
  WaitForAgent: waitForAgent,
  CheckInventory: checkInventory,
  CreatePorts: createPlatform,
  RecordHardware: recordHardware,
  ApplyRules: applyRules,
  PowerOffRamdisk: boot.powerOff,
  DetachBootMedia: boot.leaveBootMedia,
  Finish: finishInspection,
};
