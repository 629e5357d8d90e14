/** What an answer says: its JSON, and the complaints in an error body. */
import { bmcFault, type BmcFaultName } from '../bmc/faults.ts';
import type { Fault } from '../domain/fault.ts';
import { cutText, sentence } from '../domain/foreign-text.ts';
import { bodyWords, joinWords } from '../domain/machine-words.ts';
import type { Answer } from '../platform/wire.ts';

/** A Redfish message: `id` without its registry (ResourceInUse of Base.1.8.ResourceInUse). */
export type Complaint = { readonly id: string; readonly message: string; readonly properties: readonly string[] };

/** Far deeper than any Redfish resource; a deeper one is an attack on the parser. */
const maxDepth = 64;

/** Reads each character once: what is to be kept from the parser must not keep us busy either. */
const tooDeep = (text: string): boolean => {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '[' || char === '{')) depth += 1;
    else if (!quoted && (char === ']' || char === '}')) depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
};

/** The JSON object in a text, undefined if it is none. */
export const parseObject = (text: string): Record<string, unknown> | undefined => {
  if (tooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Longer than any name of a registry, and of its messages. */
const longestId = 255;
const idOf = (text: string): string => text.slice(text.lastIndexOf('.') + 1).slice(0, longestId);

/** Nobody reads more, and each is looked at by every rule. */
const maxComplaints = 100;

const toComplaint = (value: unknown): Complaint => {
  const info = asObject(value);
  const properties = info['RelatedProperties'];
  return {
    id: idOf(asText(info['MessageId'])),
    message: asText(info['Message']),
    properties: Array.isArray(properties) ? properties.map(asText) : [],
  };
};

/** The messages of an error body. Some BMCs (Dell iDRAC 9) send one object where the standard wants a list. */
const complaintsOf = (body: unknown): Complaint[] => {
  const error = asObject(asObject(body)['error']);
  const info = error['@Message.ExtendedInfo'] ?? asObject(body)['@Message.ExtendedInfo'];
  const all: unknown[] = Array.isArray(info) ? info : info === undefined ? [] : [info];
  const listed = all.slice(0, maxComplaints).map(toComplaint);
  if (listed.length > 0) return listed;
  const own = { MessageId: error['code'], Message: error['message'] };
  return error['code'] === undefined && error['message'] === undefined ? [] : [toComplaint(own)];
};

type Rule = { readonly name: BmcFaultName; readonly ids?: RegExp; readonly status?: (status: number) => boolean };

/** In order; the first that fits names the fault. Message ids say more than the status (redfish.md 4.2, 5). */
const rules: readonly Rule[] = [
  // Dell iDRAC answers RAC0218 with 503, others 400 or 403.
  { name: 'BmcSessionLimit', ids: /SessionLimitExceeded|RAC0218|MaxSessions|SessionsExhausted/i },
  // Dell iDRAC SYS518, RAC0904, SYS446: not ready yet. HPE iLO: during POST, right after a power action.
  {
    name: 'BmcBusy',
    ids: /SYS518|RAC0904|SYS446|UnableToModifyDuringSystemPOST|InvalidOperationForSystemState|ServiceTemporarilyUnavailable|ServiceShuttingDown|ResourceInUse|ResourceInStandby/,
  },
  { name: 'BmcUnsupported', ids: /Licen[sc]e(Key)?(Required|Invalid|Missing)|LicenseNotInstalled|NotLicensed/i },
  { name: 'BmcAuthFailed', status: (status) => status === 401 },
  { name: 'BmcNotFound', status: (status) => status === 404 },
  { name: 'BmcUnsupported', status: (status) => status === 405 || status === 501 },
  { name: 'BmcBusy', status: (status) => [409, 412, 429, 503].includes(status) },
  { name: 'BmcRejected', status: (status) => status >= 400 && status < 500 },
  { name: 'BmcProtocol', status: () => true },
];

const advice: Partial<Record<BmcFaultName, string>> = {
  BmcAuthFailed:
    ' Check redfish_username and redfish_password; they are not tried again, so that no account is locked.',
  BmcSessionLimit: ' Close sessions on the BMC or set redfish_auth_type to basic.',
};

/** At most so many characters of a BMC's own words go into a message. */
const maxWords = 300;

/** A refusal, with the status and complaints for those who can do something about it. */
class Refusal extends Error {
  readonly status: number;
  readonly complaints: readonly Complaint[];
  readonly retryAfter: string | undefined;

  constructor({ status, headers }: Answer, complaints: readonly Complaint[]) {
    super(`HTTP status ${status}`);
    this.status = status;
    this.complaints = complaints;
    this.retryAfter = headers['retry-after'];
  }
}

type Redact = (text: string) => string;

/** Messages and ids, each once, as one text; `redact` comes before the words are cut off in the middle of a secret. */
const said = (words: string, ids: readonly string[], redact: Redact): string => {
  const listed = [...new Set(ids.filter(Boolean))];
  const all = [words, listed.length > 0 ? `(${listed.join(', ')})` : ''];
  return all
    .map((text) => cutText(redact(text), maxWords))
    .filter(Boolean)
    .join(' ');
};

/** What the messages of a task say, empty if there are none; its texts may repeat what was sent. */
export const taskWords = (messages: unknown, redact: Redact): string => {
  const all = (Array.isArray(messages) ? (messages as unknown[]) : []).slice(0, maxComplaints).map(toComplaint);
  const words = joinWords(all.map(({ message }) => message));
  return said(
    words,
    all.map(({ id }) => id),
    redact,
  );
};

/** What an answer that is no success says of itself: its complaints, else its text. Empty if it says nothing. */
export const refusalWords = ({ text }: Answer, redact: Redact): string => {
  const body = parseObject(text);
  const complaints = complaintsOf(body);
  const words = joinWords(complaints.map(({ message }) => message));
  return said(
    words || bodyWords(text, body, redact),
    complaints.map(({ id }) => id),
    redact,
  );
};

/**
 * The fault for an answer that is no success; its cause is a Refusal. `what` names the request and the BMC; `redact`
 * blanks secrets. `remedy`: what to do, where the fault's own advice would mislead.
 */
export const refusalFault = (what: string, answer: Answer, redact: Redact, remedy?: string): Fault => {
  const complaints = complaintsOf(parseObject(answer.text));
  const ids = complaints.map(({ id }) => id);
  const rule = rules.find(({ ids: known, status }) => ids.some((id) => known?.test(id)) || status?.(answer.status));
  const name = rule?.name ?? 'BmcProtocol';
  const words = refusalWords(answer, redact);
  const refused = sentence(`${what} was refused with status ${answer.status}${words && `: ${words}`}`);
  return bmcFault(name, `${refused}${remedy ?? advice[name] ?? ''}`, new Refusal(answer, complaints));
};

/** The refusal behind a fault, if it is one. */
export const refusalOf = (error: unknown): Refusal | undefined => {
  const cause = (error as { cause?: unknown } | undefined)?.cause;
  return cause instanceof Refusal ? cause : undefined;
};
