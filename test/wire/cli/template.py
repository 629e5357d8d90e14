"""`openstack baremetal deploy template`."""

import json

from commands import metal, read, refused
from world import api

STEP = {"interface": "management", "step": "set_boot_mode", "args": {"mode": "uefi"}, "priority": 60}


def walk():
    steps = json.dumps([STEP])
    made = read("deploy template create CUSTOM_CLI_A --extra a=1 --steps", steps)
    uuid = made["uuid"]
    assert made["steps"] == [STEP], made
    assert {"uuid": uuid, "name": "CUSTOM_CLI_A"} in read("deploy template list")
    assert [STEP] in [row["steps"] for row in read("deploy template list --long")]
    assert "CUSTOM_CLI_A" in [row["name"] for row in read("deploy template list --fields name --sort name")]
    metal(
        "deploy template set CUSTOM_CLI_A --name CUSTOM_CLI_B --extra b=2 --steps",
        json.dumps([STEP | {"priority": 90}]),
    )
    now = api("/v1/deploy_templates/CUSTOM_CLI_B")
    assert now["uuid"] == uuid and now["steps"][0]["priority"] == 90, now
    metal(f"deploy template unset {uuid} --extra a")
    assert read(f"deploy template show {uuid} --fields extra") == {"extra": {"b": 2}}
    refused(f"deploy template create CUSTOM_CLI_B --steps '{steps}'", "CUSTOM_CLI_B", "already exists")
    refused(f"deploy template create nocustom --steps '{steps}'", "name")
    refused('deploy template create CUSTOM_CLI_C --steps \'[{"interface": "kitchen"}]\'', "steps", "interface")
    metal("deploy template delete CUSTOM_CLI_B")
    refused(f"deploy template show {uuid}", uuid, "could not be found")
