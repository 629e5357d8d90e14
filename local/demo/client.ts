/** The demo's HTTP client: what any client of these APIs does, and nothing more. */
import { Fault, isFault } from '../../layers/domain/fault.ts';
import type { Clock } from '../../layers/platform/platform.ts';

/** A locked node answers 409, a busy service 503: both go away, so clients repeat (ironic-clients.md 2). */
const transient = new Set([409, 503]);
const tries = 10;
const pauseMs = 200;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Client = <T = unknown>(request: `${Method} /${string}`, body?: unknown) => Promise<T>;

export type ClientOptions = {
  /** Where the API is, without a slash at the end. */
  readonly url: string;
  readonly clock: Clock;
  /** The version that is spoken, and who calls. */
  readonly headers: Readonly<Record<string, string>>;
};

/** The microversion that the demo speaks to the Bare Metal API. */
export const metalVersion = { 'X-OpenStack-Ironic-API-Version': '1.109' } as const;
/** The same of the Compute API. */
export const computeVersion = { 'OpenStack-API-Version': 'compute 2.90' } as const;

type Errors = Readonly<Record<string, Readonly<Record<string, string>> | string>>;

/** The text of an error's body: Ironic's is JSON in JSON, Nova's and Neutron's have a message. As it came if it is none. */
const faultString = (text: string): string => {
  try {
    const body = JSON.parse(text) as Errors;
    const [first = {}] = Object.values(body);
    const fault = (typeof first === 'string' ? JSON.parse(first) : first) as Record<string, string>;
    return fault['faultstring'] ?? fault['message'] ?? fault['description'] ?? text;
  } catch {
    return text;
  }
};

const read = (response: Response, text: string): unknown => {
  if (text === '') return undefined;
  return /xml/.test(response.headers.get('content-type') ?? '') ? text : (JSON.parse(text) as unknown);
};

/**
 * A client of the API at `url`. Answers the parsed body, undefined when there is none, the text of one in XML. Throws a
 * Fault with the status as its code and what the API said as its message; `Unreachable` when nothing answers.
 */
export const createClient = ({ url, clock, headers }: ClientOptions): Client => {
  const once = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: { Accept: 'application/json, application/xml', 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Fault('Unreachable', 503, `Nothing answers at ${url}.`, { cause: error });
    });
    const text = await response.text();
    if (response.ok) return read(response, text);
    throw new Fault('Refused', response.status, `${method} ${path}: ${response.status} ${faultString(text)}`);
  };

  return async <T>(request: string, body?: unknown) => {
    const [method, path] = request.split(' ', 2) as [string, string];
    for (let left = tries; ; left -= 1) {
      try {
        return (await once(method, path, body)) as T;
      } catch (error) {
        if (left <= 1 || !isFault(error) || !transient.has(error.code)) throw error;
        await clock.sleep(pauseMs);
      }
    }
  };
};
