"""Nodes with openstacksdk: everything about them that no hardware is needed for."""

from openstack import exceptions

from sdk.calls import connect
from world import RESCUE_PASSWORD

INSTANCE = "7a1f3a0c-5c5c-4f6b-9d6b-0d6a2f1f0001"


def walk_records(metal):
    node = metal.create_node(name="sdk-node", driver="fake-hardware", resource_class="sdk", extra={"a": 1})
    assert metal.get_node("sdk-node").id == node.id
    assert metal.get_node(node.id, fields=["name"]).name == "sdk-node"
    assert metal.find_node("sdk-node").id == node.id
    assert metal.find_node("sdk-nobody") is None
    assert [found.id for found in metal.nodes(resource_class="sdk")] == [node.id]
    assert [found.extra for found in metal.nodes(details=True, resource_class="sdk")] == [{"a": 1}]
    assert [found.id for found in metal.nodes(resource_class="sdk", fields=["uuid"])] == [node.id]
    node = metal.update_node(node, extra={"b": 2}, instance_id=INSTANCE)
    assert metal.get_node(node.id).extra == {"b": 2}
    assert [found.id for found in metal.nodes(instance_id=INSTANCE)] == [node.id]
    node = metal.patch_node(
        node, [{"op": "remove", "path": "/instance_uuid"}, {"op": "add", "path": "/extra/c", "value": 3}]
    )
    assert metal.get_node(node.id).instance_id is None and metal.get_node(node.id).extra == {"b": 2, "c": 3}
    node = metal.set_node_maintenance(node, reason="walk")
    assert metal.get_node(node.id).maintenance_reason == "walk"
    assert [found.id for found in metal.nodes(is_maintenance=True, resource_class="sdk")] == [node.id]
    node = metal.unset_node_maintenance(node)
    assert metal.get_node(node.id).is_maintenance is False
    metal.wait_for_node_reservation(node, timeout=30)
    return node


def walk_pages(metal):
    """The SDK asks for page after page by itself."""
    made = {metal.create_node(driver="fake-hardware", resource_class="sdk-pages").id for _ in range(5)}
    assert {node.id for node in metal.nodes(resource_class="sdk-pages", limit=2)} == made
    for uuid in made:
        metal.delete_node(uuid)


def walk_traits(metal, node):
    metal.set_node_traits(node, ["CUSTOM_SDK_A", "CUSTOM_SDK_B"])
    metal.add_node_trait(node, "CUSTOM_SDK_C")
    assert metal.remove_node_trait(node, "CUSTOM_SDK_A")
    assert sorted(metal.get_node(node.id).traits) == ["CUSTOM_SDK_B", "CUSTOM_SDK_C"]
    metal.set_node_traits(node, [])


def walk_interfaces(metal, node):
    metal.enable_node_console(node)
    assert metal.get_node_console(node)["console_enabled"] is True
    metal.disable_node_console(node)
    assert metal.get_node_console(node)["console_enabled"] is False
    assert "first_method" in metal.list_node_vendor_passthru(node)
    assert metal.call_node_vendor_passthru(node, "POST", "first_method", {"bar": "baz"}).status_code == 202
    valid = metal.validate_node(node, required=("power", "boot"))
    assert valid["power"].result is True
    metal.attach_vif_to_node(node, INSTANCE)
    metal.list_node_vifs(node)
    metal.detach_vif_from_node(node, INSTANCE)


def walk_states(metal, node):
    image = {"image_source": "http://127.0.0.1/none.raw", "image_checksum": "0" * 32}
    metal.set_node_provision_state(node, "manage", wait=True, timeout=60)
    step = {"interface": "raid", "step": "delete_configuration"}
    metal.set_node_provision_state(node, "clean", clean_steps=[step], wait=True, timeout=60)
    metal.set_node_provision_state(node, "provide")
    assert [found.id for found in metal.wait_for_nodes_provision_state([node], "available", timeout=60)] == [node.id]
    node = metal.update_node(metal.get_node(node.id), instance_info=image, rescue_interface="fake")
    drive = {"meta_data": {"hostname": "sdk"}, "user_data": "x"}
    metal.set_node_provision_state(node, "active", config_drive=drive, wait=True, timeout=60)
    metal.set_node_provision_state(node, "rebuild", wait=True, timeout=60)
    metal.set_node_provision_state(node, "rescue", rescue_password=RESCUE_PASSWORD, wait=True, timeout=60)
    metal.set_node_provision_state(node, "unrescue")
    metal.wait_for_nodes_provision_state([node], "active", timeout=60)
    for target, state in (("power off", "power off"), ("power on", "power on"), ("rebooting", "power on")):
        metal.set_node_power_state(node, target)
        metal.wait_for_node_power_state(node, state, timeout=60)
        metal.wait_for_node_reservation(node, timeout=60)
    metal.set_node_provision_state(node, "deleted", wait=True, timeout=60)
    assert metal.get_node(node.id).instance_info == {}


def walk_errors(metal, node):
    for wrong, call in (
        (exceptions.NotFoundException, lambda: metal.get_node("sdk-nobody")),
        (exceptions.BadRequestException, lambda: metal.create_node(driver="nonesuch")),
        # Ironic says 404, too, though the SDK takes only 400 for "not there".
        (exceptions.NotFoundException, lambda: metal.remove_node_trait(node, "CUSTOM_SDK_A")),
        (exceptions.ConflictException, lambda: metal.create_node(driver="fake-hardware", name="sdk-node")),
        (exceptions.BadRequestException, lambda: metal.set_node_provision_state(node, "inspect")),
    ):
        try:
            call()
        except wrong as error:
            assert "Internal" not in str(error) and len(error.message) > 20, error
        else:
            raise AssertionError(f"no {wrong.__name__}")


def walk():
    metal = connect()
    node = walk_records(metal)
    walk_pages(metal)
    walk_traits(metal, node)
    walk_interfaces(metal, node)
    walk_states(metal, node)
    walk_errors(metal, node)
    metal.delete_node(node)
    assert metal.find_node("sdk-node") is None
    assert metal.delete_node(node) is None
