"""Allocations with openstacksdk."""

from openstack import exceptions

from sdk.calls import connect


def walk():
    metal = connect()
    node = metal.create_node(name="sdk-allocation", driver="fake-hardware", resource_class="sdk-allocation")
    metal.set_node_power_state(node, "power off", wait=True, timeout=60)
    metal.wait_for_node_reservation(node, timeout=60)
    metal.set_node_provision_state(node, "manage", wait=True, timeout=60)
    metal.set_node_provision_state(node, "provide", wait=True, timeout=60)
    made = metal.create_allocation(name="sdk-first", resource_class="sdk-allocation")
    made = metal.wait_for_allocation(made, timeout=60)
    assert (made.state, made.node_id) == ("active", node.id), made
    assert metal.get_allocation("sdk-first").id == made.id
    assert metal.get_allocation(made.id, fields=["state"]).state == "active"
    assert [found.id for found in metal.allocations(resource_class="sdk-allocation")] == [made.id]
    metal.update_allocation(made, extra={"a": 1})
    metal.patch_allocation(made, [{"op": "add", "path": "/name", "value": "sdk-second"}])
    now = metal.get_allocation(made.id)
    assert (now.name, now.extra) == ("sdk-second", {"a": 1}), now

    none = metal.create_allocation(name="sdk-none", resource_class="sdk-allocation")
    try:
        metal.wait_for_allocation(none, timeout=60)
    except exceptions.ResourceFailure as error:
        assert "no available nodes match the resource class sdk-allocation" in str(error), error
    else:
        raise AssertionError("a second allocation got the same node")
    assert metal.wait_for_allocation(none, timeout=60, ignore_error=True).state == "error"
    metal.delete_allocation(none)
    metal.delete_allocation(made)
    assert metal.get_node(node.id).allocation_id is None
    metal.delete_node(node)
