import type { LogLine } from '../../layers/platform/memory/log.ts';

/** The lines of a log but for those that every request to change something leaves. */
export const withoutTrail = (lines: readonly LogLine[]): LogLine[] =>
  lines.filter(({ message }) => message !== 'A change was asked for.');
