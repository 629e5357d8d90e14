/** `npx ingot nodes convert`: nodes of a driver that is only shown become nodes of redfish, each once its BMC has answered. */

import { eachAtOnce } from '../layers/domain/at-once.ts';
import { Invalid, isFault } from '../layers/domain/fault.ts';
import { secretIn, textOf } from '../migrate/credentials.ts';
import type { Service } from '../migrate/service.ts';
import { readArguments } from './arguments.ts';
import type { Command, World } from './command.ts';
import { createProgress } from './progress.ts';
import { askTarget, openTarget, targetOptions, targetUsage } from './target.ts';

const options = {
  ...targetOptions,
  all: { type: 'boolean', default: false },
  driver: { type: 'string', default: 'redfish' },
  'address-template': { type: 'string' },
  'system-id': { type: 'string' },
  'bmc-ca': { type: 'string' },
  'bmc-user': { type: 'string' },
  'bmc-password-file': { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
} as const;

const parse = (args: readonly string[]) => readArguments(args, options);
type Values = ReturnType<typeof parse>['values'];

type Node = {
  readonly uuid: string;
  readonly name: string | null;
  readonly driver_info: Readonly<Record<string, unknown>>;
};

const fields = 'uuid,name,driver_info';

/** The driver whose nodes are looked for. */
const from = 'ipmi';

const pageSize = 500;

/** All nodes of the driver. Those that are converted already are none of it any more. */
const all = async (target: Service): Promise<Node[]> => {
  const found: Node[] = [];
  for (let marker = ''; ;) {
    const path = `/v1/nodes?driver=${from}&fields=${fields}&limit=${pageSize}${marker && `&marker=${marker}`}`;
    const { nodes } = (await askTarget(target, 'GET', path)) as { nodes: Node[] };
    found.push(...nodes);
    if (nodes.length < pageSize) return found;
    marker = nodes.at(-1)!.uuid;
  }
};

/** `{address}` and `{name}` of a template are the node's. Throws Invalid for a node that has not what it names. */
const addressOf = (template: string, { uuid, name, driver_info: info }: Node): string =>
  template.replace(/\{(\w+)\}/g, (_, word: string) => {
    const host = info['ipmi_address'] ?? info['redfish_address'];
    const address = typeof host === 'string' && host.includes(':') ? `[${host}]` : host;
    const value = { address, name }[word];
    if (typeof value === 'string' && value !== '') return value;
    throw Invalid(`Node ${uuid} has nothing for {${word}} of --address-template.`);
  });

/** The certificate to trust: true, false and a fingerprint as they are, else the text of a file. */
const trustOf = (given: string): string | boolean => {
  if (given === 'true' || given === 'false') return given === 'true';
  return given.startsWith('sha256:') ? given : textOf(given);
};

/** What is said of the BMC of each node alike. Throws Invalid. */
const accessOf = (values: Values, env: World['env']): Readonly<Record<string, unknown>> => {
  const { 'bmc-ca': ca, 'bmc-user': user, 'system-id': system } = values;
  const password = secretIn(values['bmc-password-file'], 'INGOT_BMC_PASSWORD', env);
  return {
    ...(ca !== undefined && { redfish_verify_ca: trustOf(ca) }),
    ...(user !== undefined && { redfish_username: user }),
    ...(system !== undefined && { redfish_system_id: system }),
    ...(password !== undefined && { redfish_password: password }),
  };
};

type Told = { readonly outcome: string; readonly detail: string };

const convertOne = async (target: Service, node: Node, values: Values, access: object): Promise<Told> => {
  const { driver, 'address-template': template, 'dry-run': dry_run } = values;
  try {
    const address = template === undefined ? {} : { redfish_address: addressOf(template, node) };
    const body = { driver, driver_info: { ...address, ...access }, dry_run };
    const told = (await askTarget(target, 'POST', `/v1/nodes/${node.uuid}/conversion`, body)) as Record<
      string,
      string | null
    >;
    const { outcome, redfish_address, vendor, model, power_state } = told;
    return { outcome: outcome!, detail: [redfish_address, vendor, model, power_state].filter(Boolean).join(', ') };
  } catch (error) {
    // What is about this node; whoever may not ask for one, or finds nobody to ask, has that with all of them.
    if (!isFault(error) || (error.name !== 'Refused' && error.name !== 'Invalid')) throw error;
    return { outcome: 'failed', detail: error.message };
  }
};

/** BMCs are slow, and each is asked by itself. */
const atOnce = 8;

const chosen = async (target: Service, names: readonly string[], isAll: boolean): Promise<Node[]> => {
  if (isAll === names.length > 0) throw Invalid('Name the nodes, or give --all.');
  if (isAll) return all(target);
  const found: Node[] = [];
  for (const name of new Set(names)) {
    found.push((await askTarget(target, 'GET', `/v1/nodes/${encodeURIComponent(name)}?fields=${fields}`)) as Node);
  }
  return found;
};

export const nodesConvert: Command = {
  usage: `NODE ... | --all [--dry-run] [options]
      --address-template T  where each BMC speaks Redfish, such as https://{address}:8443; {address} is its ipmi_address,
                            {name} the name of the node. Default: https://{address}
      --bmc-ca HOW          whom to trust: FILE (PEM), sha256:FINGERPRINT, true (public authorities, default) or false
      --system-id PATH      of the machine, where BMCs have several
      --bmc-user NAME       with INGOT_BMC_PASSWORD or --bmc-password-file: credentials instead of those that are stored, which
                            go to no other host than before${targetUsage}`,
  doc: `makes nodes that were moved in with driver ${from} nodes of redfish, once their BMCs have answered; it may be asked for again at any time (exit code 1: one could not be converted)`,
  run: async (args, world) => {
    const { values, positionals } = parse(args);
    const access = accessOf(values, world.env);
    const target = openTarget(values, world.env);
    const nodes = await chosen(target, positionals, values.all);
    const counts = new Map<string, number>();
    const progress = createProgress(nodes.length, 'nodes', world);
    await eachAtOnce(nodes, atOnce, async (node) => {
      const { outcome, detail } = await convertOne(target, node, values, access);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      progress.end();
      world.print(`${(node.name ?? node.uuid).padEnd(38)}${outcome.padEnd(13)}${detail}`);
      progress.step();
    });
    progress.end();
    const told = [...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
    world.print(nodes.length === 0 ? `There is no node of driver ${from}.` : `${nodes.length} nodes: ${told}.`);
    return (counts.get('failed') ?? 0) > 0 ? 1 : 0;
  },
};
