/** The command API of a deploy agent (ironic-deploy.md 4). */
import { bmcFault, type BmcFaultName } from '../../layers/bmc/faults.ts';
import { parseTrust } from '../../layers/bmc/driver-info.ts';
import { agentCommand, type AgentCommand } from '../../layers/bmc/operations.ts';
import { isFault } from '../../layers/domain/fault.ts';
import { withoutTail } from '../../layers/domain/foreign-text.ts';
import { agentWords, joinWords } from '../../layers/domain/machine-words.ts';
import { parseObject } from '../../layers/redfish-client/answer.ts';
import type { Answer, Line, Method, Peer } from '../../layers/platform/wire.ts';
import type { Call } from './call.ts';
import { findPeer } from './peer.ts';

export type Agent = {
  /** In the order in which they were given; empty after a boot. Throws the faults below. */
  commands(): Promise<AgentCommand[]>;
  /** Gives a command; with `wait` the agent answers when it has ended. */
  run(name: string, params: object, wait: boolean): Promise<AgentCommand>;
};

/** What the transport calls a failure, in words of the agent. */
const names: Readonly<Record<string, BmcFaultName>> = {
  BmcUnreachable: 'AgentUnreachable',
  BmcTimeout: 'AgentUnreachable',
  BmcProtocol: 'AgentUnreachable',
  BmcTlsMismatch: 'AgentRejected',
  BmcUnsupported: 'AgentRejected',
};

const statusNames: Readonly<Record<number, BmcFaultName>> = { 401: 'AgentRejected', 409: 'AgentBusy' };

const refusal = (what: string, { status, text }: Answer) => {
  const name = statusNames[status] ?? (status >= 500 ? 'AgentUnreachable' : 'AgentRejected');
  const body = parseObject(text);
  // Its own errors come as faultstring (Pecan) or as message and details.
  const said = joinWords([body?.['faultstring']]) || agentWords(body);
  return bmcFault(name, `${what} was refused with status ${status}${said === undefined ? '' : `: ${said}`}.`);
};

type Found = { readonly peer: Peer; readonly base: string; readonly label: string };

const findAgent = async (call: Call): Promise<Found> => {
  const { record } = call;
  const label = `The agent of node ${record.uuid}`;
  if (!record.agent_url) throw bmcFault('AgentUnreachable', `${label} has not called since the machine was started.`);
  const url = URL.canParse(record.agent_url) ? new URL(record.agent_url) : undefined;
  if (url?.protocol !== 'https:') throw bmcFault('AgentRejected', `${label} gave no https URL to be called at.`);
  const trust = record.agent_verify_ca
    ? ({ mode: 'pem', pem: record.agent_verify_ca } as const)
    : parseTrust('agent_verify_ca', record.driver_info['agent_verify_ca']);
  const target = { label, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 443), trust };
  return { label, peer: await findPeer(call, target, 'AgentUnreachable'), base: withoutTail(url.pathname, '/') };
};

const toCommand = (what: string, value: unknown): AgentCommand => {
  const parsed = agentCommand.safeParse(value);
  if (parsed.success) return parsed.data;
  throw bmcFault('AgentUnreachable', `${what} was answered with something that is no command result.`);
};

const createAgent = async (call: Call, { base, label }: Found, line: Line): Promise<Agent> => {
  const { config, clock, end } = call;
  const token = await call.open('agent_secret_token');
  if (!token)
    throw bmcFault('AgentRejected', `${label} has no token: none was made for this boot, and none was asked for.`);

  const request = async (method: Method, what: string, query: Record<string, string>, body?: object) => {
    const total = end - clock.now();
    const limits = { connect_ms: config.connectMs, read_ms: Math.min(config.readMs, total), total_ms: total };
    const path = `${base}/v1/commands/?${new URLSearchParams({ ...query, agent_token: token }).toString()}`;
    const answer = await line.exchange({ method, path, body, limits }).catch((error: unknown) => {
      const name = isFault(error) ? names[error.name] : undefined;
      throw name ? bmcFault(name, (error as Error).message, error) : error;
    });
    if (answer.status >= 300) throw refusal(what, answer);
    return parseObject(answer.text);
  };

  return {
    commands: async () => {
      const what = `${label}: the list of commands`;
      const list = (await request('GET', what, {}))?.['commands'];
      return (Array.isArray(list) ? list : []).map((value) => toCommand(what, value));
    },
    run: async (name, params, wait) => {
      const what = `${label}: ${name}`;
      return toCommand(what, await request('POST', what, { wait: String(wait) }, { name, params }));
    },
  };
};

/** Gives `use` a client for the node's agent. Throws AgentUnreachable, AgentBusy, AgentRejected, TargetForbidden. */
export const withAgent = async <T>(call: Call, use: (agent: Agent) => Promise<T>): Promise<T> => {
  const found = await findAgent(call);
  const line = call.wire.open(found.peer);
  try {
    return await use(await createAgent(call, found, line));
  } finally {
    line.close();
  }
};
