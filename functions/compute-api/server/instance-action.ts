/**
 * /servers/{id}/os-instance-actions (compute-api.md 7): what was asked, and what became of it. The events of an action are
 * the phases of its run; administrators are told, too, what the scheduler made of which node.
 */
import * as z from 'zod';

import { microTime } from '../../../layers/domain/compute/times.ts';
import { NotFound } from '../../../layers/domain/fault.ts';
import { allows } from '../../../layers/domain/policy.ts';
import { isUuid, uuid } from '../../../layers/domain/values.ts';
import type { StoredServer } from '../../../layers/store/kinds/compute.ts';
import {
  type Action,
  linesOf,
  readAction,
  readActions,
  type StoredServerEvent,
} from '../../../layers/store/server-history.ts';
import { readGone } from '../../../layers/store/servers.ts';
import { cutAfter, nextPage, readLimit } from '../list.ts';
import { type Call, type Deps, route, type Route } from '../route.ts';
import { momentOf } from './filters.ts';
import { findServer } from './find.ts';

const at = '/v2.1/servers/{server_id}/os-instance-actions';

/** From here on those of a deleted server are told, too. */
const afterwards = 21;
/** From here on it is told when something was last added, and lists have pages. */
const paged = 58;

/** The server, also one that is deleted. Throws NotFound (404). */
const find = async (deps: Deps, params: Readonly<Record<string, string>>, version: number): Promise<StoredServer> => {
  const id = params['server_id']!;
  const gone = version >= afterwards && isUuid(id) ? await readGone(deps.table, id.toLowerCase()) : undefined;
  if (gone) return gone;
  return findServer(deps, params);
};

/** A piece of work of a run: from the line of its start to that of its end. */
type Event = {
  readonly event: string;
  readonly start_time: string;
  readonly finish_time: string | null;
  readonly result: 'Success' | 'Error' | null;
  readonly details: string | null;
};

const isOver = ({ kind }: StoredServerEvent): boolean => kind === 'phase end' || kind === 'error';

/** The lines of a run as events, in order; a line that belongs to none, such as a try that failed, is one by itself. */
const eventsOf = (lines: readonly StoredServerEvent[]): Event[] => {
  const events: Event[] = [];
  for (const line of lines) {
    const { kind, phase, created_at: time, message, details = null, severity } = line;
    if (kind === 'transition' || phase === undefined) continue;
    const open = events.findIndex(({ event, finish_time: end }) => event === phase && end === null);
    const told = { finish_time: time, result: severity === 'ERROR' ? 'Error' : 'Success', details } as const;
    if (kind === 'phase start')
      events.push({ event: phase, start_time: time, finish_time: null, result: null, details });
    else if (isOver(line) && open >= 0) events[open] = { ...events[open]!, ...told };
    else events.push({ event: phase, start_time: time, ...told, result: 'Error', details: details ?? message });
  }
  return events;
};

const failed = (events: readonly Event[]): string | null =>
  events.some(({ result }) => result === 'Error') ? 'Error' : null;

const showAction = ({ uuid }: StoredServer, { version }: Call, action: Action, last: string) => {
  const { expires_at: _expiry, run: _run, start_time, ...told } = action;
  const shown = { ...told, instance_uuid: uuid, start_time: microTime(start_time) };
  return version >= paged ? { ...shown, updated_at: microTime(last) } : shown;
};

/** Who sees what of events: their names from 2.51 on, more for administrators. */
const showEvent = ({ version, subject, target }: Call<unknown, StoredServer>, { details, ...event }: Event) => {
  const sees = allows('os_compute_api:os-instance-actions:events', subject);
  const seesDetails = version >= 84 && allows('os_compute_api:os-instance-actions:events:details', subject);
  return {
    event: event.event,
    start_time: microTime(event.start_time),
    finish_time: event.finish_time && microTime(event.finish_time),
    result: event.result,
    ...(sees && { traceback: null }),
    ...(sees && version >= 62 && { host: target.host }),
    ...(version >= 62 && { hostId: '' }),
    ...(seesDetails && { details }),
  };
};

const list = async ({ table }: Deps, call: Call<unknown, StoredServer>) => {
  const { target, version, query } = call;
  const [since = '', before = '9'] = ['changes-since', 'changes-before'].map((name) => {
    const [text] = query[name] ?? [];
    return text === undefined ? undefined : momentOf(text, name);
  });
  const all = await readActions(table, target.uuid);
  const found = all.filter(({ start_time: time }) => {
    const moment = new Date(time).toISOString();
    return since <= moment && moment <= before;
  });
  const { page, next } = cutAfter(found, ({ request_id: id }) => id, readLimit(call), query['marker']?.[0]);
  const instanceActions = page.map((action) => showAction(target, call, action, action.start_time));
  const path = `/v2.1/servers/${target.uuid}/os-instance-actions`;
  return { instanceActions, ...(version >= paged && next !== undefined && { links: [nextPage(call, path, next)] }) };
};

const show = async ({ table }: Deps, call: Call<unknown, StoredServer>) => {
  const { target, params, version, subject } = call;
  const action = await readAction(table, target.uuid, params['request_id']!);
  if (!action) throw NotFound(`Action for request_id ${params['request_id']} on instance ${target.uuid} not found`);
  const events = action.run === null ? [] : eventsOf(await linesOf(table, target.uuid, action.run));
  const last = events.at(-1)?.finish_time ?? events.at(-1)?.start_time ?? action.start_time;
  const shown = { ...showAction(target, call, action, last), message: failed(events) };
  const isTold = version >= 51 || allows('os_compute_api:os-instance-actions:events', subject);
  return { instanceAction: { ...shown, ...(isTold && { events: events.map((event) => showEvent(call, event)) }) } };
};

const pages = { limit: { since: paged }, marker: { since: paged }, 'changes-since': { since: paged } };

const time = z.string();
const shownAction = z.object({
  action: z.string(),
  instance_uuid: uuid,
  request_id: z.string(),
  user_id: z.string().nullable(),
  project_id: z.string().nullable(),
  start_time: time,
  message: z.string().nullish(),
  updated_at: time.optional(),
});
const shownEvent = z.object({
  event: z.string().describe('Name of the state of the workflow.'),
  start_time: time,
  finish_time: time.nullable(),
  result: z.enum(['Success', 'Error']).nullable(),
  hostId: z.string().optional(),
  host: z.string().nullish().describe('For administrators.'),
  traceback: z.null().optional(),
  details: z
    .string()
    .nullish()
    .describe('For administrators, since 2.84: why, such as which filter dropped which nodes.'),
});
const shownWhole = shownAction.extend({ events: z.array(shownEvent).optional() });
const link = z.object({ rel: z.string(), href: z.url() });

export const instanceActionRoutes: readonly Route[] = [
  route<undefined, StoredServer>({
    at: `GET ${at}`,
    policy: 'os_compute_api:os-instance-actions:list',
    shows: z.object({ instanceActions: z.array(shownAction), links: z.array(link).optional() }),
    query: { ...pages, 'changes-before': { since: 66 } },
    find,
    handle: async (deps, call) => ({ body: await list(deps, call) }),
  }),
  route<undefined, StoredServer>({
    at: `GET ${at}/{request_id}`,
    policy: 'os_compute_api:os-instance-actions:show',
    shows: z.object({ instanceAction: shownWhole }),
    find,
    handle: async (deps, call) => ({ body: await show(deps, call) }),
  }),
];
