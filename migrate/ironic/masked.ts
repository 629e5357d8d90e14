/**
 * What a report shows of a value: no secret, by the name that it has (layers/domain/masking.ts), and none inside a text
 * either, where an Ironic's API hides them as well (`kernel_append_params` with `password=...`).
 */
import { hideInUrls } from '../../layers/domain/foreign-text.ts';
import type { Fields } from '../../layers/domain/fields.ts';
import { isSecretName, mask, maskField } from '../../layers/domain/masking.ts';
import type { Values } from './api.ts';

/** What may be in front of a value: `name=`, `name: `, `"name": `, `--name `. A name is looked at from its beginning alone. */
const names = /(?<![\w.-])([\w.-]+)(["']?\s*[=:]\s*|\s+)/g;
const value = /"[^"]*"|'[^']*'|[^\s"'&;,]+/y;

const maskPairs = (text: string): string => {
  let shown = '';
  let done = 0;
  for (const { 0: found, 1: name, 2: between, index } of text.matchAll(names)) {
    if (index < done || !isSecretName(name!) || (between!.trim() === '' && !name!.startsWith('--'))) continue;
    value.lastIndex = index + found.length;
    const end = value.test(text) ? value.lastIndex : 0;
    if (end === 0) continue;
    shown += text.slice(done, index) + found + mask;
    done = end;
  }
  return shown + text.slice(done);
};

const maskText = (text: string): string => maskPairs(hideInUrls(text, mask));

const maskTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskTexts(inner)]));
};

/** The value of such a field. */
export const reportedValue = (masked: Parameters<typeof maskField>[0], value: unknown): unknown =>
  maskTexts(maskField(masked, value));

/** A record of such fields. */
export const reportedRecord = (rows: Fields, record: Values): Values =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, reportedValue(rows[name]?.masked, value)]));
