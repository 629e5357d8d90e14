import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

/**
 * The tiers of DESIGN.md 9. `unit` is everything that needs no other process and ends in seconds; `machine` starts
 * whole systems (local cloud, simulator), each file its own. Those wait most of their time, so more of them run at once
 * than there are cores.
 */
export default defineConfig({
  test: {
    maxWorkers: Math.max(4, availableParallelism()),
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/machine/**',
            'test/infra/**',
            'test/databases/**',
            'test/ironic/**',
            'test/localstack/**',
            '**/*.alone.test.ts',
          ],
          // Modules are loaded once a worker: loading them anew for each file was a third of the time. A test that
          // changes what others see (environment, globals) puts it back.
          isolate: false,
          // Patience for a busy machine. Nothing waits for it to pass.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      // Tests that change tables of the product before they use them: modules of their own.
      { test: { name: 'alone', include: ['test/**/*.alone.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 } },
      { test: { name: 'infra', include: ['test/infra/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 } },
      {
        test: {
          name: 'machine',
          include: ['test/machine/**/*.test.ts'],
          // Tests that run concurrently have a machine each, and mostly wait for it.
          maxConcurrency: 64,
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
