/**
 * What can go wrong with the Bare Metal API, a closed list beside two faults that the transport has too: `Unavailable`
 * (503; nobody answered, or with 5xx: what was asked may have been done) and `ServiceCredential` (503; it was not).
 *
 * Their status is 500, whatever the Bare Metal API answered, so that none of them reaches a tenant by itself: their texts
 * name nodes, and are for operators.
 */
import { plainText } from '../domain/foreign-text.ts';
import { Fault, isFault, Unavailable } from '../domain/fault.ts';
import type { ApiReply, ApiRequest } from '../platform/apis.ts';

export type BaremetalFaultName =
  /** The node is not free any more, or another instance has it: try the next candidate. */
  | 'BaremetalTaken'
  /** Somebody else works on the node (409), longer than was waited for: try again later. */
  | 'BaremetalLocked'
  /** The state of the node does not let it be done (409). */
  | 'BaremetalConflict'
  /** There is no such node, port or VIF (404). */
  | 'BaremetalNotFound'
  /** Who asks by a proof of his own may not do it there, or is not known there (401, 403). */
  | 'BaremetalForbidden'
  /** What was asked cannot be done (400 and the rest of 4xx): repeating it does not help. */
  | 'BaremetalRefused'
  /** The answer is not what the Bare Metal API promises. */
  | 'BaremetalProtocol';

/** A fault of the list. The message names the node and says what the Bare Metal API said. */
export const baremetalFault = (name: BaremetalFaultName, message: string, cause?: unknown): Fault =>
  new Fault(name, 500, message, { cause });

/** Whether an error is this fault of the list. */
export const isBaremetal = (error: unknown, name: BaremetalFaultName): boolean => isFault(error) && error.name === name;

/** How a request is named in messages: its query may be long and says nothing. */
export const nameOf = ({ method, path }: ApiRequest): string => `${method} ${path.split('?')[0]}`;

const maxText = 500;

const objectOf = (text: unknown): Readonly<Record<string, unknown>> => {
  if (typeof text !== 'string') return typeof text === 'object' && text !== null ? { ...text } : {};
  try {
    return objectOf(JSON.parse(text) ?? {});
  } catch {
    return {};
  }
};

/** What Ironic's error bodies say (ironic-api.md 1.3): JSON in JSON, of a controller, a router or a middleware. */
const textOf = ({ text }: ApiReply): string | undefined => {
  const outer = objectOf(text);
  const said = { ...outer, ...objectOf(outer['error']), ...objectOf(outer['error_message']) };
  const texts = ['faultstring', 'description', 'message', 'title'].map((name) => said[name]);
  return texts.find((one): one is string => typeof one === 'string' && one !== '');
};

/** Ironic's words for a held lock. Other conflicts have the same status, and waiting does not end them. */
const isLock = (said: string): boolean => /\bis locked by\b/.test(said);

const nameFor = (status: number, said: string): BaremetalFaultName => {
  if (status === 404) return 'BaremetalNotFound';
  if (status === 401 || status === 403) return 'BaremetalForbidden';
  if (status !== 409) return 'BaremetalRefused';
  return isLock(said) ? 'BaremetalLocked' : 'BaremetalConflict';
};

/** `secrets`: of the request; whoever answers may quote it. */
const tell = (reply: ApiReply, secrets: readonly string[]): string => {
  const said = secrets.reduce(
    (text, secret) => text.replaceAll(secret, '******'),
    textOf(reply) ?? 'no reason is given',
  );
  return `${plainText(said, maxText)} (${reply.status})`;
};

/** The fault of an answer that is none of 2xx. `secrets`: texts that are not empty, of the request. */
export const faultOf = (wanted: ApiRequest, reply: ApiReply, secrets: readonly string[] = []): Fault => {
  const told = `${nameOf(wanted)} was refused: ${tell(reply, secrets)}`;
  if (reply.status >= 400 && reply.status < 500) return baremetalFault(nameFor(reply.status, told), told);
  return Unavailable('The Bare Metal API could not be asked. Try again later.', new Error(told));
};
