"""`openstack baremetal node inspect`, by the BMC and by the agent, with a rule, and the inventory that comes out."""

import json
import os

from commands import metal, read, refused
from world import driver_info, expect, options

NODE = "cli-inspection"
FILE = os.path.join(os.environ["work"], "inventory.json")
MARK = json.dumps([{"op": "set-attribute", "args": {"path": "extra/walked", "value": "yes"}}])


def walk(machine):
    metal(f"node create --driver redfish --name {NODE}", *options("driver-info", driver_info(machine)))
    metal(f"node manage {NODE} --wait 60")
    refused(f"node inventory save {NODE}", "not inspected yet")
    metal(f"node inspect {NODE} --wait 120")
    assert expect(NODE, provision_state="manageable", last_error=None)["properties"]["cpu_arch"] == "x86_64"
    assert machine["mac"] in [row["address"] for row in read(f"port list --node {NODE}")]
    metal(f"node inventory save {NODE} --file {FILE}")
    with open(FILE) as file:
        assert "inventory" in json.load(file)

    condition = json.dumps([{"op": "eq", "args": {"values": ["{node.uuid}", expect(NODE)["uuid"]]}}])
    rule = read("inspection rule create --conditions", condition, "--actions", MARK)["uuid"]
    metal(f"node set {NODE} --inspect-interface agent")
    metal(f"node inspect {NODE} --wait 240")
    expect(NODE, provision_state="manageable", last_error=None, extra={"walked": "yes"})
    inventory = json.loads(metal(f"node inventory save {NODE}"))["inventory"]
    assert [card["mac_address"] for card in inventory["interfaces"]] == [machine["mac"]], inventory
    metal(f"inspection rule delete {rule}")
    metal(f"node delete {NODE}")
