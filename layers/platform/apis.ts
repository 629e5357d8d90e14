/**
 * The APIs that functions of ours call as clients do, with a credential of this installation: its own, or those of
 * another that settings name. The real form is `api-call.ts`; in memory (`memory/apis.ts`) the API is a function.
 */

/** By the names that the manifest has for them. */
export const calledApis = ['baremetal', 'image'] as const;
export type CalledApi = (typeof calledApis)[number];

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
 * Sends one request and gives back the answer. Throws Unavailable (503), whose message may be told to anybody, when
 * nobody answers in time, and when the API does not take the credential (401, 403): why, is in the log only. What was
 * asked may have been done.
 */
export type ApiCall = (wanted: ApiRequest) => Promise<ApiReply>;

export type Apis = { readonly [A in CalledApi]: ApiCall };

/** How people call them. */
export const apiTitles: { readonly [A in CalledApi]: string } = { baremetal: 'Bare Metal API', image: 'Image API' };
