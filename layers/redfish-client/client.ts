/**
 * A client of one BMC for the time of one piece of work: one request at a time, a session that is always given back,
 * every link checked. What a resource means is the caller's business.
 */
import type { z } from 'zod';

import { bmcFault } from '../bmc/faults.ts';
import { parseObject, refusalWords, taskWords } from './answer.ts';
import { createConversation, nameOf, type Conversation, type RedfishOptions, type Wanted } from './conversation.ts';
import { etagLadder, isEtagTrouble } from './etag.ts';
import { collection, serviceRoot, task as taskShape, type ServiceRoot } from './resources.ts';
import type { Answer } from '../platform/wire.ts';

export type Resource<T> = { readonly path: string; readonly etag: string | null; readonly body: T };

/** `monitor`: the BMC goes on with it in the background (202); undefined: it said that it is done. */
export type Accepted = { readonly monitor: string | undefined };

/** `gone`: the BMC does not know the task (not yet, or not any more). */
export type TaskOutcome = 'running' | 'done' | 'gone';

export type Redfish = {
  /** The service root, read once. */
  root(): Promise<ServiceRoot>;
  /** Follows a link. Throws BmcProtocol if it leads elsewhere or the answer is no JSON object. */
  get<S extends z.ZodType>(link: unknown, shape: S): Promise<Resource<z.output<S>>>;
  /** Links of all members of a collection, over all its pages. */
  members(link: unknown): Promise<string[]>;
  /** Changes a resource; without `etag` unconditionally, as long as the BMC lets us. */
  patch(link: unknown, body: object, etag?: string | null): Promise<Accepted>;
  /** Runs an action. Without `body` nothing is sent, not even `{}`. */
  post(link: unknown, body?: object): Promise<Accepted>;
  /** Deletes a resource. Throws BmcNotFound if there is none. */
  remove(link: unknown): Promise<Accepted>;
  /** How a task stands. Throws BmcTaskFailed. */
  task(monitor: string): Promise<TaskOutcome>;
  /** Of the certificate that the BMC showed; null before the first request. */
  fingerprint256(): string | null;
  close(): Promise<void>;
};

const maxPages = 50;
/** Links in all of them: far more than parts in any machine, and each is a request. */
const maxMembers = 5_000;

/**
 * Whether the monitor of a task tells how the operation itself ended (DSP0266, task monitors), not how the BMC fares at
 * the moment: 401, 429, 503, and an error without a word are about the request for the monitor.
 */
const isOutcome = ({ status }: Answer, words: string): boolean =>
  status >= 400 && ![401, 429, 503].includes(status) && (status < 500 || words !== '');

const etagOf = (answer: Answer, body: Record<string, unknown>): string | null => {
  const etag = answer.headers.etag ?? body['@odata.etag'];
  return typeof etag === 'string' ? etag : null;
};

const monitorOf = ({ link }: Conversation, answer: Answer): string | undefined => {
  if (answer.status !== 202) return undefined;
  const place = answer.headers.location ?? parseObject(answer.text)?.['@odata.id'];
  return place === undefined ? undefined : link(place);
};

/** A client; nothing is sent before the first call. Prefer `withRedfish`, which cannot forget to close it. */
export const createRedfish = (options: RedfishOptions): Redfish => {
  const { peer } = options;
  const conversation = createConversation(options);
  const { link, read, write, success, redact, rootPath } = conversation;
  let root: ServiceRoot | undefined;

  const readObject = async (path: string) => {
    const answer = await read(path);
    const body = parseObject(answer.text);
    if (body) return { path, etag: etagOf(answer, body), body };
    throw bmcFault('BmcProtocol', `${nameOf({ method: 'GET', path }, peer)} was not answered with a JSON object.`);
  };

  const get: Redfish['get'] = async (target, shape) => {
    const found = await readObject(link(target));
    return { ...found, body: shape.parse(found.body) };
  };

  const accept = (wanted: Wanted, answer: Answer): Accepted => ({
    monitor: monitorOf(conversation, success(wanted, answer)),
  });

  /** As given; if the BMC refuses that, with what the resource has now, then in weaker and weaker forms. */
  const patch: Redfish['patch'] = async (target, body, etag = null) => {
    const wanted: Wanted = { method: 'PATCH', path: link(target), body };
    const tryWith = async (form: string | null) =>
      write(form === null ? wanted : { ...wanted, headers: { 'If-Match': form } });
    let answer = await tryWith(etag);
    if (!isEtagTrouble(answer.status)) return accept(wanted, answer);
    const fresh = await readObject(wanted.path);
    for (const form of etagLadder(fresh.etag).filter((form) => form !== etag)) {
      answer = await tryWith(form);
      if (!isEtagTrouble(answer.status)) break;
    }
    return accept(wanted, answer);
  };

  const members: Redfish['members'] = async (target) => {
    const found: string[] = [];
    let next: unknown = target;
    for (let page = 1; next; page += 1) {
      if (page > maxPages) throw bmcFault('BmcProtocol', `${peer.label} has a collection of over ${maxPages} pages.`);
      const { body } = await get(next, collection);
      const listed = body.Members ?? [];
      if (found.length + listed.length > maxMembers) {
        throw bmcFault('BmcProtocol', `${peer.label} has a collection of over ${maxMembers} members.`);
      }
      found.push(...listed.map((member) => link(member['@odata.id'])));
      next = body['Members@odata.nextLink'];
    }
    return found;
  };

  const failed = (how: string, words: string) =>
    bmcFault('BmcTaskFailed', `What ${peer.label} was asked for ended ${how}${words && `: ${words}`}`);

  const task: Redfish['task'] = async (monitor) => {
    const wanted: Wanted = { method: 'GET', path: link(monitor) };
    const answer = await write(wanted);
    // Dell iDRAC: a job that was just made is not found for a moment.
    if (answer.status === 404) return 'gone';
    if (answer.status >= 400) {
      const refusal = refusalWords(answer, redact);
      if (isOutcome(answer, refusal)) throw failed(`with status ${answer.status}`, refusal);
    }
    const body = parseObject(success(wanted, answer).text) ?? {};
    const { TaskState } = taskShape.parse(body);
    if (/^(Exception|Killed|Cancelled)$/.test(TaskState ?? '')) {
      throw failed(`as task state ${TaskState}`, taskWords(body['Messages'], redact));
    }
    return answer.status === 202 || (TaskState && TaskState !== 'Completed') ? 'running' : 'done';
  };

  return {
    root: async () => (root ??= (await conversation.enter()) ?? (await get(rootPath, serviceRoot)).body),
    get,
    members,
    patch,
    post: async (target, body) => {
      const wanted: Wanted = { method: 'POST', path: link(target), body };
      return accept(wanted, await write(wanted));
    },
    remove: async (target) => {
      const wanted: Wanted = { method: 'DELETE', path: link(target) };
      return accept(wanted, await write(wanted));
    },
    task,
    fingerprint256: conversation.fingerprint256,
    close: conversation.close,
  };
};

/** Gives `use` a client and gives its session back afterwards, however `use` ends. */
export const withRedfish = async <T>(options: RedfishOptions, use: (redfish: Redfish) => Promise<T>): Promise<T> => {
  const redfish = createRedfish(options);
  try {
    return await use(redfish);
  } finally {
    await redfish.close();
  }
};
