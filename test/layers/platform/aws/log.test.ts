/** Lines of the log as CloudWatch gets them: people are woken by those that are errors. */
import { afterEach, expect, it, vi } from 'vitest';

import { createAwsLog } from '../../../../layers/platform/aws/log.ts';

afterEach(() => vi.restoreAllMocks());

/** What is written, each line read as JSON. */
const linesOf = (write: () => void): Record<string, unknown>[] => {
  const lines: Record<string, unknown>[] = [];
  const take = (line: string | Uint8Array) => void lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((line) => {
      take(line);
      return true;
    });
  }
  for (const method of ['log', 'info', 'warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(take);
  write();
  return lines;
};

it('says ERROR of what nobody expected and of nothing else, which infra/counts.ts counts', () => {
  const log = createAwsLog('sync');
  const lines = linesOf(() => {
    log.info('Fine.');
    log.warn('The BMC is busy.');
    log.error('This was not expected.', { node: 'n1' });
  });
  expect(lines.map(({ level }) => level)).toEqual(['INFO', 'WARN', 'ERROR']);
  expect(lines[2]).toMatchObject({ service: 'sync', node: 'n1' });
});
