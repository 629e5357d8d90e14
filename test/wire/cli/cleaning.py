"""Steps in the deploy ramdisk with `openstack baremetal`: manual cleaning, a deploy step, a service, an abort."""

import json

from commands import metal, read, refused
from world import control, driver_info, expect, image, node, options, settled, until

NODE = "cli-cleaning"
ERASE = json.dumps([{"interface": "deploy", "step": "erase_devices_metadata"}])
BURN = {"interface": "deploy", "step": "burnin_cpu", "args": {}}


def walk_clean(machine):
    metal(f"node clean {NODE} --wait 240 --clean-steps", ERASE)
    expect(NODE, provision_state="manageable", last_error=None, power_state="power off")
    assert control(f"/machines/{machine['name']}")["boots"], "the ramdisk never ran"
    unknown = json.dumps([{"interface": "deploy", "step": "polish"}])
    metal(f"node clean {NODE} --clean-steps", unknown)
    failed = settled(NODE, "clean failed")
    assert "polish" in failed["last_error"] and "erase_devices" in failed["last_error"], failed["last_error"]
    metal(f"node manage {NODE} --wait 60")
    metal(f"node maintenance unset {NODE}")


def walk_abort():
    metal(f"node set {NODE} --driver-info agent_burnin_cpu_timeout=100000")
    metal(f"node clean {NODE} --clean-steps", json.dumps([BURN]))
    until("the burn-in", lambda: node(NODE)["clean_step"].get("step") == "burnin_cpu")
    until("the agent to work", lambda: node(NODE)["provision_state"] == "clean wait")
    refused(f"node delete {NODE}", NODE, "clean wait")
    metal(f"node abort {NODE}")
    settled(NODE, "clean failed")
    metal(f"node manage {NODE} --wait 60")
    metal(f"node maintenance unset {NODE}")
    metal(f"node set {NODE} --driver-info agent_burnin_cpu_timeout=60")


def walk_service(machine):
    metal(f"node set {NODE} --no-automated-clean", *options("instance-info", image()))
    metal(f"node provide {NODE} --wait 60")
    metal(f"node deploy {NODE} --wait 240")
    book = read("runbook create --name CUSTOM_CLI_BURN --steps", json.dumps([BURN | {"order": 1}]))["uuid"]
    metal(f"runbook trait add {book} CUSTOM_CLI_BURN")
    metal(f"node trait add {NODE} CUSTOM_CLI_BURN")
    metal(f"node service {NODE} --runbook CUSTOM_CLI_BURN --wait 240")
    expect(NODE, provision_state="active", power_state="power on", last_error=None)
    disk = json.dumps(control(f"/machines/{machine['name']}"))
    assert image()["image_os_hash_value"] in disk, "the service cost the instance its disk"
    metal("runbook delete CUSTOM_CLI_BURN")


def walk(machine):
    metal(f"node create --driver redfish --name {NODE}", *options("driver-info", driver_info(machine)))
    metal(f"port create {machine['mac']} --node {node(NODE)['uuid']}")
    metal(f"node manage {NODE} --wait 60")
    walk_clean(machine)
    walk_abort()
    walk_service(machine)
    metal(f"node undeploy {NODE}")
    settled(NODE, "available", 240)
    metal(f"node delete {NODE}")
