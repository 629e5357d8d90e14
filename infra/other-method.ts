/** What callers are told whose method a public path does not have: by API Gateway there, by local/gateway here. */
export const otherMethodSentence = 'This method is not possible at this path.';

/** Ironic's usual error body is JSON in JSON (ironic-api.md 1.3). */
export const otherMethodBody = {
  error_message: JSON.stringify({ faultcode: 'Client', faultstring: otherMethodSentence, debuginfo: null }),
} as const;
