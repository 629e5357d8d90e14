#!/usr/bin/env bash
# The deaths that take longer than `npm test` may: a workflow's process dies at every single effect, and a whole Ingot is
# killed at seeded random moments, five deploys and three servers long, once for each seed given (default: three). A seed
# that failed shows the same kills again: npm run test:crash -- 7
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ]; then set -- 20261121 1 2; fi
INGOT_DEATHS=all npx vitest run --project unit test/workflows/death.test.ts test/workflows/servers/death.test.ts
for seed in "$@"; do
  INGOT_CRASH_ROUNDS=5 INGOT_CRASH_SEED=$seed npx vitest run --project machine test/machine/crash.test.ts
  INGOT_CRASH_ROUNDS=3 INGOT_CRASH_SEED=$seed npx vitest run --project machine test/machine/server-crash.test.ts
done
