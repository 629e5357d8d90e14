#!/usr/bin/env bash
# Walks through every command of the real clients, on both hardware types, against a whole Ingot on this machine.
# Arguments are the groups to walk, such as `cli.port`; without any all are walked, and it is checked that none is missing.
# Then the real deploy agent has its stories (agent/run.sh), and so do guests (guest/run.sh) and a foreign client of BMCs
# (redfish/run.sh); as an argument one is called `agent.documents`, `guest.drive` or `redfish.dell`. INGOT_WALK_AUTH=http_basic asks everybody who they are, also the operator.
# Installs the clients into .venv; if they cannot be installed, it says so and fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "walk: $*" >&2
  exit 1
}

groups=() stories=() guests=() makes=()
for name in "$@"; do
  case $name in
    agent.*) stories+=("${name#agent.}") ;;
    guest.*) guests+=("${name#guest.}") ;;
    redfish.*) makes+=("${name#redfish.}") ;;
    *) groups+=("$name") ;;
  esac
done
tell_stories() {
  [ $# -gt 0 ] && [ ${#stories[@]} = 0 ] || bash test/wire/agent/run.sh "${stories[@]}"
  [ $# -gt 0 ] && [ ${#guests[@]} = 0 ] || bash test/wire/guest/run.sh "${guests[@]}"
  [ $# -gt 0 ] && [ ${#makes[@]} = 0 ] || bash test/wire/redfish/run.sh "${makes[@]}"
}
if [ $# -gt 0 ] && [ ${#groups[@]} = 0 ]; then
  tell_stories "$@"
  exit
fi

node_bin=node_modules/.bin/node
[ -x "$node_bin" ] || fail 'packages are not installed: run npm ci'
for tool in isoinfo xorriso; do
  command -v "$tool" >/dev/null || fail "$tool is missing (Debian packages genisoimage and xorriso): install it"
done

venv=${INGOT_WALK_VENV:-.venv}
if ! cmp -s test/wire/requirements.txt "$venv/installed.txt"; then
  python3 -m venv "$venv" || fail 'python3 -m venv failed: install python3 and python3-venv'
  "$venv/bin/pip" install --quiet -r test/wire/requirements.txt || fail 'the OpenStack clients could not be installed'
  cp test/wire/requirements.txt "$venv/installed.txt"
fi

work=$(mktemp -d)
# The tenants, each of a project of her own, and the operator, for where everybody is asked who they are.
user() { # NAME
  "$node_bin" -e 'const [name, password] = process.argv.slice(1); console.log(`${name}:${require("bcryptjs").hashSync(password, 4)}`)' \
    "$1" "$1-has-a-good-one"
}
user operator >"$work/htpasswd"
printf '%s\n' "$(user ann):blue:member" "$(user bob):green:member" "$(user yellow):yellow:member" >"$work/users"
export INGOT_AUTH_STRATEGY=${INGOT_WALK_AUTH:-noauth} INGOT_USERS_FILE=$work/users
port=${INGOT_WALK_PORT:-16385}
export control=http://127.0.0.1:$((port + 2))
[ "$INGOT_AUTH_STRATEGY" = noauth ] || export INGOT_HTPASSWD_FILE=$work/htpasswd
"$node_bin" local/main.js --no-demo --port "$port" --simulator-port $((port + 1)) --control-port $((port + 2)) \
  --state-dir "$work/state" --machines 10 --scale 0.02 >"$work/ingot.log" 2>&1 &
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
  curl -fsS "http://127.0.0.1:$port/" >/dev/null 2>&1 && curl -fsS "$control/machines" >/dev/null 2>&1 && break
  kill -0 "$ingot" 2>/dev/null || fail 'Ingot did not start'
  sleep 0.2
done

unset "${!OS_@}" # a cloud that this user works with
if [ "$INGOT_AUTH_STRATEGY" = noauth ]; then
  export OS_AUTH_TYPE=none
else
  export OS_AUTH_TYPE=http_basic OS_USERNAME=operator OS_PASSWORD=operator-has-a-good-one
fi
export OS_ENDPOINT=http://127.0.0.1:$port PATH="$(realpath "$venv")/bin:$PATH" work
# The command line client keeps the API version of each host and port in a file: nobody's file, and not this user's.
export XDG_CACHE_HOME=$work/cache PYTHONDONTWRITEBYTECODE=1
python3 test/wire/walk.py "${groups[@]}"
[ ! -d "$work/server" ] || server=$work/server bash test/wire/guest/run.sh server
tell_stories "$@"
