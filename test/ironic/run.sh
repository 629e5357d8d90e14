#!/usr/bin/env bash
# Moves out of real Ironics and back into one. Installs them into .venv-ironic and .venv-ironic-21.4; if one cannot be
# installed, it says so and fails. Arguments go to vitest.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "test:ironic: $*" >&2
  exit 1
}

[ -x node_modules/.bin/vitest ] || fail 'packages are not installed: run npm ci'

# install VENV REQUIREMENTS [OPTION OF PIP ...]
install() {
  local venv=$1 requirements=$2
  shift 2
  cmp -s "$requirements" "$venv/installed.txt" && return
  python3 -m venv "$venv" || fail 'python3 -m venv failed: install python3 and python3-venv'
  "$venv/bin/pip" install --quiet "$@" -r "$requirements" || fail "the Ironic of $requirements could not be installed"
  cp "$requirements" "$venv/installed.txt"
}

install .venv-ironic test/ironic/requirements.txt --only-binary :all:
# Some of what it needs was never built for the Pythons of today, and is plain Python: it is built here.
install .venv-ironic-21.4 test/ironic/requirements-21.4.txt

exec npx vitest run --config test/ironic/vitest.config.ts "$@"
