/** Redfish of one machine: which path is what, and in which order a request is checked. */
import { createHash } from 'node:crypto';

import type { Fault } from '../../layers/domain/fault.ts';
import { asFault, createRouter, parseObject, type Answer, type Ask, type Route } from '../http.ts';
import { profileOf, type Machine } from '../machine.ts';
import type { FaultKind } from '../faults.ts';
import type { World } from '../world.ts';
import { errorAnswer, refusal, type Act, type Call, type View } from './call.ts';
import { job, jobs, jobService, monitor } from './job.ts';
import * as service from './service.ts';
import {
  bios,
  biosRegistry,
  biosSettings,
  patchBios,
  patchSecureBoot,
  resetBios,
  registryId,
  secureBoot,
} from './bios.ts';
import { eventService, submitTestEvent, subscribe, subscription, subscriptions, unsubscribe } from './event.ts';
import { patchLamp } from './lamp.ts';
import * as parts from './parts.ts';
import * as storage from './storage.ts';
import * as update from './update.ts';
import { authenticate, closeSession, openSession, session, sessions, sessionService } from './session.ts';
import { chassis, ethernetInterface, interfaces, patchSystem, resetSystem, system } from './system.ts';
import { ejectMedia, insertMedia, mediaCollection, mediaSlot, patchMedia } from './virtual-media.ts';

const media = '/redfish/v1/{folder}/{owner}/VirtualMedia' as const;

const own = '/redfish/v1/Systems/{system}' as const;
const cards = '/redfish/v1/Chassis/{chassis}/NetworkAdapters' as const;

const views: readonly Route<View>[] = [
  { at: 'GET /redfish', handle: service.versions },
  { at: 'GET /redfish/v1', handle: service.root },
  { at: 'GET /redfish/v1/odata', handle: service.odata },
  { at: 'GET /redfish/v1/Systems', handle: service.systems },
  { at: 'GET /redfish/v1/Systems/{system}', handle: system },
  { at: 'GET /redfish/v1/Systems/{system}/EthernetInterfaces', handle: interfaces },
  { at: 'GET /redfish/v1/Systems/{system}/EthernetInterfaces/NIC1', handle: ethernetInterface },
  { at: `GET ${own}/Bios`, handle: bios },
  { at: `GET ${own}/Bios/{settings}`, handle: biosSettings },
  { at: `GET ${own}/SecureBoot`, handle: secureBoot },
  { at: `GET ${own}/Processors`, handle: parts.processorList },
  { at: `GET ${own}/Processors/{processor}`, handle: parts.processor },
  { at: `GET ${own}/Memory`, handle: parts.memoryList },
  { at: `GET ${own}/Memory/{module}`, handle: parts.memoryModule },
  { at: `GET ${own}/Storage`, handle: storage.storageList },
  { at: `GET ${own}/Storage/1`, handle: storage.storage },
  { at: `GET ${own}/Storage/1/Drives/1`, handle: storage.drive },
  { at: `GET ${own}/Storage/1/Controllers`, handle: storage.controllers },
  { at: `GET ${own}/Storage/1/Controllers/1`, handle: storage.controller },
  { at: `GET ${own}/Storage/1/Volumes`, handle: storage.volumes },
  { at: `GET ${own}/SimpleStorage`, handle: storage.simpleStorageList },
  { at: `GET ${own}/SimpleStorage/1`, handle: storage.simpleStorage },
  { at: 'GET /redfish/v1/Managers', handle: service.managers },
  { at: 'GET /redfish/v1/Managers/{manager}', handle: service.manager },
  { at: 'GET /redfish/v1/Chassis', handle: service.chassisList },
  { at: 'GET /redfish/v1/Chassis/{chassis}', handle: chassis },
  { at: `GET ${cards}`, handle: parts.adapters },
  { at: `GET ${cards}/NIC1`, handle: parts.adapter },
  { at: `GET ${cards}/NIC1/NetworkPorts`, handle: parts.networkPorts },
  { at: `GET ${cards}/NIC1/NetworkPorts/1`, handle: parts.networkPort },
  { at: 'GET /redfish/v1/UpdateService', handle: update.updateService },
  { at: 'GET /redfish/v1/UpdateService/FirmwareInventory', handle: update.firmwareList },
  { at: 'GET /redfish/v1/UpdateService/FirmwareInventory/{firmware}', handle: update.firmware },
  { at: 'GET /redfish/v1/EventService', handle: eventService },
  { at: 'GET /redfish/v1/EventService/Subscriptions', handle: subscriptions },
  { at: 'GET /redfish/v1/EventService/Subscriptions/{subscription}', handle: subscription },
  { at: `GET ${media}`, handle: mediaCollection },
  { at: `GET ${media}/{slot}`, handle: mediaSlot },
  { at: 'GET /redfish/v1/SessionService', handle: sessionService },
  { at: 'GET /redfish/v1/SessionService/Sessions', handle: sessions },
  { at: 'GET /redfish/v1/SessionService/Sessions/{session}', handle: session },
  { at: 'GET /redfish/v1/TaskService', handle: jobService },
  { at: 'GET /redfish/v1/TaskService/Tasks', handle: jobs },
  { at: 'GET /redfish/v1/TaskService/Tasks/{job}', handle: job },
  { at: 'GET /redfish/v1/Registries', handle: service.registries },
  { at: 'GET /redfish/v1/Registries/{registry}', handle: service.registry },
  { at: `GET /redfish/v1/Registries/{registry}/${registryId}.json`, handle: biosRegistry },
  { at: 'GET /redfish/v1/JsonSchemas', handle: service.schemas },
];

const acts: readonly Route<Act>[] = [
  { at: 'PATCH /redfish/v1/Systems/{system}', handle: patchSystem },
  { at: `PATCH ${own}/Bios/{settings}`, handle: patchBios },
  { at: `POST ${own}/Bios/Actions/Bios.ResetBios`, handle: resetBios },
  { at: `PATCH ${own}/SecureBoot`, handle: patchSecureBoot },
  { at: `PATCH ${own}/Storage/1/Drives/1`, handle: patchLamp },
  { at: 'PATCH /redfish/v1/Chassis/{chassis}', handle: patchLamp },
  { at: 'POST /redfish/v1/Systems/{system}/Actions/ComputerSystem.Reset', handle: resetSystem },
  { at: 'POST /redfish/v1/Managers/{manager}/Actions/Manager.Reset', handle: service.resetManager },
  { at: `PATCH ${media}/{slot}`, handle: patchMedia },
  { at: `POST ${media}/{slot}/Actions/VirtualMedia.InsertMedia`, handle: insertMedia },
  { at: `POST ${media}/{slot}/Actions/VirtualMedia.EjectMedia`, handle: ejectMedia },
  { at: 'POST /redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate', handle: update.simpleUpdate },
  { at: 'POST /redfish/v1/EventService/Actions/EventService.SubmitTestEvent', handle: submitTestEvent },
  { at: 'POST /redfish/v1/EventService/Subscriptions', handle: subscribe },
  { at: 'DELETE /redfish/v1/EventService/Subscriptions/{subscription}', handle: unsubscribe },
  { at: 'POST /redfish/v1/SessionService/Sessions', handle: openSession },
  { at: 'DELETE /redfish/v1/SessionService/Sessions/{session}', handle: closeSession },
  { at: 'GET /redfish/v1/TaskService/Tasks/{job}/Monitor', handle: monitor },
];

const matchView = createRouter(views);
const matchAct = createRouter(acts);

/** For everybody (DSP0266, security details): the root documents, and logging in. */
const open = new Set([
  'GET /redfish',
  'GET /redfish/v1',
  'GET /redfish/v1/odata',
  'GET /redfish/v1/$metadata',
  'POST /redfish/v1/SessionService/Sessions',
]);

const metadata: Answer = {
  status: 200,
  headers: { 'content-type': 'application/xml', 'odata-version': '4.0' },
  body: '<?xml version="1.0"?><edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"/>',
};

/** A machine has one system, manager and chassis; their ids are the profile's. */
const checkIds = ({ profile, params }: Call): void => {
  for (const [name, id] of Object.entries(profile.ids)) {
    if ((params[name] ?? id) !== id) throw refusal('Base.1.16.ResourceMissingAtURI');
  }
};

const etagOf = ({ profile }: Call, resource: object): string => {
  const digest = createHash('sha1').update(JSON.stringify(resource)).digest('base64url').slice(0, 16);
  return profile.etag === 'weak' ? `W/"${digest}"` : `"${digest}"`;
};

/** Methods of a path. A slot takes PATCH only where it has no actions; clients decide by this header. */
const allowed = ({ ask, profile }: Omit<Call, 'params' | 'body'>): string[] => {
  const [views, acts] = [matchView('OPTIONS', ask.path), matchAct('OPTIONS', ask.path)];
  const methods = [views, acts].flatMap((found) => ('allowed' in found ? found.allowed : []));
  const fixed = ask.path.includes('/VirtualMedia/') && profile.insert !== 'patch';
  return methods.filter((method) => !(fixed && method === 'PATCH'));
};

const show = (call: Call, view: View): { resource: object; etag: string } => {
  checkIds(call);
  const resource = { '@odata.id': `/${call.machine.name}${call.ask.path}`, ...view(call) };
  return { resource, etag: etagOf(call, resource) };
};

/** If-Match of a PATCH against the ETag of what a GET would show now. */
const checkPrecondition = (call: Call): void => {
  const { ask, profile } = call;
  const given = ask.headers['if-match'];
  if (given === undefined && profile.if_match_required) throw refusal('Base.1.16.PreconditionRequired');
  if (given === undefined || given === '*') return;
  const found = matchView('GET', ask.path);
  if (!('handle' in found)) return;
  const { etag } = show({ ...call, params: found.params }, found.handle);
  if (!given.split(',').some((one) => one.trim() === etag)) throw refusal('Base.1.16.PreconditionFailed');
};

const parseBody = (ask: Ask): Record<string, unknown> => {
  try {
    return parseObject(ask.body);
  } catch {
    throw refusal('Base.1.16.MalformedJSON');
  }
};

const act = async (call: Omit<Call, 'params' | 'body'>): Promise<Answer> => {
  const { ask, profile } = call;
  const found = matchAct(ask.method, ask.path);
  if (!('handle' in found)) {
    const known = allowed(call).length > 0;
    throw refusal(known ? 'Base.1.16.OperationNotAllowed' : 'Base.1.16.ResourceMissingAtURI');
  }
  if (profile.length_required && ask.headers['transfer-encoding']) throw refusal('Base.1.16.LengthRequired');
  const whole = { ...call, params: found.params, body: parseBody(ask) };
  checkIds(whole);
  if (ask.method === 'PATCH') checkPrecondition(whole);
  return found.handle(whole);
};

const answer = async (world: World, machine: Machine, ask: Ask): Promise<Answer> => {
  const method = ask.method === 'HEAD' ? 'GET' : ask.method;
  if (!open.has(`${method} ${ask.path}`)) authenticate(world, machine, ask);
  if (ask.path === '/redfish/v1/$metadata') return metadata;
  const call = { world, machine, profile: profileOf(machine), ask };
  const found = matchView(method, ask.path);
  if (!('handle' in found)) return act(call);
  const { resource, etag } = show({ ...call, params: found.params, body: {} }, found.handle);
  const headers = { 'odata-version': '4.0', etag, 'cache-control': 'no-cache', allow: allowed(call).join(', ') };
  return { status: 200, headers, body: resource };
};

/** Faults that spare the BMC the work. */
const instead: readonly [FaultKind, Answer][] = [
  ['bmc_hangs', 'hang'],
  ['bmc_drops', 'drop'],
  ['bmc_503', errorAnswer(refusal('Base.1.16.ServiceTemporarilyUnavailable'))],
  ['bmc_500', { status: 500 }],
  ['bmc_html', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Loading</body></html>' }],
];

/** Emulators say what is wrong as a line of text, with the type of a page. */
const refuse = (machine: Machine, fault: Fault): Answer =>
  fault.code === 400 && profileOf(machine).plain_refusals
    ? { status: 400, headers: { 'content-type': 'text/html; charset=utf-8' }, body: fault.message }
    : errorAnswer(fault);

/** Answers a request to the BMC of `machine`; `ask.path` starts with /redfish. */
export const answerRedfish = async (world: World, machine: Machine, ask: Ask): Promise<Answer> => {
  const { faults, clock, scale } = world;
  const op = `${ask.method} ${ask.path}`;
  if (clock.now() < machine.bmc_back_at) return errorAnswer(refusal('Base.1.16.ServiceTemporarilyUnavailable'));
  const slow = faults.strikes('bmc_slow', machine, op);
  if (slow) await clock.sleep(slow.seconds * 1000 * scale);
  const early = instead.find(([name]) => faults.strikes(name, machine, op));
  if (early) return early[1];
  const given = await answer(world, machine, ask).catch((error: unknown) => refuse(machine, asFault(error)));
  return faults.strikes('bmc_drops_answer', machine, op) ? 'drop' : given;
};
