import { defineConfig } from 'vitest/config';

/** Patience for a busy machine. Nothing waits for it to pass. */
const patience = { testTimeout: 900_000, hookTimeout: 900_000, expect: { poll: { timeout: 300_000, interval: 250 } } };

/**
 * Ingot on an emulated AWS, which run.sh installs: a run of its own, in which nothing is skipped. The stories share one
 * deployment; what changes and removes it comes after them.
 */
export default defineConfig({
  test: {
    root: '.',
    globalSetup: 'test/localstack/started.ts',
    maxWorkers: 2,
    projects: [
      {
        test: {
          // What runs on dynoxide in `npm test`, on Amazon's own DynamoDB Local: it refuses what DynamoDB refuses.
          name: 'dynamodb',
          include: [
            'test/layers/platform/aws/{table,upgrade,platform}.test.ts',
            'test/functions/baremetal-api/races.test.ts',
          ],
          setupFiles: 'test/localstack/dynamodb.ts',
          sequence: { groupOrder: 1 },
          ...patience,
        },
      },
      {
        test: {
          name: 'stories',
          include: ['test/localstack/stories/**/*.test.ts'],
          maxConcurrency: 16,
          sequence: { groupOrder: 2 },
          ...patience,
        },
      },
      {
        test: {
          name: 'changes',
          include: ['test/localstack/changes/**/*.test.ts'],
          sequence: { groupOrder: 3 },
          ...patience,
        },
      },
    ],
  },
});
