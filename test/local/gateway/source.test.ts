import type { IncomingMessage } from 'node:http';

import { describe, expect, it } from 'vitest';

import { noNetworks, parseNetworks } from '../../../layers/bmc/networks.ts';
import { sourceOf } from '../../../local/gateway/source.ts';

const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

const proxies = parseNetworks('INGOT_TRUSTED_PROXIES', '127.0.0.0/8, 10.9.0.0/24');

describe('the address of a caller', () => {
  it('is that of the connection, also where it comes as IPv6', () => {
    expect(sourceOf(from('10.0.0.9'), noNetworks)).toBe('10.0.0.9');
    expect(sourceOf(from('::ffff:10.0.0.9'), noNetworks)).toBe('10.0.0.9');
    expect(sourceOf(from('2001:db8::7'), noNetworks)).toBe('2001:db8::7');
  });

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])(
    'is unknown behind a proxy that nobody vouches for (%s)',
    (header) => {
      expect(sourceOf(from('127.0.0.1', { [header]: '10.0.0.9' }), noNetworks)).toBe('');
    },
  );

  it.each([
    ['one proxy', '10.0.0.9', '10.0.0.9'],
    ['a chain of them', '10.0.0.9, 10.9.0.4', '10.0.0.9'],
    ['what the caller wrote in front of it', '10.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['blanks and IPv4 in disguise', ' ::ffff:10.0.0.9 ', '10.0.0.9'],
    ['proxies only', '10.9.0.4', '127.0.0.1'],
    ['something that is no address', 'unknown', ''],
  ])('is the newest that a trusted proxy does not vouch for, of %s', (_what, header, address) => {
    expect(sourceOf(from('127.0.0.1', { 'x-forwarded-for': header }), proxies)).toBe(address);
  });

  it('is the connection itself where a trusted proxy says nothing', () => {
    expect(sourceOf(from('127.0.0.1'), proxies)).toBe('127.0.0.1');
  });

  it('is not what a caller claims who is no proxy', () => {
    expect(sourceOf(from('203.0.113.7', { 'x-forwarded-for': '10.0.0.9' }), proxies)).toBe('');
  });
});
