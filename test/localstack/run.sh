#!/usr/bin/env bash
# Deploys the whole of Ingot into an emulated AWS (LocalStack 4.14, the last that needs no account; no Docker) by the real
# CDK CLI, and works there. Installs what it needs into .localstack, once; what cannot be installed is said, and is a
# failure. Arguments go to vitest.
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
  echo "test:localstack: $*" >&2
  exit 1
}

here=test/localstack
home=.localstack

[ -x node_modules/.bin/vitest ] || fail 'packages are not installed: run npm ci'
command -v javac >/dev/null || fail 'there is no javac: install default-jdk-headless (17 or later)'
command -v mvn >/dev/null || fail 'there is no mvn: install maven'

# LocalStack 4.14 says that it runs on 3.10, but its sources are written for 3.13.
python_of() {
  local candidate
  for candidate in python3.13 ~/.pyenv/versions/3.13*/bin/python; do
    if "$candidate" -c 'import ensurepip, sys; sys.exit(sys.version_info[:2] != (3, 13))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  fail 'there is no Python 3.13, neither as python3.13 nor in ~/.pyenv/versions'
}

# What is run is a copy, because an installation writes beside what it installs.
mkdir -p "$home"
rm -rf "$home/plugin/ingot_localstack"
cp -r "$here/plugin" "$home/"
if ! cat "$here/requirements.txt" "$here/plugin/pyproject.toml" | cmp -s - "$home/installed.txt"; then
  python=$(python_of)
  rm -rf "$home/venv" "$home/installed.txt"
  "$python" -m venv "$home/venv"
  "$home/venv/bin/pip" install --quiet -r "$here/requirements.txt" || fail 'LocalStack could not be installed'
  "$home/venv/bin/pip" install --quiet --no-deps -e "$home/plugin" ||
    fail 'the plugin could not be installed'
  cat "$here/requirements.txt" "$here/plugin/pyproject.toml" >"$home/installed.txt"
fi

jars() {
  mvn -q -B -ntp -f "$here/pom.xml" -P"$1" dependency:copy-dependencies -DoutputDirectory="$PWD/$2" ||
    fail "the jars of $1 could not be fetched"
}
if ! cat "$here/pom.xml" "$here/Loopback.java" | cmp -s - "$home/fetched.txt"; then
  rm -rf "$home/lib" "$home/dynamodb"
  # Where LocalStack looks before it downloads.
  jars jsonata "$home/lib/jsonata/0.9.7"
  jars dynamodb "$home/dynamodb"
  for library in "$home"/dynamodb/libsqlite4java-linux-amd64-*.so; do
    cp "$library" "$home/dynamodb/libsqlite4java-linux-amd64.so"
  done
  javac -cp "$home/dynamodb/*" -d "$home/dynamodb" "$here/Loopback.java"
  cat "$here/pom.xml" "$here/Loopback.java" >"$home/fetched.txt"
fi
# It wants a JRE "21" for JSONata, which an older one runs just as well.
mkdir -p "$home/lib/java"
ln -sfn "$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")" "$home/lib/java/21"

# The tests end what they have started. If they themselves are killed, or this is, it ends here.
runner=
end_what_is_left() {
  local file pid
  [ -z "$runner" ] || kill -TERM "$runner" 2>/dev/null && timeout 30 tail --pid="$runner" -f /dev/null || true
  for file in "$home"/run/*.pid; do
    [ -e "$file" ] || continue
    pid=$(cat "$file")
    # What it has started itself it ends itself, if it is let.
    kill -TERM "$pid" 2>/dev/null && timeout 20 tail --pid="$pid" -f /dev/null || true
    kill -KILL -- "-$pid" 2>/dev/null || true
    rm -f "$file"
  done
}
# A file of an earlier run, which was killed with all that is here, names a process that may be anybody's by now.
rm -f "$home"/run/*.pid
trap end_what_is_left EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

npx vitest run --config "$here/vitest.config.ts" "$@" &
runner=$!
wait "$runner"
