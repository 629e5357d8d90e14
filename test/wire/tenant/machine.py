"""Machines for tenants: enrolled by the operator with `openstack baremetal`, with a flavor that means them and no others."""

from commands import metal, read
from tenant.client import operator
from world import driver_info, expect, options

# What a flavor of a class says of the standard classes, which machines have none of.
NONE = {"resources:VCPU": "0", "resources:MEMORY_MB": "0", "resources:DISK_GB": "0"}


def second_card(machine: dict) -> str:
    """The MAC address of a card that the simulator does not know, and no one asks it about."""
    return machine["mac"].replace("52:54:01:", "52:54:09:")


def node_name(name: str) -> str:
    return name.replace("tenant-", "rack-")


def enrol(name: str, machine: dict) -> str:
    """A node with two network cards, available, of a class of this name, which tenants see; its own they do not. Its UUID."""
    info = driver_info(machine)
    node = node_name(name)
    uuid = read(
        f"node create --driver redfish --name {node} --resource-class {name} --rescue-interface agent --network-interface flat",
        *options("driver-info", info),
        *options("property", {"cpu_arch": "x86_64", "local_gb": "100", "capabilities": "boot_mode:uefi"}),
    )["uuid"]
    metal(f"port create {machine['mac']} --node {uuid}")
    metal(f"port create {second_card(machine)} --node {uuid}")
    metal(f"node manage {node} --wait 60")
    metal(f"node provide {node} --wait 240")
    expect(node, provision_state="available", resource_class=name)
    return uuid



def make_flavor(name: str, *more: str) -> str:
    """A flavor for the machines of this class; its id."""
    specs = {f"resources:CUSTOM_{name.upper().replace('-', '_')}": "1", **NONE}
    command = f"flavor create {name} --ram 4096 --disk 20 --vcpus 4 --id {name}"
    return operator().read(command, *options("property", specs), *more)["id"]


def remove(name: str) -> None:
    """Takes the node away, whose server is gone, with its flavor."""
    operator().do(f"flavor delete {name}")
    metal(f"node delete {node_name(name)}")
