"""Adopting, rescuing and giving back a machine that runs already, with `openstack baremetal`."""

import json

from commands import metal, refused
from world import RESCUE_PASSWORD, control, driver_info, expect, node, options, settled

NODE = "cli-rescue"


def walk(machine):
    metal(
        f"node create --driver redfish --name {NODE} --rescue-interface agent",
        *options("driver-info", driver_info(machine)),
    )
    metal(f"port create {machine['mac']} --node {node(NODE)['uuid']}")
    metal(f"node manage {NODE} --wait 60")
    metal(f"node adopt {NODE} --wait 60")
    expect(NODE, provision_state="active")
    refused(f"node rescue {NODE} --rescue-password ''", "rescue_password")
    metal(f"node rescue {NODE} --rescue-password {RESCUE_PASSWORD} --wait 240")
    expect(NODE, provision_state="rescue", power_state="power on")
    assert RESCUE_PASSWORD not in json.dumps(node(NODE))
    assert control(f"/machines/{machine['name']}")["phase"] == "ramdisk"
    metal(f"node unrescue {NODE} --wait 240")
    expect(NODE, provision_state="active", power_state="power on", last_error=None)
    metal(f"node undeploy {NODE}")
    settled(NODE, "available", 240)
    metal(f"node delete {NODE}")
