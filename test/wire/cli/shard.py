"""`openstack baremetal shard list` and the filters of nodes by shard."""

from commands import metal, read


def walk():
    metal("node create --driver fake-hardware --name cli-shard-a --shard walk-1")
    metal("node create --driver fake-hardware --name cli-shard-b")
    metal("node set cli-shard-b --shard walk-2")
    counts = {row["name"]: row["count"] for row in read("shard list")}
    assert counts["walk-1"] == 1 and counts["walk-2"] == 1, counts
    assert [row["name"] for row in read("node list --shards walk-1")] == ["cli-shard-a"]
    assert {row["name"] for row in read("node list --shards walk-1 walk-2")} == {"cli-shard-a", "cli-shard-b"}
    assert "cli-shard-a" in [row["name"] for row in read("node list --sharded")]
    metal("node unset cli-shard-a --shard")
    assert "cli-shard-a" in [row["name"] for row in read("node list --unsharded")]
    assert "walk-1" not in [row["name"] for row in read("shard list")]
    metal("node delete cli-shard-a cli-shard-b")
