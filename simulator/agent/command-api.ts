/** The agent's own HTTP API (ironic-deploy.md 4), below `/<machine>/agent`. */
import { timingSafeEqual } from 'node:crypto';

import { Fault, Invalid, NotFound } from '../../layers/domain/fault.ts';
import { asFault, createRouter, parseObject, type Answer, type Ask, type Route } from '../http.ts';
import type { Machine } from '../machine.ts';
import type { World } from '../world.ts';
import { execute, finished } from './commands.ts';

type Call = {
  readonly world: World;
  readonly machine: Machine;
  readonly ask: Ask;
  readonly params: Record<string, string>;
};
type Handler = (call: Call) => Promise<Answer> | Answer;

const ok = (body: object): Answer => ({ status: 200, body });

const checkToken = ({ machine, ask }: Call): void => {
  const given = Buffer.from(ask.query.get('agent_token') ?? '');
  const token = Buffer.from(machine.agent!.token!);
  if (given.length !== token.length || !timingSafeEqual(given, token)) {
    throw new Fault('Unauthorized', 401, 'Token invalid.');
  }
};

const waits = ({ ask }: Call): boolean => ask.query.get('wait')?.toLowerCase() === 'true';

const status = ({ machine }: Call): Answer =>
  ok({ started_at: machine.agent!.started_at / 1000, version: '11.2.0', agent_version: '11.2.0' });

const post = async (call: Call): Promise<Answer> => {
  checkToken(call);
  const { name, params } = parseObject(call.ask.body);
  if (typeof name !== 'string' || !params || typeof params !== 'object' || Array.isArray(params)) {
    throw Invalid("Missing field 'name' or 'params'.");
  }
  const command = await execute(call.world, call.machine, name, params as Record<string, unknown>);
  if (waits(call)) await finished(command);
  return ok(command);
};

const show = async (call: Call): Promise<Answer> => {
  checkToken(call);
  const command = call.machine.agent!.commands.find(({ id }) => id === call.params['id']);
  if (!command) throw NotFound(`Command with id ${call.params['id']} not found.`);
  if (waits(call)) await finished(command);
  return ok(command);
};

const list = (call: Call): Answer => {
  checkToken(call);
  return ok({ commands: call.machine.agent!.commands });
};

const routes: readonly Route<Handler>[] = [
  { at: 'GET /', handle: () => ok({ name: 'Simulated deploy agent', versions: [{ id: 'v1' }] }) },
  { at: 'GET /v1', handle: () => ok({ id: 'v1', commands: [], status: [] }) },
  { at: 'GET /v1/status', handle: status },
  { at: 'GET /v1/commands', handle: list },
  { at: 'POST /v1/commands', handle: post },
  { at: 'GET /v1/commands/{id}', handle: show },
];

const match = createRouter(routes);

const refuse = ({ code, message }: Fault): Answer => ({
  status: code,
  body: { faultcode: code >= 500 ? 'Server' : 'Client', faultstring: message },
});

/** Answers for the agent of a machine; where no agent runs nobody listens, so the connection is closed. */
export const answerAgent = async (world: World, machine: Machine, ask: Ask): Promise<Answer> => {
  const { agent } = machine;
  if (agent?.state !== 'serving') return 'drop';
  try {
    const found = match(ask.method, ask.path);
    if ('handle' in found) {
      const answer = await found.handle({ world, machine, ask, params: found.params });
      const gone = machine.agent !== agent || machine.agent.state === 'dead';
      return gone ? 'drop' : answer;
    }
    return refuse(found.allowed.length > 0 ? new Fault('NotAllowed', 405, 'Not allowed.') : NotFound('Not found.'));
  } catch (error) {
    return refuse(asFault(error));
  }
};
