/** The protocol of the Image API v2 (compute-api.md 9). It has no microversions, and tells errors as pages of HTML. */
import type { About, Content, Protocol, Refusal } from '../protocol.ts';

const headers = (about?: About): Record<string, string> =>
  about ? { 'x-openstack-request-id': about.request_id } : {};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escape = (text: string): string => text.replaceAll(/[&<>]/g, (character) => entities[character]!);

/**
 * The page that webob, which Glance is made with, writes for an error. openstacksdk and glanceclient take what is said
 * out of its lines; the JSON that webob writes for whoever asks for it breaks glanceclient.
 */
const refuse = ({ code, message }: Refusal): Content => {
  const title = `${code} ${titles[code] ?? 'Error'}`;
  const said = `  <h1>${title}</h1>\n  ${escape(message)}<br /><br />\n`;
  const text = `<html>\n <head>\n  <title>${title}</title>\n </head>\n <body>\n${said} </body>\n</html>`;
  return { type: 'text/html; charset=UTF-8', text };
};

export const glance: Protocol = {
  headers,
  refuse,
  takes: ['application/json', 'application/octet-stream', 'application/openstack-images-v2.1-json-patch'],
  largeBodies:
    'Send larger data to the link that POST /v2/images/{image_id}/upload answers, or let the image have it from an http(s) URL.',
};
