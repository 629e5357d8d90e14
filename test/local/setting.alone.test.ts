/** A setting is one row: operators may set it, every function has it in its environment, and the documents list it. */
import { expect, it } from 'vitest';

import { settings } from '../../infra/manifest.ts';
import { settingTable } from '../../scripts/deployment.ts';

Object.assign(settings, { sample_timeout: { default: '7', doc: 'How long a sample takes.' } });

const { environmentOf, readSettings } = await import('../../local/environment.ts');

const given = (variables: Record<string, string>) =>
  environmentOf('workflow', readSettings(variables, false), {})['INGOT_SAMPLE_TIMEOUT'];

it('has its default, or what the operator says, checked by what the default is', () => {
  expect(given({})).toBe('7');
  expect(given({ INGOT_SAMPLE_TIMEOUT: '8' })).toBe('8');
  expect(() => given({ INGOT_SAMPLE_TIMEOUT: '' })).toThrow('Setting sample_timeout has to be');
});

it('is in the documents', () => {
  expect(settingTable()).toContain('How long a sample takes.');
});
