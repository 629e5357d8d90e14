/**
 * How machines get something from the network: one connection for each request, as firmware and ramdisks do, over
 * node:http. The built-in fetch would do, but a thousand machines calling at once made it hold 200 MB of garbage.
 */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export type Fetched = { readonly status: number; readonly body: AsyncIterable<Uint8Array> | null };

export type Fetch = (
  url: string,
  init: {
    readonly method?: string;
    readonly headers?: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
  },
) => Promise<Fetched>;

/** Rejects when there is no answer. Redirects are answers, not followed. */
export const fetchOnce: Fetch = async (url, { method = 'GET', headers = {}, body, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps : requestHttp;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method, headers: { ...headers, ...length }, agent: false, signal });
    sent.on('error', reject);
    sent.on('response', (answer) => resolve({ status: answer.statusCode ?? 0, body: answer }));
    sent.end(body);
  });

/** Ends an answer that nobody reads. */
export const discard = async ({ body }: Fetched): Promise<void> => {
  for await (const _ of body ?? []) return;
};

/** The whole answer as text. */
export const readText = async ({ body }: Fetched): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
