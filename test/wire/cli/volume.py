"""`openstack baremetal volume connector` and `volume target`."""

from commands import metal, read, refused
from world import api, idle


def walk_connectors(node):
    made = read(f"volume connector create --node {node} --type iqn --connector-id iqn.2017-08.walk:1 --extra a=1")
    uuid = made["uuid"]
    assert (made["type"], made["connector_id"], made["extra"]) == ("iqn", "iqn.2017-08.walk:1", {"a": 1}), made
    assert [row["uuid"] for row in read(f"volume connector list --node {node}")] == [uuid]
    assert uuid in [row["uuid"] for row in read("volume connector list --long --sort uuid:desc")]
    assert [row["type"] for row in read("volume connector list --node cli-volume --fields type")] == ["iqn"]
    metal(f"volume connector set {uuid} --connector-id iqn.2017-08.walk:2 --extra b=2")
    assert read(f"volume connector show {uuid}")["connector_id"] == "iqn.2017-08.walk:2"
    metal(f"volume connector unset {uuid} --extra a")
    assert read(f"volume connector show {uuid} --fields extra") == {"extra": {"b": 2}}
    refused(f"volume connector create --node {node} --type iqn --connector-id iqn.2017-08.walk:2", "iqn.2017-08.walk:2")
    metal(f"volume connector delete {uuid}")
    refused(f"volume connector show {uuid}", uuid, "could not be found")


def walk_targets(node):
    words = f"--node {node} --type iscsi --volume-id vol-1"
    made = read(
        f"volume target create {words} --boot-index 0 --property target_portal=10.0.0.1:3260 --property auth_password=secret --extra a=1"
    )
    uuid = made["uuid"]
    assert made["properties"] == {"target_portal": "10.0.0.1:3260", "auth_password": "******"}, made
    assert [row["uuid"] for row in read(f"volume target list --node {node}")] == [uuid]
    assert uuid in [row["uuid"] for row in read("volume target list --long --limit 0")]
    assert [row["boot_index"] for row in read(f"volume target list --node {node} --fields boot_index")] == [0]
    metal(f"volume target set {uuid} --volume-id vol-2 --boot-index 1 --property target_lun=3 --extra b=2")
    now = api(f"/v1/volume/targets/{uuid}")
    assert (now["volume_id"], now["boot_index"], now["properties"]["target_lun"]) == ("vol-2", 1, 3), now
    metal(f"volume target unset {uuid} --extra a --property target_lun")
    now = read(f"volume target show {uuid} --fields extra properties")
    assert now["extra"] == {"b": 2} and "target_lun" not in now["properties"], now
    refused(f"volume target create {words} --boot-index 1", "1", "already")
    metal(f"volume target delete {uuid}")
    refused(f"volume target show {uuid}", uuid, "could not be found")


def walk():
    node = read("node create --driver fake-hardware --name cli-volume")["uuid"]
    metal("node power off cli-volume")
    idle("cli-volume")
    walk_connectors(node)
    walk_targets(node)
    metal("node delete cli-volume")
