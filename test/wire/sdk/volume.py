"""Volume connectors and targets with openstacksdk."""

from sdk.calls import connect


def walk_connectors(metal, node):
    made = metal.create_volume_connector(node_id=node.id, type="iqn", connector_id="iqn.2017-08.walk:sdk")
    assert metal.get_volume_connector(made.id).type == "iqn"
    assert metal.get_volume_connector(made.id, fields=["type"]).type == "iqn"
    assert metal.find_volume_connector(made.id).id == made.id
    assert [found.id for found in metal.volume_connectors(node=node.id)] == [made.id]
    assert made.id in [found.id for found in metal.volume_connectors(details=True)]
    metal.update_volume_connector(made, connector_id="iqn.2017-08.walk:other")
    metal.patch_volume_connector(made, [{"op": "add", "path": "/extra/a", "value": 1}])
    now = metal.get_volume_connector(made.id)
    assert (now.connector_id, now.extra) == ("iqn.2017-08.walk:other", {"a": 1})
    metal.delete_volume_connector(made)
    assert metal.find_volume_connector(made.id) is None


def walk_targets(metal, node):
    made = metal.create_volume_target(node_id=node.id, volume_type="iscsi", boot_index=0, volume_id="vol-1")
    assert metal.get_volume_target(made.id).volume_id == "vol-1"
    assert metal.get_volume_target(made.id, fields=["volume_id"]).volume_id == "vol-1"
    assert metal.find_volume_target(made.id).id == made.id
    assert [found.id for found in metal.volume_targets(node=node.id)] == [made.id]
    assert made.id in [found.id for found in metal.volume_targets(details=True)]
    metal.update_volume_target(made, volume_id="vol-2")
    metal.patch_volume_target(made, [{"op": "add", "path": "/extra/a", "value": 1}])
    now = metal.get_volume_target(made.id)
    assert (now.volume_id, now.extra) == ("vol-2", {"a": 1})
    metal.delete_volume_target(made)
    assert metal.find_volume_target(made.id) is None


def walk():
    metal = connect()
    node = metal.create_node(name="sdk-volume", driver="fake-hardware")
    metal.set_node_power_state(node, "power off", wait=True, timeout=60)
    metal.wait_for_node_reservation(node, timeout=60)
    walk_connectors(metal, node)
    walk_targets(metal, node)
    metal.delete_node(node)
