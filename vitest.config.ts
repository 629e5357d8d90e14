import { defineConfig } from 'vitest/config';

/**
 * The tiers of DESIGN.md 9. `unit` is everything that needs no other process and ends in seconds; `machine` starts
 * whole systems (local cloud, simulator) and therefore runs its files one at a time.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/machine/**', 'test/infra/**'],
          // Patience for a busy machine. Nothing waits for it to pass.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      { test: { name: 'infra', include: ['test/infra/**/*.test.ts'], testTimeout: 300_000, hookTimeout: 300_000 } },
      {
        test: {
          name: 'machine',
          include: ['test/machine/**/*.test.ts'],
          fileParallelism: false,
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
