"""`openstack baremetal node`: making, finding, changing and removing nodes."""

import json
import uuid as uuids

from commands import metal, read, refused
from world import api, expect

# Fields that came after 1.31.
LATER = {"rescue_interface", "storage_interface", "traits", "owner", "lessee", "shard", "firmware_interface"}
FAKE = "node create --driver fake-hardware"


def names(command):
    return [row["name"] for row in read(f"node list {command}")]


def walk_create():
    made = read(
        f"{FAKE} --name cli-node --resource-class baremetal --conductor-group '' --owner us --lessee them --description one --property cpu_arch=x86_64 --extra rack=7 --driver-info fake_key=1 --no-automated-clean --console-interface fake --instance-name cli-first-instance --disable-power-off"
    )
    wanted = {
        "name": "cli-node",
        "owner": "us",
        "lessee": "them",
        "description": "one",
        "extra": {"rack": 7},
        "automated_clean": False,
        "console_interface": "fake",
        "instance_name": "cli-first-instance",
        "disable_power_off": True,
    }
    assert {key: made[key] for key in wanted} == wanted, made
    assert made["provision_state"] == "enroll", made
    fixed = str(uuids.uuid4())
    network = json.dumps({"links": [], "networks": [], "services": []})
    refused(f"{FAKE} --parent-node {made['uuid']}", made["uuid"], "another owner")
    other = read(
        f"{FAKE} --name cli-node-b --owner us --uuid {fixed} --parent-node {made['uuid']} --network-data", network
    )
    assert other["uuid"] == fixed and other["parent_node"] == made["uuid"], other
    refused(f"{FAKE} --name cli-node", "cli-node", "already exists")
    refused("node create --driver nonesuch", "nonesuch", "fake-hardware")
    refused(f"{FAKE} --boot-interface pxe", "boot_interface", "pxe")
    return made["uuid"], fixed


def walk_list(uuid, other):
    assert "cli-node" in names("") and "cli-node-b" not in names("")
    assert set(names("--include-children --owner us")) == {"cli-node", "cli-node-b"}
    assert names(f"--parent-node {uuid}") == ["cli-node-b"]
    assert names("--lessee them --driver fake-hardware --resource-class baremetal --provision-state enroll") == [
        "cli-node"
    ]
    assert names("--description-contains on --owner us --unassociated --no-maintenance --no-retired --long") == [
        "cli-node"
    ]
    assert names("--instance-name cli-first-instance") == ["cli-node"]
    assert names("--owner us --conductor ingot --sort uuid:desc --limit 0") == ["cli-node"]
    assert names(f"--include-children --marker {uuid} --limit 1") != ["cli-node"]
    assert read("node list --owner us --fields uuid driver") == [{"uuid": uuid, "driver": "fake-hardware"}]
    refused("node list --provision-state sleepy", "provision_state", "enroll")
    assert other in str(read("node children list cli-node"))


def walk_set():
    instance = str(uuids.uuid4())
    metal(
        f"node set cli-node --instance-uuid {instance} --name cli-renamed --extra row=1 --property memory_mb=1024 --instance-info root_gb=10 --owner you --shard cli-x --enable-power-off --automated-clean --retired --retired-reason old --bios-interface no-bios --instance-name cli-instance"
    )
    expect(
        "cli-renamed",
        instance_uuid=instance,
        extra={"rack": 7, "row": 1},
        owner="you",
        shard="cli-x",
        retired=True,
        retired_reason="old",
        bios_interface="no-bios",
        automated_clean=True,
        disable_power_off=False,
        instance_name="cli-instance",
        instance_info={"root_gb": 10},
    )
    assert names("--retired") == ["cli-renamed"] and names("--associated --owner you") == ["cli-renamed"]
    assert read(f"node show --instance {instance}")["name"] == "cli-renamed"
    assert read(f"node show --instance {instance} --fields name") == {"name": "cli-renamed"}
    metal(
        "node unset cli-renamed --instance-uuid --instance-name --extra rack --property memory_mb --instance-info root_gb --owner --lessee --shard --retired --bios-interface --description --automated-clean --resource-class --driver-info fake_key"
    )
    expect(
        "cli-renamed",
        instance_uuid=None,
        instance_name=None,
        extra={"row": 1},
        properties={"cpu_arch": "x86_64"},
        instance_info={},
        owner=None,
        lessee=None,
        shard=None,
        retired=False,
        retired_reason=None,
        bios_interface="fake",
        description=None,
        automated_clean=None,
        resource_class=None,
        driver_info={},
    )
    metal("node set cli-renamed --console-interface no-console")
    metal("node set cli-renamed --driver fake-hardware --reset-interfaces")
    expect("cli-renamed", console_interface="fake")
    metal("node unset cli-node-b --parent-node --network-data")
    expect("cli-node-b", parent_node=None, network_data={})
    refused("node set cli-renamed --driver nonesuch", "nonesuch")
    refused("node set cli-renamed --instance-uuid nonsense", "instance_uuid")
    refused("node set nobody --extra a=1", "nobody", "could not be found")


def walk_maintenance():
    metal("node maintenance set cli-renamed --reason walking")
    expect("cli-renamed", maintenance=True, maintenance_reason="walking")
    assert names("--maintenance") == ["cli-renamed"]
    metal("node maintenance unset cli-renamed")
    expect("cli-renamed", maintenance=False, maintenance_reason=None)


def walk_raid():
    disks = {"logical_disks": [{"size_gb": "MAX", "raid_level": "1"}]}
    metal("node set cli-renamed --target-raid-config", json.dumps(disks))
    expect("cli-renamed", target_raid_config=disks)
    metal("node unset cli-renamed --target-raid-config")
    expect("cli-renamed", target_raid_config={})
    refused("node set cli-renamed --target-raid-config '{\"logical_disks\": [{}]}'", "logical_disks.0.raid_level")


def walk_traits():
    metal("node trait add cli-renamed CUSTOM_CLI_ONE HW_CPU_X86_VMX")
    metal("node add trait cli-renamed CUSTOM_CLI_TWO")
    assert sorted(row["traits"] for row in read("node trait list cli-renamed")) == [
        "CUSTOM_CLI_ONE",
        "CUSTOM_CLI_TWO",
        "HW_CPU_X86_VMX",
    ]
    metal("node trait remove cli-renamed CUSTOM_CLI_ONE")
    metal("node remove trait cli-renamed CUSTOM_CLI_TWO")
    assert api("/v1/nodes/cli-renamed/traits")["traits"] == ["HW_CPU_X86_VMX"]
    refused("node trait remove cli-renamed CUSTOM_CLI_ONE", "CUSTOM_CLI_ONE")
    refused("node trait add cli-renamed nonsense", "nonsense")
    metal("node trait remove cli-renamed --all")
    assert read("node trait list cli-renamed") == []


def walk_old_versions():
    """What older clients see: names and states as they were, and no field that came later."""
    old = read("node show cli-renamed", version="1.31")
    assert (old["name"], old["provision_state"], old["boot_interface"]) == ("cli-renamed", "enroll", "fake"), old
    assert not LATER & old.keys(), LATER & old.keys()
    assert "cli-renamed" in [row["name"] for row in read("node list", version="1.31")]
    uuid = api("/v1/nodes/cli-renamed")["uuid"]
    first = read(f"node show {uuid}", version="1.1")
    assert (first["uuid"], first["driver"], first["provision_state"]) == (uuid, "fake-hardware", "enroll"), first
    assert not (LATER | {"name", "boot_interface", "inspection_started_at"}) & first.keys(), first
    assert uuid in [row["uuid"] for row in read("node list --fields uuid", version="1.8")]
    assert uuid in [row["uuid"] for row in read("node list", version="1.1")]
    refused("node show cli-renamed", "cli-renamed", version="1.1")
    refused("node trait list cli-renamed", "1.31", version="1.31")


def walk():
    uuid, other = walk_create()
    walk_list(uuid, other)
    walk_set()
    walk_maintenance()
    walk_raid()
    walk_traits()
    walk_old_versions()
    metal("node unset cli-renamed --name")
    refused("node show cli-renamed", "cli-renamed", "could not be found")
    metal(f"node delete {uuid} cli-node-b")
    refused(f"node delete {uuid}", uuid, "could not be found")
