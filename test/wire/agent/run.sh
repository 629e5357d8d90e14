#!/usr/bin/env bash
# Lets the real deploy agent clean, deploy and inspect machines of a whole Ingot on this machine. The agent is kept off
# the host (ramdisk/guard.py): its disks are files. Arguments are the stories to tell, such as `drives`; all without any.
# Installs the agent into .venv-agent; if it cannot be installed, it says so and fails.
set -euo pipefail
cd "$(dirname "$0")/../../.."

fail() {
  echo "agent: $*" >&2
  exit 1
}

PATH=$PATH:/usr/sbin:/sbin # blkid
export PATH INGOT_NODE=node_modules/.bin/node
[ -x "$INGOT_NODE" ] || fail 'packages are not installed: run npm ci'
for tool in isoinfo xorriso blkid; do
  command -v "$tool" >/dev/null || fail "$tool is missing (Debian packages genisoimage, xorriso, util-linux): install it"
done

venv=${INGOT_AGENT_VENV:-.venv-agent}
wanted=test/wire/agent/requirements.txt
if ! cmp -s "$wanted" "$venv/installed.txt"; then
  python3 -m venv "$venv" || fail 'python3 -m venv failed: install python3 and python3-venv'
  "$venv/bin/pip" install --quiet -r "$wanted" || fail 'ironic-python-agent could not be installed'
  cp "$wanted" "$venv/installed.txt"
fi

work=$(mktemp -d)
port=${INGOT_AGENT_PORT:-16485}
export work control=http://127.0.0.1:$((port + 2)) OS_ENDPOINT=http://127.0.0.1:$port
"$INGOT_NODE" local/main.js --no-demo --port "$port" --simulator-port $((port + 1)) --control-port $((port + 2)) \
  --state-dir "$work/state" --machines 15 --profiles plain,basic,emulator --scale 0.02 >"$work/ingot.log" 2>&1 &
ingot=$!
finish() {
  local status=$?
  kill "$ingot" 2>/dev/null || true
  wait "$ingot" 2>/dev/null || true
  [ "$status" = 0 ] || tail -n 40 "$work/ingot.log" >&2
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

for _ in $(seq 100); do
  curl -fsS "$OS_ENDPOINT/" >/dev/null 2>&1 && curl -fsS "$control/machines" >/dev/null 2>&1 && break
  kill -0 "$ingot" 2>/dev/null || fail 'Ingot did not start'
  sleep 0.2
done

export PYTHONPATH=$PWD/test/wire:$PWD/test/wire/agent/ramdisk PYTHONDONTWRITEBYTECODE=1
timeout --kill-after=10 600 "$venv/bin/python" test/wire/agent/stories.py "$@"
