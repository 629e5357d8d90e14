/** Calls of an API over HTTP. */
import { Fault, ServiceCredential, Unavailable } from '../domain/fault.ts';
import { isSafeUrl } from '../domain/safe-url.ts';
import { credentialHeaders } from './api-credentials.ts';
import { type ApiCall, type ApiReply, type ApiRequest, baseOf, type CalledApi, calledApis } from './apis.ts';
import type { Log } from './platform.ts';

export type ApiCallOptions = {
  readonly api: CalledApi;
  /** Base URL, with or without the version. */
  readonly endpoint: string;
  /** Reads what this installation proves itself with; absent: nobody is asked there who he is. */
  readonly credentials?: (() => Promise<string>) | undefined;
  readonly log: Log;
  /** For one request; the default lets who waits for 29 seconds (API Gateway) say what happened. */
  readonly patience_ms?: number;
};

const check = ({ api, endpoint, credentials }: ApiCallOptions): void => {
  const isUrl = /^https?:/i.test(endpoint) && URL.canParse(endpoint);
  if (isUrl && (!credentials || isSafeUrl(endpoint))) return;
  const reason = isUrl
    ? 'has to be an https URL, because the credential of this installation travels there'
    : 'has to be an http or https URL';
  throw new Fault('Configuration', 500, `Setting ${api}_endpoint ${reason}; it is "${endpoint}".`);
};

const initOf = ({ method, headers, body }: ApiRequest, proof: Readonly<Record<string, string>>): RequestInit => ({
  method,
  headers: {
    Accept: 'application/json',
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
    ...proof,
  },
  ...(body !== undefined && { body: JSON.stringify(body) }),
  // The credential would travel along.
  redirect: 'error',
});

/** The API knows who asks not, or lets him not do it. */
const isRefusal = ({ status }: ApiReply, { refusable, proof }: ApiRequest): boolean =>
  !proof && (status === 401 || (status === 403 && !refusable));

/**
 * Makes the function that calls one API. The credential is read by the first call and kept until it is refused. Throws
 * Fault `Configuration` for an endpoint that is no URL, or one where the credential could be read on its way.
 */
export const createApiCall = (options: ApiCallOptions): ApiCall => {
  check(options);
  const { api, endpoint, credentials, log, patience_ms = 25_000 } = options;
  const title = calledApis[api];
  const base = baseOf(endpoint);
  let kept: Promise<Readonly<Record<string, string>>> | undefined;

  const fail = (make: typeof Unavailable, reason: string, fields: object): Fault => {
    log.error(`The ${title} could not be called: ${reason}.`, { endpoint, ...fields });
    return make(`The ${title} could not be asked. Try again later.`);
  };

  const prove = async () => {
    kept ??= credentials
      ? credentials().then(async (json) => credentialHeaders(json, patience_ms))
      : Promise.resolve({});
    return kept.catch((error: unknown) => {
      kept = undefined;
      throw fail(ServiceCredential, `setting ${api}_credentials names nothing that can be used`, { error });
    });
  };

  /** The proof of somebody else goes where that of this installation may go. */
  const forward = (proof: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    if (Object.keys(proof).length === 0 || isSafeUrl(endpoint)) return proof;
    throw fail(ServiceCredential, `setting ${api}_endpoint is no https URL, and a token would travel there`, {});
  };

  const send = async (wanted: ApiRequest): Promise<ApiReply> => {
    const init = initOf(wanted, wanted.proof ? forward(wanted.proof) : await prove());
    try {
      const answer = await fetch(base + wanted.path, { ...init, signal: AbortSignal.timeout(patience_ms) });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
    } catch (error) {
      throw fail(Unavailable, 'nobody answered', { method: wanted.method, error });
    }
  };

  return async (wanted) => {
    let reply = await send(wanted);
    if (credentials && reply.status === 401 && !wanted.proof) {
      // The operator may have stored another one meanwhile.
      kept = undefined;
      reply = await send(wanted);
    }
    if (!isRefusal(reply, wanted)) return reply;
    const whose = credentials ? `that ${api}_credentials holds` : `, as ${api}_credentials is empty`;
    throw fail(ServiceCredential, `it refused the credential ${whose}`, {
      method: wanted.method,
      status: reply.status,
    });
  };
};
