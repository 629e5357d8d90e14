"""`openstack baremetal inspection rule`."""

import json

from commands import metal, read, refused
from world import api

ACTIONS = [{"op": "set-attribute", "args": {"path": "/extra/walked", "value": "yes"}}]
CONDITIONS = [{"op": "eq", "args": {"values": ["{node.name}", "nobody"]}}]


def walk():
    made = read(
        "inspection rule create --description walk --priority 7 --phase main --conditions",
        json.dumps(CONDITIONS),
        "--actions",
        json.dumps(ACTIONS),
    )
    uuid = made["uuid"]
    assert (made["description"], made["priority"], made["phase"]) == ("walk", 7, "main"), made
    shown = api(f"/v1/inspection_rules/{uuid}")
    assert shown["actions"][0]["op"] == "set-attribute" and shown["conditions"][0]["op"] == "eq", shown
    assert uuid in [row["uuid"] for row in read("inspection rule list --long")]
    assert {"uuid": uuid, "priority": 7} in read("inspection rule list --fields uuid priority")
    metal(f"inspection rule set {uuid} --description moved --priority 9 --conditions", json.dumps([]))
    now = read(f"inspection rule show {uuid}")
    assert (now["description"], now["priority"], now["conditions"]) == ("moved", 9, []), now
    metal(f"inspection rule unset {uuid} --description --priority")
    now = read(f"inspection rule show {uuid} --fields description priority")
    assert now == {"description": None, "priority": 0}, now
    secret = read("inspection rule create --sensitive true --actions", json.dumps(ACTIONS))
    assert "walked" not in json.dumps(secret), secret
    refused('inspection rule create --actions \'[{"op": "explode", "args": {}}]\'', "explode")
    metal(f"inspection rule delete {uuid} {secret['uuid']}")
    refused(f"inspection rule show {uuid}", uuid, "could not be found")
