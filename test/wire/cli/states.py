"""The verbs of `openstack baremetal node` on fake hardware, which does at once what real machines take long for."""

import json

from commands import metal, read, refused
from world import RESCUE_PASSWORD, expect, idle, settled, until
from world import node as now

NODE = "cli-states"
IMAGE = "--instance-info image_source=http://127.0.0.1/none.raw --instance-info image_checksum=" + "0" * 32
HOLD = json.dumps([{"interface": "deploy", "step": "hold"}])
STEP = json.dumps([{"interface": "raid", "step": "delete_configuration"}])
DEPLOY_STEP = json.dumps([{"interface": "raid", "step": "apply_configuration", "args": {}, "priority": 50}])


def holds(state):
    until(f"{NODE} to be in {state}", lambda: now(NODE)["provision_state"] == state)


def walk_clean():
    metal(f"node clean {NODE} --wait 60 --clean-steps", STEP)
    expect(NODE, provision_state="manageable", last_error=None)
    metal(f"node clean {NODE} --clean-steps", HOLD)
    holds("clean hold")
    metal(f"node unhold {NODE}")
    settled(NODE, "manageable")
    metal(f"node clean {NODE} --clean-steps", HOLD)
    holds("clean hold")
    metal(f"node abort {NODE}")
    settled(NODE, "clean failed")
    refused(f"node clean {NODE} --clean-steps '{HOLD}'", "clean", "clean failed")
    metal(f"node manage {NODE}")
    settled(NODE, "manageable")
    metal(f"node maintenance unset {NODE}")
    refused(
        f'node clean {NODE} --clean-steps \'[{{"interface": "kitchen", "step": "wash"}}]\'', "clean_steps", "interface"
    )


def walk_deploy():
    metal(f"node set {NODE} {IMAGE}")
    assert {row["Interface"]: row["Result"] for row in read(f"node validate {NODE}")}["deploy"] is True
    metal(f"node deploy {NODE} --deploy-steps", DEPLOY_STEP)
    settled(NODE, "active")
    metal(f"node rebuild {NODE} --wait 60 --config-drive", json.dumps({"meta_data": {"hostname": "again"}}))
    expect(NODE, provision_state="active")
    refused(f"node manage {NODE}", "manage", "active")
    refused(f"node deploy {NODE}", "active")
    metal(f"node set {NODE} --protected --protected-reason mine")
    refused(f"node undeploy {NODE}", "protected")
    metal(f"node unset {NODE} --protected --protected-reason")


def walk_service():
    metal(f"node service {NODE} --service-steps", STEP)
    settled(NODE, "active")
    metal(f"node service {NODE} --service-steps", HOLD)
    holds("service hold")
    metal(f"node unhold {NODE}")
    settled(NODE, "active")


def walk_rescue():
    metal(f"node rescue {NODE} --wait 60 --rescue-password {RESCUE_PASSWORD}")
    expect(NODE, provision_state="rescue")
    assert RESCUE_PASSWORD not in json.dumps(now(NODE))
    metal(f"node unrescue {NODE} --wait 60")
    expect(NODE, provision_state="active")


def walk_power():
    for verb, state in (
        ("power off --power-timeout 60", "power off"),
        ("power on", "power on"),
        ("reboot", "power on"),
    ):
        metal(f"node {verb} {NODE}")
        until(f"{NODE} to be {state}", lambda: idle(NODE)["power_state"] == state)
    metal(f"node power off --soft {NODE}")
    until(f"{NODE} to be off softly", lambda: idle(NODE)["power_state"] == "power off")
    metal(f"node power on {NODE}")
    idle(NODE)
    metal(f"node reboot --soft {NODE}")
    assert idle(NODE)["power_state"] == "power on"


def walk_vifs():
    vif = "11111111-2222-3333-4444-555555555555"
    metal(f"node vif attach {NODE} {vif} --vif-info physical_network=left")
    metal(f"node vif list {NODE}")
    metal(f"node vif detach {NODE} {vif}")
    refused(f"node vif list nobody", "nobody")


def walk_console():
    metal(f"node console enable {NODE}")
    assert read(f"node console show {NODE}")["console_enabled"] is True
    expect(NODE, console_enabled=True)
    metal(f"node console disable {NODE}")
    assert read(f"node console show {NODE}")["console_enabled"] is False


def walk_passthru():
    assert "third_method_sync" in [row["Name"] for row in read(f"node passthru list {NODE}")]
    metal(f"node passthru call {NODE} first_method --arg bar=baz")
    refused(f"node passthru call {NODE} second_method", "bar")
    refused(f"node passthru call {NODE} nonesuch --http-method PUT", "nonesuch")
    refused(f"node passthru call {NODE} first_method --http-method DELETE", "DELETE")


def walk_history():
    rows = read(f"node history list {NODE}")
    event = rows[-1]["uuid"]
    assert len(rows) > 20, rows
    assert read(f"node history get {NODE} {event}")["uuid"] == event
    assert any("clean" in (row["event"] or "") for row in read(f"node history list {NODE} --long"))
    refused(f"node history get {NODE} 00000000-0000-0000-0000-000000000000")


def walk():
    metal(f"node create --driver fake-hardware --name {NODE} --rescue-interface fake")
    refused(f"node provide {NODE}", "provide", "enroll")
    metal(f"node manage {NODE} --wait 60")
    walk_clean()
    metal(f"node provide {NODE}")
    settled(NODE, "available")
    walk_deploy()
    walk_service()
    walk_rescue()
    walk_power()
    walk_vifs()
    walk_console()
    walk_passthru()
    metal(f"node undeploy {NODE}")
    settled(NODE, "available")
    expect(NODE, instance_info={}, instance_uuid=None)
    metal(f"node set {NODE} {IMAGE}")
    metal(f"node manage {NODE}")
    settled(NODE, "manageable")
    metal(f"node adopt {NODE} --wait 60")
    expect(NODE, provision_state="active")
    walk_history()
    metal(f"node undeploy {NODE}")
    settled(NODE, "available")
    metal(f"node delete {NODE}")
