#!/usr/bin/env bash
# The main job with `openstack baremetal`. Called by walk.sh, which sets OS_ENDPOINT, control and work.
set -euo pipefail

fail() {
  echo "cli: $*" >&2
  exit 1
}
# Reads all of its input: a grep that ends early would break the pipe of a client that still prints.
shows() { grep -c "$@" >/dev/null; }
step() { echo "cli: $*"; }
metal() { openstack baremetal "$@"; }
field() { metal node show "$1" -f value -c "$2"; }
expect() { # expect NODE FIELD VALUE
  local is
  is=$(field "$1" "$2")
  [ "$is" = "$3" ] || fail "node $1: $2 is '$is', expected '$3' ($(field "$1" last_error))"
}
until_field() { # until_field NODE FIELD VALUE: power actions are answered 202, their end is polled
  for _ in $(seq 60); do
    [ "$(field "$1" "$2")" = "$3" ] && return
    sleep 0.5
  done
  fail "node $1: $2 did not become '$3' ($(field "$1" last_error))"
}
# json FILE EXPRESSION: a value out of a JSON file, by Python's subscript syntax.
json() { python3 -c "import json,sys; d=json.load(open(sys.argv[1])); print(d$2)" "$1"; }

curl -fsS "$control/machines" >"$work/machines.json"
machine="['machines'][0]"
name=$(json "$work/machines.json" "$machine['name']")
json "$work/machines.json" "$machine['certificate']" >"$work/bmc.pem"

step 'drivers and conductors'
metal driver list -f value -c name | shows -x redfish || fail 'driver redfish is not listed'
metal driver list -f value -c name | shows -x fake-hardware || fail 'driver fake-hardware is not listed'
metal driver show redfish -f value -c default_deploy_interface | shows -x direct || fail 'redfish does not default to direct'
metal driver property list redfish -f value | shows redfish_address || fail 'redfish has no property redfish_address'
[ -n "$(metal conductor list -f value -c Hostname)" ] || fail 'no conductor is listed'

step 'create'
metal node create --driver redfish --name walk-real --resource-class baremetal \
  --driver-info redfish_address="$(json "$work/machines.json" "$machine['address']")" \
  --driver-info redfish_system_id="$(json "$work/machines.json" "$machine['system_id']")" \
  --driver-info redfish_username="$(json "$work/machines.json" "$machine['username']")" \
  --driver-info redfish_password="$(json "$work/machines.json" "$machine['password']")" \
  --driver-info redfish_verify_ca="$(cat "$work/bmc.pem")" \
  --driver-info deploy_iso="$(json "$work/machines.json" "['images']['deploy_iso']")" -f value -c uuid >"$work/uuid"
uuid=$(cat "$work/uuid")
metal port create "$(json "$work/machines.json" "$machine['mac']")" --node "$uuid" -f value -c uuid >"$work/port"
metal node create --driver fake-hardware --name walk-fake -f value -c uuid >/dev/null
metal port create 52:54:00:fa:4e:01 --node "$(field walk-fake uuid)" >/dev/null
field walk-real driver_info | shows "'redfish_password': '\*\*\*\*\*\*'" || fail 'the BMC password is not masked'

step 'list, show, set, unset'
metal node list -f value -c Name | shows -x walk-real || fail 'node list does not show walk-real'
metal node list --long -f value -c Name | shows -x walk-fake || fail 'node list --long does not show walk-fake'
metal node list --provision-state enroll -f value -c UUID | shows -x "$uuid" || fail 'the provision_state filter misses the node'
metal node list --fields uuid driver -f value | shows "$uuid redfish" || fail 'node list --fields is wrong'
metal port list --node walk-real -f value -c UUID | shows -x "$(cat "$work/port")" || fail 'port list --node misses the port'
metal node set walk-real --extra rack=7 --property cpu_arch=x86_64
field walk-real extra | shows "'rack': '\?7" || fail 'node set --extra did not hold'
metal node unset walk-real --extra rack
expect walk-real extra '{}'
metal node maintenance set walk-real --reason 'walk'
expect walk-real maintenance True
metal node maintenance unset walk-real
expect walk-real maintenance False

for node in walk-real walk-fake; do
  step "$node: manage, provide"
  metal node manage "$node" --wait 60
  expect "$node" provision_state manageable
  metal node provide "$node" --wait 120
  expect "$node" provision_state available
done
expect walk-real power_state 'power off'

step 'validate and deploy with a configdrive'
metal node set walk-real --instance-info image_source="$(json "$work/machines.json" "['images']['demo_raw']['url']")" \
  --instance-info image_os_hash_algo=sha256 \
  --instance-info image_os_hash_value="$(json "$work/machines.json" "['images']['demo_raw']['sha256']")" \
  --instance-info image_disk_format=raw
metal node validate walk-real -f json >"$work/validate.json"
python3 - "$work/validate.json" <<'PYTHON'
import json, sys
rows = {row["Interface"]: row for row in json.load(open(sys.argv[1]))}
for name in ("boot", "deploy", "power", "management", "network"):
    assert str(rows[name]["Result"]) == "True", rows[name]
PYTHON
mkdir -p "$work/configdrive/openstack/latest"
echo '{"hostname": "walk"}' >"$work/configdrive/openstack/latest/meta_data.json"
printf '#cloud-config\nhostname: walk\n' >"$work/user-data"
# The client builds an ISO from a directory itself (needs genisoimage), gzips it and sends it as base64.
cp "$work/user-data" "$work/configdrive/openstack/latest/user_data"
metal node deploy walk-real --config-drive "$work/configdrive" --wait 240
expect walk-real provision_state active
expect walk-real power_state 'power on'
field walk-real instance_info | shows "'configdrive': '\*\*\*\*\*\*'" || fail 'the configdrive is not masked'
curl -fsS "$control/machines/$name" >"$work/machine.json"
python3 - "$work" <<'PYTHON'
import hashlib, json, sys
work = sys.argv[1]
images = json.load(open(f"{work}/machines.json"))["images"]
text = open(f"{work}/machine.json").read()
machine = json.loads(text)
assert images["demo_raw"]["sha256"] in text, "the image on the disk is not the one that was asked for"
wanted = hashlib.sha256(open(f"{work}/user-data", "rb").read()).hexdigest()
assert wanted in text, "user_data on the disk is not what was sent: " + text
PYTHON

step 'vifs'
metal node vif attach walk-real 11111111-2222-3333-4444-555555555555
metal node vif list walk-real >/dev/null
metal node vif detach walk-real 11111111-2222-3333-4444-555555555555

step 'power'
for node in walk-real walk-fake; do
  metal node power off "$node" --power-timeout 60
  until_field "$node" power_state 'power off'
  metal node power on "$node"
  until_field "$node" power_state 'power on'
  metal node reboot "$node"
  until_field "$node" target_power_state None
  expect "$node" power_state 'power on'
done

step 'fake-hardware: deploy with a configdrive in JSON, undeploy'
metal node set walk-fake --instance-info image_source=http://127.0.0.1/none.raw --instance-info image_checksum=0123456789abcdef0123456789abcdef
metal node validate walk-fake -f value | shows -x "deploy True.*" || fail "validate does not find the deploy interface of walk-fake good"
echo '{"meta_data": {"hostname": "fake"}, "user_data": "x"}' >"$work/configdrive.json"
metal node deploy walk-fake --config-drive "$work/configdrive.json" --wait 60
expect walk-fake provision_state active

for node in walk-real walk-fake; do
  step "$node: undeploy, delete"
  metal node undeploy "$node" --wait 240
  expect "$node" provision_state available
  expect "$node" instance_info '{}'
  expect "$node" instance_uuid None
  metal node delete "$node"
done
curl -fsS "$control/machines/$name" | shows "$(json "$work/machines.json" "['images']['demo_raw']['sha256']")" && fail 'the image is still on the disk'
[ -z "$(metal node list -f value)" ] || fail 'nodes are left'
[ -z "$(metal port list -f value)" ] || fail 'ports are left'

step 'errors read well'
complaint() { metal "$@" 2>&1 || true; }
complaint node show nobody | shows 'nobody could not be found' || fail 'an unknown node is not named in the error'
complaint node create --driver nonesuch | shows nonesuch || fail 'an unknown driver is not named in the error'
