"""What `openstack baremetal node` tells a BMC besides power: boot device and mode, secure boot, NMI, BIOS, firmware."""

import json

from commands import metal, read, refused
from world import control, driver_info, expect, idle, node, options, settled, until

NODE = "cli-hardware"


def walk_boot(name):
    assert "disk" in read(f"node boot device show {NODE} --supported")["supported_boot_devices"]
    metal(f"node boot device set {NODE} disk --persistent")
    idle(NODE)
    assert read(f"node boot device show {NODE}") == {"boot_device": "disk", "persistent": True}
    refused(f"node boot device set {NODE} wanboot", "wanboot")
    for mode in ("bios", "uefi"):
        metal(f"node boot mode set {NODE} {mode}")
        until(f"boot mode {mode}", lambda: idle(NODE)["boot_mode"] == mode)
    for word, value in (("on", True), ("off", False)):
        metal(f"node secure boot {word} {NODE}")
        until(f"secure boot {word}", lambda: idle(NODE)["secure_boot"] is value)


def walk_interrupt():
    metal(f"node inject nmi {NODE}")
    told = [row["event"] for row in read(f"node history list {NODE} --long")]
    idle(NODE)
    assert any("NMI" in (event or "") or "interrupt" in (event or "") for event in told), told[-5:]


def walk_settings():
    settings = {row["name"]: row for row in read(f"node bios setting list {NODE} --long")}
    assert settings, "the BMC has no BIOS settings"
    name = sorted(settings)[0]
    assert read(f"node bios setting show {NODE} {name}")["value"] == settings[name]["value"]
    assert [row["name"] for row in read(f"node bios setting list {NODE} --fields name")]
    refused(f"node bios setting show {NODE} NoSuchSetting", "NoSuchSetting")
    components = read(f"node firmware list {NODE}")
    assert "bmc" in [row["component"] for row in components], components


def walk_passthru():
    methods = {row["Name"] for row in read(f"node passthru list {NODE}")}
    assert methods >= {"eject_vmedia", "create_subscription"}, methods
    metal(f"node passthru call {NODE} eject_vmedia")
    idle(NODE)
    refused(f"node console show {NODE}", "console")


def walk(machine):
    metal(f"node create --driver redfish --name {NODE}", *options("driver-info", driver_info(machine)))
    metal(f"node manage {NODE} --wait 60")
    walk_settings()
    walk_boot(machine["name"])
    metal(f"node power on {NODE}")
    until(f"{NODE} to be on", lambda: idle(NODE)["power_state"] == "power on")
    walk_interrupt()
    walk_passthru()
    steps = [{"interface": "management", "step": "set_boot_device", "args": {"boot_device": "pxe"}}]
    metal(f"node clean {NODE} --disable-ramdisk --clean-steps", json.dumps(steps))
    settled(NODE, "manageable")
    expect(NODE, last_error=None)
    metal(f"node delete {NODE}")
