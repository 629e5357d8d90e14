#!/usr/bin/env bash
# Lets sushy, the Redfish client of OpenStack's services, work on simulated machines of every make: what the simulator
# says must be Redfish to somebody who has not written it. Arguments are the makes, such as `dell`; all without any.
# Installs sushy into .venv-redfish; if it cannot be installed, it says so and fails.
set -euo pipefail
cd "$(dirname "$0")/../../.."

fail() {
  echo "redfish: $*" >&2
  exit 1
}

node_bin=node_modules/.bin/node
[ -x "$node_bin" ] || fail 'packages are not installed: run npm ci'

venv=${INGOT_REDFISH_VENV:-.venv-redfish}
wanted=test/wire/redfish/requirements.txt
if ! cmp -s "$wanted" "$venv/installed.txt"; then
  python3 -m venv "$venv" || fail 'python3 -m venv failed: install python3 and python3-venv'
  "$venv/bin/pip" install --quiet -r "$wanted" || fail 'sushy could not be installed'
  cp "$wanted" "$venv/installed.txt"
fi

profiles=$(IFS=,; echo "${*:-}")
if [ -z "$profiles" ]; then
  profiles=$("$node_bin" -p "require('./simulator/profiles.ts').profileNames.join()")
fi
machines=$(tr -cd , <<<"$profiles" | wc -c)
work=$(mktemp -d)
port=${INGOT_REDFISH_PORT:-16585}
export work control=http://127.0.0.1:$((port + 1))
"$node_bin" simulator/main.ts --machines $((machines + 1)) --profiles "$profiles" --scale 0.01 \
  --port "$port" --control-port $((port + 1)) --own-ports $((port + 2)) \
  --state-dir "$work/state" >"$work/simulator.log" 2>&1 &
simulator=$!
finish() {
  local status=$?
  kill "$simulator" 2>/dev/null || true
  wait "$simulator" 2>/dev/null || true
  [ "$status" = 0 ] || tail -n 40 "$work/simulator.log" >&2
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT

for _ in $(seq 100); do
  curl -fsS "$control/machines" >/dev/null 2>&1 && break
  kill -0 "$simulator" 2>/dev/null || fail 'the simulator did not start'
  sleep 0.2
done

PYTHONDONTWRITEBYTECODE=1 timeout --kill-after=10 300 "$venv/bin/python" test/wire/redfish/walk.py
