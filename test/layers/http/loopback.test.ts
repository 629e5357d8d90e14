import { expect, it } from 'vitest';

import { isForOwnHost, isFromForeignPage, ownOf } from '../../../layers/http/loopback.ts';

const own = ownOf(6385, 'https://Metal.example/ingot');

it.each([
  'localhost',
  'LOCALHOST:6385',
  '127.0.0.1',
  '127.0.0.1:6385',
  '[::1]',
  '[::1]:6385',
  'metal.example',
  'metal.example:443',
])('a server answers to %s', (host) => {
  expect(isForOwnHost({ host }, own)).toBe(true);
});

it.each([
  'evil.example',
  'evil.example:6385',
  'localhost.evil.example',
  'localhost:80',
  '127.0.0.1:6386',
  '127.0.0.2',
  'metal.example:6385',
  'sub.metal.example',
  'localhost@evil.example',
  '',
  undefined,
])('and not to %s', (host) => {
  expect(isForOwnHost({ host }, own)).toBe(false);
});

it.each([
  [{}, 'a program'],
  [{ origin: 'http://localhost:6385' }, 'a page of its own'],
  [{ origin: 'https://metal.example', 'sec-fetch-site': 'same-origin' }, 'a page at its public name'],
  [{ 'sec-fetch-site': 'none' }, 'the address bar'],
])('%j is said by %s', (headers, _who) => {
  expect(isFromForeignPage(headers, own)).toBe(false);
});

it.each([
  [{ origin: 'https://evil.example' }],
  [{ origin: 'null' }],
  [{ origin: '' }],
  [{ origin: 'http://localhost' }],
  [{ origin: 'http://localhost:3000' }],
  [{ origin: 'https://localhost:6385' }],
  [{ origin: 'http://metal.example' }],
  [{ origin: 'http://localhost:6385, https://evil.example' }],
  [{ 'sec-fetch-site': 'cross-site' }],
  [{ 'sec-fetch-site': 'same-site' }],
  [{ origin: 'http://localhost:6385', 'sec-fetch-site': 'cross-site' }],
])('%j is said by the page of somebody else', (headers) => {
  expect(isFromForeignPage(headers, own)).toBe(true);
});

it('at the standard port neither hosts nor origins name it', () => {
  const standard = ownOf(80);
  expect(isForOwnHost({ host: 'localhost' }, standard)).toBe(true);
  expect(isFromForeignPage({ origin: 'http://localhost' }, standard)).toBe(false);
});
