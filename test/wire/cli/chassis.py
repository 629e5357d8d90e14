"""`openstack baremetal chassis`."""

from commands import metal, read, refused
from world import api


def walk():
    uuid = read("chassis create --description walk --extra rack=7 --extra row=1")["uuid"]
    assert read(f"chassis show {uuid}")["extra"] == {"rack": 7, "row": 1}
    assert read(f"chassis show {uuid} --fields uuid description") == {"uuid": uuid, "description": "walk"}
    assert {"uuid": uuid, "description": "walk"} in read("chassis list")
    assert uuid in [row["uuid"] for row in read("chassis list --long --sort description:desc")]
    assert uuid in [row["uuid"] for row in read("chassis list --fields uuid extra --limit 0")]

    metal(f"chassis set {uuid} --description moved --extra rack=8")
    assert api(f"/v1/chassis/{uuid}")["extra"]["rack"] == 8
    metal(f"chassis unset {uuid} --description --extra rack")
    now = api(f"/v1/chassis/{uuid}")
    assert now["extra"] == {"row": 1} and now["description"] is None, now

    metal(f"node create --driver fake-hardware --name cli-chassis --chassis-uuid {uuid}")
    assert [row["name"] for row in read(f"node list --chassis {uuid}")] == ["cli-chassis"]
    refused(f"chassis delete {uuid}", uuid, "node")
    metal("node unset cli-chassis --chassis-uuid")
    assert read(f"node list --chassis {uuid}") == []
    metal("node delete cli-chassis")
    metal(f"chassis delete {uuid}")
    refused(f"chassis show {uuid}", uuid, "could not be found")
