"""`openstack baremetal port` and `port group`."""

from commands import metal, read, refused
from world import api


def walk_groups(node):
    group = read(
        f"port group create --node {node} --name cli-bond --address 52:54:00:0a:00:10 --mode active-backup --property miimon=100 --extra a=1 --physical-network left"
    )
    assert (group["name"], group["mode"], group["properties"]) == ("cli-bond", "active-backup", {"miimon": 100}), group
    uuid = group["uuid"]
    assert [row["uuid"] for row in read(f"port group list --node {node}")] == [uuid]
    assert [row["uuid"] for row in read("port group list --address 52:54:00:0a:00:10 --long")] == [uuid]
    assert {"uuid": uuid, "mode": "active-backup"} in read("port group list --fields uuid mode --sort uuid")
    assert read("port group show cli-bond")["uuid"] == uuid
    assert read("port group show --address 52:54:00:0a:00:10")["uuid"] == uuid
    metal("port group set cli-bond --mode 802.3ad --extra b=2 --property lacp_rate=fast --unsupport-standalone-ports")
    now = api("/v1/portgroups/cli-bond")
    assert now["mode"] == "802.3ad" and now["extra"] == {"a": 1, "b": 2}, now
    assert not now["standalone_ports_supported"] and now["properties"]["lacp_rate"] == "fast", now
    metal("port group unset cli-bond --extra a --property miimon --physical-network --address")
    now = api("/v1/portgroups/cli-bond")
    assert now["extra"] == {"b": 2} and "miimon" not in now["properties"], now
    assert now["physical_network"] is None and now["address"] is None, now
    refused(f"port group create --node {node} --name cli-bond", "cli-bond")
    refused("port group show nobond", "nobond", "could not be found")
    return uuid


def walk_ports(node, group):
    link = "--local-link-connection switch_id=0a:1b:2c:3d:4e:5f --local-link-connection port_id=Ethernet3/1"
    more = (
        "--name cli-port --description uplink --vendor acme --category blue --physical-network left --pxe-enabled false"
    )
    port = read(f"port create 52:54:00:0A:00:01 --node {node} --extra a=1 {link} {more} --port-group {group}")
    uuid = port["uuid"]
    assert port["address"] == "52:54:00:0a:00:01" and port["pxe_enabled"] is False, port
    assert port["local_link_connection"] == {"switch_id": "0a:1b:2c:3d:4e:5f", "port_id": "Ethernet3/1"}, port
    assert [row["uuid"] for row in read(f"port list --node {node}")] == [uuid]
    assert [row["uuid"] for row in read("port list --address 52:54:00:0a:00:01 --long")] == [uuid]
    assert [row["uuid"] for row in read("port list --port-group cli-bond --fields uuid")] == [uuid]
    assert read("port show --address 52:54:00:0a:00:01")["uuid"] == uuid
    assert read(f"port show {uuid} --fields name category") == {"name": "cli-port", "category": "blue"}
    metal(
        f"port set {uuid} --address 52:54:00:0a:00:02 --extra b=2 --pxe-enabled --description down --vendor other --category red"
    )
    now = api(f"/v1/ports/{uuid}")
    assert (now["address"], now["extra"], now["pxe_enabled"]) == ("52:54:00:0a:00:02", {"a": 1, "b": 2}, True), now
    assert (now["description"], now["vendor"], now["category"]) == ("down", "other", "red"), now
    metal(f"port unset {uuid} --extra a --port-group --physical-network --description --vendor --category")
    now = api(f"/v1/ports/{uuid}")
    assert now["extra"] == {"b": 2} and now["portgroup_uuid"] is None and now["physical_network"] is None, now
    refused(f"port unset {uuid} --local-link-connection port_id", "needs switch_id and port_id")
    metal(f"port unset {uuid} --local-link-connection port_id --local-link-connection switch_id")
    assert api(f"/v1/ports/{uuid}")["local_link_connection"] == {}
    assert now["description"] is None and now["vendor"] is None and now["category"] is None, now
    metal(f"port unset {uuid} --name")
    assert api(f"/v1/ports/{uuid}")["name"] is None
    refused(f"port create 52:54:00:0a:00:02 --node {node}", "52:54:00:0a:00:02", "already")
    refused(f"port create nonsense --node {node}", "address", "MAC")
    return uuid


def walk():
    node = read("node create --driver fake-hardware --name cli-port")["uuid"]
    other = read("node create --driver fake-hardware --name cli-port-other")["uuid"]
    group = walk_groups(node)
    port = walk_ports(node, group)
    metal(f"port set {port} --node {other}")
    assert [row["uuid"] for row in read("port list --node cli-port-other")] == [port]
    metal(f"port delete {port}")
    refused(f"port show {port}", port, "could not be found")
    metal("port group unset cli-bond --name")
    metal(f"port group delete {group}")
    refused(f"port group show {group}", group, "could not be found")
    metal("node delete cli-port cli-port-other")
