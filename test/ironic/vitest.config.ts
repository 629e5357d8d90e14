import { defineConfig } from 'vitest/config';

/** Tests with a real Ironic, which run.sh installs: a run of its own, in which none is skipped. */
export default defineConfig({
  test: { root: '.', include: ['test/ironic/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
});
