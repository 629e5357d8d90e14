"""The main job with openstacksdk. Called by walk.sh, which sets OS_ENDPOINT and control."""

import json
import os
import subprocess
import tempfile
import urllib.request

import openstack

CONTROL = os.environ["control"]
OTHER_DRIVE = {"meta_data": {"hostname": "sdk"}, "user_data": "#!/bin/sh\necho sdk\n", "network_data": {"links": [], "networks": [], "services": []}}


def control(path):
    with urllib.request.urlopen(CONTROL + path) as answer:
        return json.load(answer)


def step(text):
    print(f"sdk: {text}", flush=True)


def read_iso(image):
    """Lists and reads a configdrive with isoinfo and xorriso: neither shares code with Ingot."""
    with tempfile.NamedTemporaryFile(suffix=".iso") as file:
        file.write(image)
        file.flush()
        label = subprocess.run(["isoinfo", "-d", "-i", file.name], capture_output=True, text=True, check=True).stdout
        assert "Volume id: config-2" in label and "Joliet" in label and "Rock Ridge" in label, label
        text = subprocess.run(
            ["isoinfo", "-R", "-i", file.name, "-x", "/openstack/latest/user_data"], capture_output=True, text=True, check=True
        ).stdout
        tree = subprocess.run(
            ["xorriso", "-indev", file.name, "-find", "/", "-type", "f"], capture_output=True, text=True, check=True
        ).stdout
        assert "'/openstack/latest/meta_data.json'" in tree, tree
        return text


def main():
    metal = openstack.connect(auth_type="none", baremetal_endpoint_override=os.environ["OS_ENDPOINT"]).baremetal
    inventory = control("/machines")
    machine, images = inventory["machines"][1], inventory["images"]

    step("discovery, drivers, conductors")
    assert {driver.name for driver in metal.drivers()} >= {"redfish", "fake-hardware"}
    assert list(metal.conductors())

    step("create and make available")
    node = metal.create_node(
        name="sdk-real",
        driver="redfish",
        driver_info={
            "redfish_address": machine["address"],
            "redfish_system_id": machine["system_id"],
            "redfish_username": machine["username"],
            "redfish_password": machine["password"],
            "redfish_verify_ca": machine["certificate"],
            "deploy_iso": images["deploy_iso"],
        },
    )
    port = metal.create_port(node_id=node.id, address=machine["mac"])
    assert [found.id for found in metal.ports(node=node.id)] == [port.id]
    metal.set_node_provision_state(node, "manage", wait=True, timeout=60)
    metal.set_node_provision_state(node, "provide", wait=True, timeout=240)

    step("update, validate, deploy with a configdrive object")
    demo = images["demo_raw"]
    node = metal.update_node(
        node,
        instance_info={
            "image_source": demo["url"],
            "image_os_hash_algo": "sha256",
            "image_os_hash_value": demo["sha256"],
            "image_disk_format": "raw",
        },
    )
    metal.validate_node(node)
    metal.set_node_provision_state(node, "active", config_drive=OTHER_DRIVE, wait=True, timeout=240)
    disk = json.dumps(control(f"/machines/{machine['name']}"))
    assert demo["sha256"] in disk, disk
    with urllib.request.urlopen(f"{CONTROL}/machines/{machine['name']}/configdrive") as answer:
        assert read_iso(answer.read()) == OTHER_DRIVE["user_data"]

    step("lists")
    assert [found.id for found in metal.nodes(provision_state="active")] == [node.id]
    assert [found.name for found in metal.nodes(details=True)] == ["sdk-real"]
    assert metal.find_node("sdk-real").id == node.id

    step("power")
    metal.set_node_power_state(node, "power off", wait=True, timeout=60)
    assert metal.get_node(node.id).power_state == "power off"
    metal.set_node_power_state(node, "power on", wait=True, timeout=60)

    step("undeploy and delete")
    metal.set_node_provision_state(node, "deleted", wait=True, timeout=240)
    assert metal.get_node(node.id).instance_info == {}
    metal.delete_node(node)
    assert metal.find_node("sdk-real") is None

    step("fake-hardware, from create to delete")
    fake = metal.create_node(name="sdk-fake", driver="fake-hardware", provision_state="available")
    fake = metal.wait_for_nodes_provision_state([fake], "available")[0]
    metal.update_node(fake, instance_info={"image_source": "http://127.0.0.1/none.raw", "image_checksum": "0" * 32})
    metal.set_node_provision_state(fake, "active", config_drive=OTHER_DRIVE, wait=True)
    metal.set_node_power_state(fake, "power off", wait=True)
    metal.set_node_provision_state(fake, "deleted", wait=True)
    metal.delete_node(fake)
    assert list(metal.nodes()) == []


main()
