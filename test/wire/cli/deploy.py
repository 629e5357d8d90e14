"""The main job with `openstack baremetal`, on a machine with a BMC: enrol, deploy with a configdrive, use, give back."""

import hashlib
import json
import os

from commands import metal, read, refused
from world import control, driver_info, expect, idle, image, options, until

NODE = "cli-deploy"
FOLDER = os.path.join(os.environ["work"], "configdrive")
USER_DATA = b"#cloud-config\nhostname: walk\n"


def walk_enrol(machine):
    info = driver_info(machine)
    uuid = read(
        f"node create --driver redfish --name {NODE} --resource-class baremetal", *options("driver-info", info)
    )["uuid"]
    metal(f"port create {machine['mac']} --node {uuid}")
    assert expect(NODE)["driver_info"]["redfish_password"] == "******"
    metal(f"node manage {NODE} --wait 60")
    expect(NODE, provision_state="manageable")
    metal(f"node provide {NODE} --wait 240")
    expect(NODE, provision_state="available", power_state="power off")


def write_configdrive():
    """What the client makes an ISO of, gzips and sends as base64; it needs genisoimage for it."""
    latest = os.path.join(FOLDER, "openstack", "latest")
    os.makedirs(latest, exist_ok=True)
    with open(os.path.join(latest, "meta_data.json"), "w") as file:
        json.dump({"hostname": "walk"}, file)
    with open(os.path.join(latest, "user_data"), "wb") as file:
        file.write(USER_DATA)


def walk_deploy(machine):
    metal(f"node set {NODE}", *options("instance-info", image()))
    valid = {row["Interface"]: row for row in read(f"node validate {NODE}")}
    for name in ("boot", "deploy", "power", "management", "network"):
        assert valid[name]["Result"] is True, valid[name]
    write_configdrive()
    metal(f"node deploy {NODE} --config-drive {FOLDER} --wait 240")
    now = expect(NODE, provision_state="active", power_state="power on")
    assert now["instance_info"]["configdrive"] == "******"
    disk = json.dumps(control(f"/machines/{machine['name']}"))
    assert image()["image_os_hash_value"] in disk, f"this is not the image that was asked for: {disk}"
    assert hashlib.sha256(USER_DATA).hexdigest() in disk, f"this is not the user_data that was sent: {disk}"


def walk_power():
    for verb, state in (
        ("power off --power-timeout 60", "power off"),
        ("power on", "power on"),
        ("reboot", "power on"),
    ):
        metal(f"node {verb} {NODE}")
        until(f"{NODE} to be {state}", lambda: idle(NODE)["power_state"] == state)
        expect(NODE, target_power_state=None, last_error=None)


def walk(machine):
    walk_enrol(machine)
    walk_deploy(machine)
    walk_power()
    metal(f"node undeploy {NODE} --wait 240")
    expect(NODE, provision_state="available", instance_info={}, instance_uuid=None)
    disk = json.dumps(control(f"/machines/{machine['name']}"))
    assert image()["image_os_hash_value"] not in disk, "the image is still on the disk"
    metal(f"node delete {NODE}")
    assert read(f"port list --address {machine['mac']}") == []
    refused(f"node show {NODE}", NODE, "could not be found")
