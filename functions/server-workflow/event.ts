/**
 * What becomes of nodes, as it concerns servers (docs/events.md). Events say that something has become; what the node is
 * by now is asked of the Bare Metal API, so that their order and their repetition do not matter.
 */
import * as z from 'zod';

import type { BaremetalClient } from '../../layers/baremetal-client/client.ts';
import { stateOf } from '../../layers/domain/baremetal/states.ts';
import { provisionStates, type ProvisionState } from '../../layers/domain/baremetal/transitions.ts';
import { eventDetail, type EventDetail } from '../../layers/domain/events.ts';
import { serverState } from '../../layers/domain/compute/server-states.ts';
import { isFault } from '../../layers/domain/fault.ts';
import type { Invocation } from '../../layers/platform/platform.ts';
import { type ServerWait } from '../../layers/store/kinds/companions.ts';
import { computeKinds } from '../../layers/store/kinds/compute.ts';
import { changeRecord } from '../../layers/store/records/change.ts';
import { readRecord } from '../../layers/store/records/find.ts';
import { readGone } from '../../layers/store/servers.ts';
import { hasNode, isLost, planDeletion } from '../../workflows/owners/server/lost.ts';
import { machinesFor } from '../../workflows/owners/server/machines.ts';
import { unplugAll } from '../../workflows/owners/server/ports.ts';
import { deliver } from '../../workflows/owners/server/wait.ts';
import type { Deps } from './app.ts';

const provisionState = z.enum(provisionStates as [ProvisionState, ...ProvisionState[]]);

/** An event as EventBridge hands it over: what is around `detail` is of AWS, which may add to it. */
export const nodeEvent = z.object({ 'detail-type': z.string(), detail: eventDetail });

/** States that will end by themselves; nobody waits for one of them. */
const passing: readonly unknown[] = ['built', 'leaving', 'rescuing', 'unrescuing'];

const isSettled = ({ after }: EventDetail): boolean => {
  const state = provisionState.safeParse(after?.['provision_state']).data;
  return state === undefined || !passing.includes(stateOf({ provision_state: state }).server);
};

/** What a server hears of its node; `loss` is both. */
type News = 'claim' | 'loss' | ServerWait['about'];

/** By the types of events; undefined: nothing has settled. */
const news: { readonly [type: string]: (event: EventDetail) => News | undefined } = {
  'node.provision_state': (event) => (isSettled(event) ? 'provision' : undefined),
  'node.power_state': ({ after }) => (after?.['target_power_state'] === null ? 'power' : undefined),
  'node.instance': ({ after }) => (after?.['instance_uuid'] === null ? 'loss' : 'claim'),
  'node.delete': () => 'loss',
};

const both = ['provision', 'power'] as const;

const kind = computeKinds.server;

type Work = { readonly deps: Deps; readonly machines: BaremetalClient; readonly event: EventDetail };

/**
 * A claim that came when its server was deleted already: the node is given back. No run of a server that is gone gets any
 * further than a claim, so whatever is deployed under its name is somebody else's, who gave a machine an old UUID.
 */
const giveBackStray = async ({ deps, machines, event }: Work, instance: string): Promise<void> => {
  if (!(await readGone(deps.table, instance))) return;
  const { node_uuid: node } = event;
  const found = await machines.nodeOfInstance(instance);
  if (found?.uuid !== node) return;
  const about = { node, server: instance };
  if (found.provision_state !== 'available') {
    deps.log.error('A node has the UUID of a deleted server as its instance_uuid; it is not touched.', about);
    return;
  }
  deps.log.warn('A node was claimed for a server that is deleted; it is given back.', about);
  await unplugAll({ machines }, node);
  await machines.release(node, instance);
};

/**
 * Who claims a node knows it; who deletes the server, or finds it in error later, has to know of a claim that came late,
 * if the node still has it by the time that its event comes.
 */
const noteClaim = async ({ deps, machines, event: { sequence } }: Work, uuid: string): Promise<void> => {
  await changeRecord(deps, kind, uuid, async ({ run_workflow: workflow, node_uuid: known }) => {
    if (workflow !== 'server-delete' && (workflow !== null || known !== null)) return undefined;
    const node = await machines.nodeOfInstance(uuid);
    return node && { set: { event: sequence, node_uuid: node.uuid } };
  });
};

/** A run that does not wait may have looked at the node just before: it looks again before it ends. */
const noteChange = async ({ deps, event: { sequence } }: Work, uuid: string): Promise<void> => {
  await changeRecord(deps, kind, uuid, ({ run, run_workflow: workflow }) =>
    run === null || workflow === 'server-delete' ? undefined : { set: { event: sequence } },
  );
};

/** What the node is makes the server what it is, while no run has it; one that has lost its node is deleted. */
const follow = async ({ deps, machines }: Work, uuid: string): Promise<void> => {
  const deletion = planDeletion(deps);
  const { after } = await changeRecord(deps, kind, uuid, async (server) => {
    if (server.run !== null || !hasNode(server)) return undefined;
    const node = await machines.nodeOfInstance(uuid);
    if (isLost(server, node)) return { set: deletion.of(server) };
    const state = serverState(node, server);
    const same = Object.entries(state).every(([name, value]) => server[name as keyof typeof state] === value);
    return same ? undefined : { set: state };
  });
  await deletion.start(deps, after);
};

/**
 * Takes an event: continues the run that waits for it, or follows the node with a server that has none. Throws what the
 * Bare Metal API throws; then the event comes again.
 */
export const takeEvent = async (
  deps: Deps,
  { 'detail-type': type, detail: event }: z.output<typeof nodeEvent>,
  invocation: Invocation,
): Promise<object> => {
  const { instance_uuid: instance } = event;
  const heard = news[type]?.(event);
  if (instance === null || heard === undefined) return {};
  const machines = machinesFor(deps, { request_id: `event-${event.sequence}`, instance }, invocation);
  const work = { deps, machines, event };
  const server = await readRecord(deps.table, kind, instance);
  try {
    if (!server) await (heard === 'claim' ? giveBackStray(work, instance) : undefined);
    else if (heard === 'claim') await noteClaim(work, instance);
    else if (server.run === null) await follow(work, instance);
    else if (!(await deliver(deps, instance, heard === 'loss' ? both : [heard]))) await noteChange(work, instance);
  } catch (error) {
    // It was deleted meanwhile: the next event finds that.
    if (!isFault(error) || error.name !== 'NotFound') throw error;
  }
  return {};
};
