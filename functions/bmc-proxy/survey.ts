/** Looks whether each of many machines is on. */
import { bmcFault } from '../../layers/bmc/faults.ts';
import type { Reply, Request } from '../../layers/bmc/operations.ts';
import { powerSurvey, type PowerSeen, type PowerSurvey, type SurveyReply } from '../../layers/bmc/power-survey.ts';
import { isFault } from '../../layers/domain/fault.ts';
import type { Invocation } from '../../layers/platform/platform.ts';

/** Machines at once: a BMC that hangs holds one place, and nobody else. */
const places = 25;

/** What a BMC may take for all of it, ms: some are silent for a minute (redfish.md 5 row 4). */
const patience = 60_000;

/** How one machine is asked: the front of the proxy itself, with all that it checks and conceals. */
type Ask = (request: Request, invocation: Invocation) => Promise<Reply>;

/** Whether the event is a survey, and not a request for one machine. */
export const isSurvey = (event: unknown): boolean =>
  typeof event === 'object' && event !== null && Object.hasOwn(event, 'survey');

const look = async (ask: Ask, node: string, invocation: Invocation): Promise<PowerSeen> => {
  const op_id = 'power-sync/system.get';
  const request: Request = { op: 'system.get', node, generation: 0, op_id, params: {}, deadline_ms: patience };
  try {
    const { observed } = (await ask(request, invocation)) as Extract<Reply<'system.get'>, { status: 'done' }>;
    return { power: observed.power };
  } catch (error) {
    const { name, message } = isFault(error)
      ? error
      : { name: 'ProxyFailed', message: 'The log of the proxy says why.' };
    return { fault: { name, message } };
  }
};

const parse = (event: unknown): PowerSurvey => {
  const found = powerSurvey.safeParse(event);
  if (found.success) return found.data;
  throw bmcFault('InvalidCommand', 'The survey for the BMC proxy does not fit.');
};

/**
 * Nobody is begun with whom there is no time to be patient with: what was not looked at has not failed. `reserve`: what the
 * proxy keeps of its time for itself, ms. Throws InvalidCommand.
 */
export const surveyPower = async (
  ask: Ask,
  event: unknown,
  invocation: Invocation,
  reserve: number,
): Promise<SurveyReply> => {
  const waiting = [...new Set(parse(event).nodes)];
  const seen: Record<string, PowerSeen> = {};
  const place = async (): Promise<void> => {
    while (invocation.remaining_ms() >= patience + reserve) {
      const node = waiting.shift();
      if (node === undefined) return;
      seen[node] = await look(ask, node, invocation);
    }
  };
  await Promise.all(Array.from({ length: places }, place));
  return { seen };
};
