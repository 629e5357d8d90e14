import { defineConfig } from 'vitest/config';

/** Tests with real database servers, which not every machine has: a run of its own, in which none is skipped. */
export default defineConfig({
  test: { root: '.', include: ['test/databases/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
});
