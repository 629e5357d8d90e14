/** The control plane: how tests and the demo look behind the machines and let things go wrong. Loopback only. */
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';

import { Forbidden, Invalid, NotFound } from '../../layers/domain/fault.ts';
import { isForOwnHost, isFromForeignPage, ownOf } from '../../layers/http/loopback.ts';
import { asFault, createRouter, parseObject, type Answer, type Ask, type Route } from '../http.ts';
import type { Machine } from '../machine.ts';
import { switchByHand } from '../power.ts';
import type { World } from '../world.ts';
import { serveImage, type createImages } from './images.ts';
import { describeAccess, describeMachine } from './views.ts';

export type Control = {
  readonly world: World;
  readonly machines: ReadonlyMap<string, Machine>;
  readonly fingerprint256: string;
  readonly images: ReturnType<typeof createImages>;
  /** Where this control plane is, `http://127.0.0.1:<port>`. */
  readonly base: () => string;
};

type Call = { readonly control: Control; readonly params: Record<string, string>; readonly ask: Ask };
type Handler = (call: Call) => Answer;

const ok = (body: object, status = 200): Answer => ({ status, body });

const find = ({ control, params }: Call): Machine => {
  const machine = control.machines.get(params['name']!);
  if (!machine) throw NotFound(`There is no machine ${params['name']}; GET /machines lists them.`);
  return machine;
};

const list: Handler = ({ control }) => {
  const { world, machines, fingerprint256, images } = control;
  const url = (name: string) => `${control.base()}/images/${name}`;
  const { sha256, size } = images('demo.raw')!;
  return ok({
    machines: [...machines.values()].map((machine) => describeAccess(world, machine, fingerprint256)),
    images: {
      deploy_iso: url('deploy.iso'),
      plain_iso: url('plain.iso'),
      demo_raw: { url: url('demo.raw'), sha256, size },
      live_iso: url('live.iso'),
    },
  });
};

const configdrive: Handler = (call) => {
  const { packed } = find(call).disk.configdrive ?? {};
  if (!packed)
    throw NotFound(`Machine ${call.params['name']} has no configdrive on its disk, or one too large to keep.`);
  const bytes = gunzipSync(Buffer.from(packed, 'base64'));
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: Readable.from([bytes]) };
};

const image: Handler = ({ control, params, ask }) => {
  const found = control.images(params['file']!);
  if (!found) throw NotFound(`There is no image ${params['file']}.`);
  return serveImage(found, ask);
};

/** Without its BMC, which sees it. */
const setPower: Handler = (call) => {
  const { power } = parseObject(call.ask.body);
  if (power !== 'on' && power !== 'off') throw Invalid('power must be on or off.');
  const machine = find(call);
  switchByHand(call.control.world, machine, power);
  return ok({ power }, 202);
};

const addFault: Handler = (call) => {
  const machine = call.params['name'] === undefined ? null : find(call).name;
  return ok(call.control.world.faults.add(machine, parseObject(call.ask.body)), 201);
};

const removeFaults: Handler = (call) => {
  const { name, id } = call.params;
  if (name !== undefined) find(call);
  const removed = call.control.world.faults.remove({ ...(name && { machine: name }), ...(id && { id }) });
  return ok({ removed });
};

const log: Handler = ({ control, ask }) => {
  const entries = control.world.log.list(ask.query.get('node') ?? undefined);
  return ok({ log: entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })) });
};

const routes: readonly Route<Handler>[] = [
  { at: 'GET /machines', handle: list },
  { at: 'GET /machines/{name}', handle: (call) => ok(describeMachine(call.control.world, find(call))) },
  { at: 'GET /machines/{name}/configdrive', handle: configdrive },
  { at: 'PUT /machines/{name}/power', handle: setPower },
  {
    at: 'GET /machines/{name}/faults',
    handle: (call) => ok({ faults: call.control.world.faults.list(find(call).name) }),
  },
  { at: 'POST /machines/{name}/faults', handle: addFault },
  { at: 'DELETE /machines/{name}/faults', handle: removeFaults },
  { at: 'GET /faults', handle: ({ control }) => ok({ faults: control.world.faults.list() }) },
  { at: 'POST /faults', handle: addFault },
  { at: 'DELETE /faults', handle: removeFaults },
  { at: 'DELETE /faults/{id}', handle: removeFaults },
  { at: 'GET /log', handle: log },
  { at: 'GET /images/{file}', handle: image },
];

const match = createRouter(routes);

/** It asks for no password and tells those of the BMCs. Throws Forbidden (403) for what a web page asks. */
const refusePages = ({ base }: Control, { headers }: Ask): void => {
  const own = ownOf(Number(new URL(base()).port));
  if (isForOwnHost(headers, own) && !isFromForeignPage(headers, own)) return;
  throw Forbidden('The control plane answers programs of this machine only, at 127.0.0.1, localhost or [::1].');
};

/** Answers a request to the control plane. */
export const answerControl = (control: Control, ask: Ask): Answer => {
  try {
    refusePages(control, ask);
    const found = match(ask.method === 'HEAD' ? 'GET' : ask.method, ask.path);
    if ('handle' in found) return found.handle({ control, params: found.params, ask });
    if (found.allowed.length === 0) throw NotFound(`There is nothing at ${ask.path}.`);
    return { status: 405, headers: { allow: found.allowed.join(', ') } };
  } catch (error) {
    const { name, code, message } = asFault(error);
    return ok({ error: name, message }, code);
  }
};
