/** Lines of the log as CloudWatch gets them: the metric by which people are woken is one of them. */
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

it('counts errors, by the function that met them, and nothing else', () => {
  const log = createAwsLog('sync');
  const lines = linesOf(() => {
    log.info('Fine.');
    log.warn('The BMC is busy.');
    log.error('This was not expected.', { node: 'n1' });
  });
  const counted = lines.filter((line) => Object.hasOwn(line, '_aws'));
  expect(counted).toMatchObject([{ service: 'sync', UnexpectedErrors: 1 }]);
  expect(counted[0]!['_aws']).toMatchObject({
    CloudWatchMetrics: [{ Namespace: 'Ingot', Dimensions: [['service']] }],
  });
  expect(lines).toHaveLength(4);
});
