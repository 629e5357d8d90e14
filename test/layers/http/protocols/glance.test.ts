/** The protocol of the Image API: pages that openstacksdk and glanceclient take the words out of. */
import { expect, it } from 'vitest';

import { glance } from '../../../../layers/http/protocols/glance.ts';

/** What openstacksdk makes of a page of HTML: its lines without tags, each once, with colons between. */
const toldBySdk = (text: string) => {
  const lines = text.split('\n').map((line) => line.trim().replaceAll(/<.+?>/g, ''));
  return [...new Set(lines)].filter(Boolean).join(': ');
};

it('tells an error as a page, out of which clients take the words', () => {
  const refusal = { by: 'resource', name: 'NotFound', code: 404, message: 'No image found with ID x' } as const;
  const { type, text } = glance.refuse(refusal);
  expect(type).toBe('text/html; charset=UTF-8');
  expect(toldBySdk(text)).toBe('404 Not Found: No image found with ID x');
});

it('writes what a client sent as text, never as a part of the page', () => {
  const message = '<script>alert(1)</script> & "more"';
  const { text } = glance.refuse({ by: 'resource', name: 'Invalid', code: 400, message });
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; "more"');
  expect(text).not.toContain('<script');
});

it('has no versions, and tells the id of the request', () => {
  expect(glance.versions).toBeUndefined();
  expect(glance.headers({ version: 1, request_id: 'req-1' })).toEqual({ 'x-openstack-request-id': 'req-1' });
});
