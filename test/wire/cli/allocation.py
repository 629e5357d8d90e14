"""`openstack baremetal allocation`: of a node that fits, of candidates that a trait narrows, and for a deployed node."""

from commands import metal, read, refused
from world import api, expect, idle, settled


def offer(name):
    metal(f"node create --driver fake-hardware --name {name} --resource-class walkable --owner someone")
    # Fake hardware has no power state before somebody asks for one, and who has none is not taken.
    metal(f"node power off {name}")
    idle(name)
    metal(f"node manage {name} --wait 60")
    metal(f"node provide {name}")
    settled(name, "available")


def walk():
    offer("cli-allocation-a")
    offer("cli-allocation-b")
    metal("node trait add cli-allocation-b CUSTOM_WALK")
    trait = "--resource-class walkable --trait CUSTOM_WALK"
    made = read(f"allocation create --name cli-first {trait} --extra for=walk --owner someone --wait 60")
    b = api("/v1/nodes/cli-allocation-b")
    assert (made["state"], made["node_uuid"], made["traits"]) == ("active", b["uuid"], ["CUSTOM_WALK"]), made
    expect("cli-allocation-b", allocation_uuid=made["uuid"], instance_uuid=made["uuid"])

    named = [row["name"] for row in read("allocation list --node cli-allocation-b --state active --owner someone")]
    assert named == ["cli-first"], named
    assert [row["uuid"] for row in read("allocation list --resource-class walkable --long")] == [made["uuid"]]
    assert read("allocation list --fields uuid state --sort uuid:desc --limit 5")
    metal("allocation set cli-first --name cli-renamed --extra floor=2")
    assert read("allocation show cli-renamed")["extra"] == {"for": "walk", "floor": 2}
    metal("allocation unset cli-renamed --extra for")
    assert read("allocation show cli-renamed --fields extra") == {"extra": {"floor": 2}}
    metal(f"allocation unset {made['uuid']} --name")
    assert read(f"allocation show {made['uuid']}")["name"] is None

    refused(f"allocation create --name cli-none {trait} --wait 60", "no available nodes match the resource class walkable", "CUSTOM_WALK")
    assert read("allocation show cli-none")["state"] == "error"
    refused("allocation create --name cli-none --resource-class walkable", "cli-none")
    candidates = "--candidate-node cli-allocation-a --candidate-node cli-allocation-b"
    other = read(f"allocation create --name cli-other --resource-class walkable {candidates} --wait 60")
    assert other["node_uuid"] == api("/v1/nodes/cli-allocation-a")["uuid"], other
    refused("node delete cli-allocation-a")

    metal(f"allocation delete cli-none cli-other {made['uuid']}")
    for name in ("cli-allocation-a", "cli-allocation-b"):
        expect(name, allocation_uuid=None, instance_uuid=None)
    refused("allocation show cli-other", "cli-other", "could not be found")

    metal(
        "node set cli-allocation-a --instance-info image_source=http://127.0.0.1/x --instance-info image_checksum="
        + "0" * 32
    )
    metal("node deploy cli-allocation-a")
    settled("cli-allocation-a", "active")
    metal("allocation create --name cli-backfill --resource-class walkable --node cli-allocation-a --wait 60")
    expect("cli-allocation-a", allocation_uuid=read("allocation show cli-backfill")["uuid"])
    metal("node undeploy cli-allocation-a")
    settled("cli-allocation-a", "available")
    refused("allocation show cli-backfill", "could not be found")
    metal("node delete cli-allocation-a cli-allocation-b")
