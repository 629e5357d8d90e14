/** The second half of the demo: a tenant gets a server, and gives it back; the operator sees which machine it is. */
import { Fault } from '../../layers/domain/fault.ts';
import { type Check, returned, served } from './checks.ts';
import { type Client, computeVersion, createClient } from './client.ts';
import type { Display } from './display.ts';
import type { Control, Images, Machine } from './machines.ts';
import type { NodeView } from './node.ts';
import type { Phases } from './phases.ts';
import {
  addressesOf,
  type Apis,
  builtServer,
  createServer,
  names,
  prepareParts,
  removeOld,
  removeServer,
  type ServerView,
} from './server.ts';
import type { Clock } from '../../layers/platform/platform.ts';
import { asTenant, tenant } from './tenant.ts';

/** URLs of the APIs, by their names in the manifest. */
export type Urls = Readonly<Record<string, string>>;

export type Serving = {
  readonly urls: Urls;
  /** The Bare Metal API, as the operator has it. */
  readonly metal: Client;
  readonly control: Control;
  readonly display: Display;
  readonly phases: Phases;
  readonly clock: Clock;
  readonly machines: readonly Machine[];
  readonly images: Images;
  /** Keys of the objects that are stored now. */
  objects(): Promise<string[]>;
  /** Resolves with the node once it rests. */
  rest(node: NodeView): Promise<NodeView>;
  /** Shows the checks; answers the claims that did not hold. */
  report(checks: readonly Check[]): string[];
};

const connect = ({ urls, clock }: Serving): Apis => {
  const to = (api: string, headers: Readonly<Record<string, string>>) =>
    createClient({ url: urls[api]!, clock, headers });
  return {
    flavors: to('compute', computeVersion),
    compute: to('compute', { ...computeVersion, ...asTenant }),
    image: to('image', asTenant),
    network: to('network', asTenant),
  };
};

const findFree = async ({ metal }: Serving): Promise<boolean> => {
  const filters = 'provision_state=available&associated=false&maintenance=false';
  const { nodes } = await metal<{ nodes: NodeView[] }>(`GET /v1/nodes?${filters}`);
  return nodes.length > 0;
};

/** The machine of a server, as only the operator finds it. Throws NotFound (404). */
const nodeOf = async ({ metal }: Serving, server: string): Promise<NodeView> => {
  const { nodes } = await metal<{ nodes: NodeView[] }>(`GET /v1/nodes?instance_uuid=${server}`);
  if (!nodes[0]) throw new Fault('NotFound', 404, `No node has server ${server}.`);
  return metal<NodeView>(`GET /v1/nodes/${nodes[0].uuid}`);
};

/** The document with its lines below the words of the demo. */
const indented = (text: string): string => text.trim().replaceAll(/^/gm, '    ');

const tellServer = (serving: Serving, server: ServerView, node: NodeView, document: string): void => {
  const { display } = serving;
  display.say(`\n${server.name} has the addresses ${addressesOf(server).join(', ')}.`);
  display.say(`\nThe operator sees that it is ${node.name}, and its guest metadata document:\n\n${indented(document)}`);
};

const look = async (serving: Serving, server: ServerView) => {
  const { metal, control, machines, images, report, display } = serving;
  const node = await nodeOf(serving, server.id);
  const document = await metal<string>(`GET /v1/nodes/${node.uuid}/guest-metadata`);
  tellServer(serving, server, node, document);
  display.say('\nWhat the tenant sees, and what is on the disk of the machine:');
  const machine = await control.state(node.name);
  const mac = machines.find(({ name }) => name === node.name)?.mac ?? '';
  return { node, missed: report(served({ server, node, machine, document }, images, mac)) };
};

/** Answers the claims that did not hold. Throws what is in the way. */
export const serveTenant = async (serving: Serving): Promise<string[]> => {
  const { display, phases, clock, control, images, objects, report, rest } = serving;
  display.say(`\nA server for ${tenant.user} of project ${tenant.project}, who knows of no machines:`);
  const apis = connect(serving);
  const needs = { apis, clock };
  await removeOld(needs);
  if (!(await findFree(serving))) {
    display.say('No machine is left for it: with --machines 2 there is one.');
    return [];
  }
  const before = new Set(await objects());
  const parts = await prepareParts(apis, images);
  const id = await createServer(apis, parts);
  phases.follow(id, names.server, true);
  const server = await builtServer(needs, id);
  display.show(names.server, server.status, 'good');
  const { node, missed } = await look(serving, server);
  display.say('\nShe deletes it:');
  await removeServer(needs, id);
  display.show(names.server, 'deleted', 'good');
  const after = await rest(node);
  const left = (await objects()).filter((key) => !before.has(key));
  display.say('\nWhat is left of it:');
  return [...missed, ...report(returned(after, await control.state(node.name), left))];
};
