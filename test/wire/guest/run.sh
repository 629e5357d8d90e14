#!/usr/bin/env bash
# Lets the real cloud-init read a configdrive that Ingot made for a guest, and a real XML parser its guest documents.
# Arguments are the stories to tell: `drive`, `documents`, and `server`, which the walk of tenants has left a drive for in
# $server; the first two without any. cloud-init is the package of the
# distribution, unpacked into .venv-guest and not installed: who runs tests must not become a guest of some cloud.
set -euo pipefail
cd "$(dirname "$0")/../../.."

fail() {
  echo "guest: $*" >&2
  exit 1
}

node_bin=node_modules/.bin/node
[ -x "$node_bin" ] || fail 'packages are not installed: run npm ci'
command -v xorriso >/dev/null || fail 'xorriso is missing: install the Debian package of that name'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

venv=$(realpath -m "${INGOT_GUEST_VENV:-.venv-guest}")
wanted=test/wire/guest/requirements.txt
if ! cmp -s "$wanted" "$venv/installed.txt"; then
  python3 -m venv "$venv" || fail 'python3 -m venv failed: install python3 and python3-venv'
  "$venv/bin/pip" install --quiet -r "$wanted" || fail 'what cloud-init needs could not be installed'
  (cd "$work" && apt-get download -qq cloud-init 2>/dev/null && dpkg -x cloud-init_*.deb "$venv/cloud-init") ||
    fail 'the package cloud-init could not be fetched: run apt-get update'
  cp "$wanted" "$venv/installed.txt"
fi

export work PYTHONPATH=$venv/cloud-init/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1
stories=("$@")
[ $# -gt 0 ] || stories=(drive documents)
for story in "${stories[@]}"; do
  [ -f "test/wire/guest/$story.py" ] || fail "there is no story $story: there are drive, documents and server"
  mkdir "$work/$story"
  if [ "$story" = server ]; then
    cp "${server:?the walk of tenants has to be told first: tenant.life}"/* "$work/$story"
  else
    "$node_bin" "test/wire/guest/$story.ts" "$work/$story" || fail "$story.ts failed"
  fi
  timeout --kill-after=10 120 "$venv/bin/python" "test/wire/guest/$story.py" "$work/$story" || fail "$story: FAILED"
  echo "walk: guest.$story: ok"
done
