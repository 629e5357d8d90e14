/**
 * The APIs that functions of ours call as clients do: those of this installation, or of another that settings name. Over
 * HTTP they prove themselves with a credential (`api-call.ts`); an API of ours can also be called by its function
 * (`invoked-api.ts`). In memory (`memory/apis.ts`) the API is a function too.
 */

/** By the names that the manifest has for them: how people call them. */
export const calledApis = { baremetal: 'Bare Metal API', image: 'Image API' } as const;
export type CalledApi = keyof typeof calledApis;

/** Something for each of them. */
export const perApi = <T>(make: (api: CalledApi) => T): Readonly<Record<CalledApi, T>> =>
  Object.fromEntries(Object.keys(calledApis).map((api) => [api, make(api as CalledApi)])) as Record<CalledApi, T>;

/** The functions of those that are called by them, if this installation's own API is meant. */
export const invokedApis = { image: 'image-api' } as const satisfies { readonly [A in CalledApi]?: string };
export type InvokedApi = keyof typeof invokedApis;

/** Whether the own API is called by its function. */
export const isInvoked = (api: CalledApi): api is InvokedApi => Object.hasOwn(invokedApis, api);

/** What stands before the paths of requests, which begin with the version: an endpoint as a catalog has it names that too. */
export const baseOf = (endpoint: string): string => endpoint.replace(/\/+$/, '').replace(/\/v\d+(\.\d+)?$/, '');

export type ApiRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the endpoint, with its version and its query: /v1/nodes?limit=1. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
  /**
   * Headers by which whoever is served here proved himself (none where nobody is asked who he is), in the place of the
   * credential of this installation: what he may do there is for that API to say, and 401 and 403 are answers.
   */
  readonly proof?: Readonly<Record<string, string>>;
  /** What is asked may be forbidden to who asks: 403 then is an answer like any other. */
  readonly refusable?: true;
};

/** `headers`: names in lower case. */
export type ApiReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
};

/**
 * Sends one request and gives back the answer. Throws Unavailable (503) when nobody answers in time: what was asked may
 * have been done; and ServiceCredential (503) when the API does not take the credential (401, 403): it was not. Their
 * messages may be told to anybody; why, is in the log only.
 */
export type ApiCall = (wanted: ApiRequest) => Promise<ApiReply>;

export type Apis = { readonly [A in CalledApi]: ApiCall };
