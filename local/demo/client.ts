/** The demo's HTTP client: what any client of the Bare Metal API does, and nothing more. */
import { Fault, isFault } from '../../layers/domain/fault.ts';
import type { Clock } from '../../layers/platform/platform.ts';

/** The microversion that the demo speaks. */
const version = '1.109';

/** A locked node answers 409, a busy service 503: both go away, so clients repeat (ironic-clients.md 2). */
const transient = new Set([409, 503]);
const tries = 10;
const pauseMs = 200;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Client = <T = unknown>(request: `${Method} /${string}`, body?: unknown) => Promise<T>;

/** The text of Ironic's error body, which is JSON in JSON; what is none is shown as it came. */
const faultString = (text: string): string => {
  try {
    const { error_message: inner } = JSON.parse(text) as { error_message?: unknown };
    const fault = (typeof inner === 'string' ? JSON.parse(inner) : inner) as Record<string, string> | undefined;
    return fault?.['faultstring'] ?? fault?.['description'] ?? text;
  } catch {
    return text;
  }
};

/**
 * A client of the API at `url`. Answers the parsed body, undefined when there is none. Throws a Fault with the status
 * as its code and what the API said as its message; `Unreachable` when nothing answers.
 */
export const createClient = (url: string, clock: Clock): Client => {
  const once = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'X-OpenStack-Ironic-API-Version': version,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Fault('Unreachable', 503, `Nothing answers at ${url}.`, { cause: error });
    });
    const text = await response.text();
    if (response.ok) return text === '' ? undefined : (JSON.parse(text) as unknown);
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
