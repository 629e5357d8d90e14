/** What callers are told whose request is larger than AWS takes: by API Gateway there, by local/gateway here. */

/** API Gateway takes 10 MB (its quota "payload size"). */
export const maxBody = 10 * 1024 * 1024;
/** Lambda takes 6 MB for a synchronous invocation, counted in the JSON text of the event. */
export const maxEvent = 6 * 1024 * 1024;

/** Only configdrives are that large. */
export const tooLargeSentence =
  'Request body too large: at most 6 MB can be sent. Upload a larger configdrive to the link that ' +
  'POST /v1/nodes/{node}/configdrive answers and pass the name that comes with it, or pass an http(s) URL.';

/** Ironic's form of a 413, which is flat (ironic-api.md 1.3). */
export const tooLargeBody = { faultcode: 'Client', faultstring: tooLargeSentence } as const;
