/**
 * The APIs that functions of ours call as clients do, with a credential of this installation: its own, or those of
 * another that settings name. The real form is `api-call.ts`; in memory (`memory/apis.ts`) the API is a function.
 */

/** By the names that the manifest has for them: how people call them. */
export const calledApis = { baremetal: 'Bare Metal API', image: 'Image API' } as const;
export type CalledApi = keyof typeof calledApis;

/** Something for each of them. */
export const perApi = <T>(make: (api: CalledApi) => T): Readonly<Record<CalledApi, T>> =>
  Object.fromEntries(Object.keys(calledApis).map((api) => [api, make(api as CalledApi)])) as Record<CalledApi, T>;

export type ApiRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the endpoint, with its version and its query: /v1/nodes?limit=1. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined: no body. */
  readonly body?: unknown;
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
