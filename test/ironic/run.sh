#!/usr/bin/env bash
# Moves out of a real Ironic and back into it. Installs that Ironic into .venv-ironic; if it cannot be installed, it says so
# and fails. Arguments go to vitest.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "test:ironic: $*" >&2
  exit 1
}

[ -x node_modules/.bin/vitest ] || fail 'packages are not installed: run npm ci'

venv=.venv-ironic
if ! cmp -s test/ironic/requirements.txt "$venv/installed.txt"; then
  python3 -m venv "$venv" || fail 'python3 -m venv failed: install python3 and python3-venv'
  "$venv/bin/pip" install --quiet --only-binary :all: -r test/ironic/requirements.txt ||
    fail 'Ironic could not be installed'
  cp test/ironic/requirements.txt "$venv/installed.txt"
fi

exec npx vitest run --config test/ironic/vitest.config.ts "$@"
