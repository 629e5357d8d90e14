import { describe, expect, it } from 'vitest';

import { hideInUrls } from '../../../layers/domain/foreign-text.ts';
import { agentWords, bodyWords, joinWords } from '../../../layers/domain/machine-words.ts';
import { readErrors } from '../../fixtures/agent/errors.ts';

describe('the words of an agent', () => {
  const said = Object.fromEntries(readErrors().map((error) => [error.type, agentWords(error)]));

  it('are its message and its details', () => {
    expect(said['ImageWriteError']).toBe(
      'Error writing image to device: Writing image to device /dev/sda failed with exit code 1. stdout: . stderr: no space left on device',
    );
    expect(said['HardwareManagerMethodNotFound']).toBe(
      'No HardwareManager found to handle method: Could not find method: get_boot_info',
    );
  });

  it('are told once, where it says them twice', () => {
    expect(said['ProtectedDeviceError']).toMatch(/^Protected VMFS Partition located on .* for more information\.$/);
    expect(said['ProtectedDeviceError']!.split('Protected VMFS')).toHaveLength(2);
    expect(agentWords({ message: 'checksum mismatch', details: 'checksum mismatch' })).toBe('checksum mismatch');
    expect(agentWords({ message: 'Failed', details: 'Failed: no disk' })).toBe('Failed: no disk');
    expect(agentWords({ message: 'Failed.', details: 'No disk' })).toBe('Failed. No disk');
  });

  it.each(readErrors().map((error) => [error.type, error] as const))('are never without words: %s', (_type, error) => {
    expect(agentWords(error)).toContain(error.details);
  });

  it('are whatever there is, if it is a text', () => {
    expect(agentWords('No disk.')).toBe('No disk.');
    expect(agentWords({ type: 'SystemRebootError', message: '', details: null })).toBe('SystemRebootError');
    for (const nothing of [undefined, null, '', ' ', {}, 7, { message: {} }, []]) {
      expect(agentWords(nothing)).toBeUndefined();
    }
  });
});

describe('the words of an answer', () => {
  const words = (text: string, object?: Record<string, unknown>) =>
    bodyWords(text, object, (given) => hideInUrls(given.replaceAll('pass word ', '******'), '******'));

  it.each([
    ['Missing the BootSourceOverrideTarget', 'Missing the BootSourceOverrideTarget'],
    [' two\n\t lines ', 'two lines'],
    ['<!doctype html><html><title>500 Error</title><p>Stack', '500 Error'],
    ['<html><body>Loading</body></html>', ''],
    ['[{"half": ', ''],
    ['', ''],
  ])('of %j are %j', (text, expected) => expect(words(text)).toBe(expected));

  it('are what other JSON calls its message', () => {
    expect(words('', { error: 'No such domain', message: 'No such domain', detail: 7 })).toBe('No such domain');
  });

  it('lose their secrets before anything else changes, and hide no URL behind escaped slashes', () => {
    expect(words('the login is pass word ')).toBe('the login is ******');
    expect(words(String.raw`cannot open http:\/\/bob:pw@images.test/a?b`)).toBe(
      'cannot open http://******@images.test/a?******',
    );
  });
});

it('says each text once', () => {
  expect(joinWords(['a', 'b', 'a', '', undefined, 1])).toBe('a b');
});
