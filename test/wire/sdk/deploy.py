"""The main job with openstacksdk, on a machine with a BMC, with a configdrive that tools of others can read."""

import json
import subprocess
import tempfile
import urllib.request

from sdk.calls import connect
from world import CONTROL, control, driver_info, image

DRIVE = {
    "meta_data": {"hostname": "sdk"},
    "user_data": "#!/bin/sh\necho sdk\n",
    "network_data": {"links": [], "networks": [], "services": []},
}


def tool(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def read_iso(data):
    """Its user_data, with isoinfo and xorriso: neither shares code with Ingot."""
    with tempfile.NamedTemporaryFile(suffix=".iso") as file:
        file.write(data)
        file.flush()
        label = tool("isoinfo", "-d", "-i", file.name)
        assert "Volume id: config-2" in label and "Joliet" in label and "Rock Ridge" in label, label
        tree = tool("xorriso", "-indev", file.name, "-find", "/", "-type", "f")
        assert "'/openstack/latest/meta_data.json'" in tree, tree
        return tool("isoinfo", "-R", "-i", file.name, "-x", "/openstack/latest/user_data")


def walk(machine):
    metal = connect()
    node = metal.create_node(name="sdk-deploy", driver="redfish", driver_info=driver_info(machine))
    port = metal.create_port(node_id=node.id, address=machine["mac"])
    assert [found.id for found in metal.ports(node=node.id)] == [port.id]
    metal.set_node_provision_state(node, "manage", wait=True, timeout=60)
    metal.set_node_provision_state(node, "provide", wait=True, timeout=240)

    node = metal.update_node(node, instance_info=image())
    metal.validate_node(node)
    metal.set_node_provision_state(node, "active", config_drive=DRIVE, wait=True, timeout=240)
    disk = json.dumps(control(f"/machines/{machine['name']}"))
    assert image()["image_os_hash_value"] in disk, disk
    with urllib.request.urlopen(f"{CONTROL}/machines/{machine['name']}/configdrive") as answer:
        assert read_iso(answer.read()) == DRIVE["user_data"]

    metal.set_node_power_state(node, "power off", wait=True, timeout=60)
    assert metal.get_node(node.id).power_state == "power off"
    metal.set_node_power_state(node, "power on", wait=True, timeout=60)
    metal.set_node_provision_state(node, "deleted", wait=True, timeout=240)
    assert metal.get_node(node.id).instance_info == {}
    metal.delete_node(node)
    assert metal.find_node("sdk-deploy") is None
