"""What openstacksdk tells a BMC: boot device and mode, secure boot, NMI, virtual media; and what it reads of it."""

from sdk.calls import connect
from world import control, driver_info, until


def walk_boot(metal, node):
    assert "disk" in metal.get_node_supported_boot_devices(node)["supported_boot_devices"]
    metal.set_node_boot_device(node, "disk", persistent=True)
    metal.wait_for_node_reservation(node, timeout=60)
    assert metal.get_node_boot_device(node) == {"boot_device": "disk", "persistent": True}
    metal.set_node_boot_mode(node, "uefi")
    until("boot mode uefi", lambda: metal.get_node(node.id).boot_mode == "uefi")
    metal.wait_for_node_reservation(node, timeout=60)
    for wanted in (True, False):
        metal.set_node_secure_boot(node, wanted)
        until(f"secure boot {wanted}", lambda: metal.get_node(node.id).is_secure_boot is wanted)
        metal.wait_for_node_reservation(node, timeout=60)


def media_of(machine):
    media = control(f"/machines/{machine['name']}")["media"]
    return [slot["image"] for slot in media.values() if slot]


def walk_media(metal, node, machine):
    image = control("/machines")["images"]["live_iso"]
    metal.attach_vmedia_to_node(node, "cdrom", image)
    until("the medium", lambda: image in media_of(machine))
    metal.wait_for_node_reservation(node, timeout=60)
    metal.detach_vmedia_from_node(node, ["cdrom"])
    until("no medium", lambda: image not in media_of(machine))
    metal.wait_for_node_reservation(node, timeout=60)


def walk(machine):
    metal = connect()
    node = metal.create_node(
        name="sdk-hardware", driver="redfish", driver_info=driver_info(machine), provision_state="manageable"
    )
    assert node.provision_state == "manageable"
    assert "bmc" in [row["component"] for row in metal.list_node_firmware(node)["firmware"]]
    walk_boot(metal, node)
    walk_media(metal, node, machine)
    metal.set_node_power_state(node, "power on", wait=True, timeout=60)
    metal.wait_for_node_reservation(node, timeout=60)
    metal.inject_nmi_to_node(node)
    metal.wait_for_node_reservation(node, timeout=60)
    metal.set_node_provision_state(node, "inspect", wait=True, timeout=120)
    assert metal.get_node_inventory(node)["inventory"]["interfaces"]
    metal.delete_node(node)
