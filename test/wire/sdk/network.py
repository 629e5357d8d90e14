"""Ports and port groups with openstacksdk."""

from sdk.calls import connect

ADDRESS = "52:54:00:0c:00:01"


def walk_groups(metal, node):
    group = metal.create_port_group(node_id=node.id, name="sdk-bond", address="52:54:00:0c:00:10", mode="active-backup")
    assert metal.get_port_group("sdk-bond").id == group.id
    assert metal.get_port_group(group.id, fields=["mode"]).mode == "active-backup"
    assert metal.find_port_group("sdk-bond").id == group.id
    assert metal.find_port_group("sdk-nobond") is None
    assert [found.id for found in metal.port_groups(node=node.id)] == [group.id]
    assert [found.mode for found in metal.port_groups(node=node.id, details=True)] == ["active-backup"]
    metal.update_port_group(group, mode="802.3ad")
    group = metal.patch_port_group(group, [{"op": "add", "path": "/extra/a", "value": 1}])
    assert (metal.get_port_group(group.id).mode, metal.get_port_group(group.id).extra) == ("802.3ad", {"a": 1})
    return group


def walk_ports(metal, node, group):
    port = metal.create_port(node_id=node.id, address=ADDRESS, port_group_id=group.id)
    assert metal.get_port(port.id).address == ADDRESS
    assert metal.get_port(port.id, fields=["address"]).address == ADDRESS
    assert metal.find_port(port.id).id == port.id
    assert metal.find_port("00000000-0000-0000-0000-000000000000") is None
    assert [found.id for found in metal.ports(address=ADDRESS)] == [port.id]
    assert [found.port_group_id for found in metal.ports(details=True, node=node.id)] == [group.id]
    metal.update_port(port, extra={"a": 1})
    metal.patch_port(port, [{"op": "add", "path": "/extra/b", "value": 2}])
    assert metal.get_port(port.id).extra == {"a": 1, "b": 2}
    metal.delete_port(port)
    assert metal.find_port(port.id) is None


def walk():
    metal = connect()
    node = metal.create_node(name="sdk-network", driver="fake-hardware")
    group = walk_groups(metal, node)
    walk_ports(metal, node, group)
    metal.delete_port_group(group)
    assert metal.find_port_group("sdk-bond") is None
    metal.delete_node(node)
