"""`openstack baremetal runbook`: its life, its traits, and what it does to a node that has one of them."""

import json

from commands import metal, read, refused
from world import api, settled

STEPS = [{"interface": "raid", "step": "delete_configuration", "args": {}, "order": 1}]


def walk_record():
    made = read(
        "runbook create --name cli-runbook --description walk --owner someone --extra a=1 --steps", json.dumps(STEPS)
    )
    uuid = made["uuid"]
    assert made["steps"] == STEPS and made["owner"] == "someone" and made["public"] is False, made
    assert "cli-runbook" in [row["name"] for row in read("runbook list")]
    assert STEPS in [row["steps"] for row in read("runbook list --long --sort name")]
    assert "cli-runbook" in [row["name"] for row in read("runbook list --fields name --limit 0")]
    metal("runbook set cli-runbook --name cli-runbook-b --description moved --extra b=2 --disable-ramdisk true")
    now = api(f"/v1/runbooks/{uuid}")
    assert (now["name"], now["description"], now["disable_ramdisk"]) == ("cli-runbook-b", "moved", True), now
    metal(f"runbook unset {uuid} --description --owner --extra a --disable-ramdisk")
    now = read(f"runbook show {uuid}")
    assert (now["description"], now["owner"], now["extra"], now["disable_ramdisk"]) == (
        None,
        None,
        {"b": 2},
        False,
    ), now
    metal(f"runbook set {uuid} --public true")
    assert api(f"/v1/runbooks/{uuid}")["public"] is True
    metal(f"runbook unset {uuid} --public")
    assert read(f"runbook show {uuid} --fields public") == {"public": False}
    refused(f"runbook create --name cli-runbook-b --steps '{json.dumps(STEPS)}'", "cli-runbook-b", "already exists")
    return uuid


def walk_traits(uuid):
    metal(f"runbook trait add {uuid} CUSTOM_CLI_X CUSTOM_CLI_Y")
    assert sorted(row["traits"] for row in read(f"runbook trait list {uuid}")) == ["CUSTOM_CLI_X", "CUSTOM_CLI_Y"]
    metal(f"runbook trait remove {uuid} CUSTOM_CLI_X")
    assert api(f"/v1/runbooks/{uuid}/traits")["traits"] == ["CUSTOM_CLI_Y"]
    refused(f"runbook trait add {uuid} lower", "lower")


def walk_run(uuid):
    metal("node create --driver fake-hardware --name cli-runbook-node")
    metal("node manage cli-runbook-node --wait 60")
    refused("node clean cli-runbook-node --runbook cli-runbook-b", "trait")
    metal("node trait add cli-runbook-node CUSTOM_CLI_Y")
    metal("node clean cli-runbook-node --runbook cli-runbook-b")
    settled("cli-runbook-node", "manageable")
    told = [row["event"] for row in read("node history list cli-runbook-node --long")]
    assert any(event.startswith("RunStep done: ") for event in told), told
    metal("node delete cli-runbook-node")
    metal(f"runbook trait remove {uuid} --all")
    assert read(f"runbook trait list {uuid}") == []


def walk():
    uuid = walk_record()
    walk_traits(uuid)
    walk_run(uuid)
    metal(f"runbook delete {uuid}")
    refused(f"runbook show {uuid}", uuid, "could not be found")
