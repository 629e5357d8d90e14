"""Chassis, deploy templates, runbooks and inspection rules with openstacksdk; and drivers and conductors."""

from openstack import exceptions

from sdk.calls import connect

STEP = {"interface": "raid", "step": "delete_configuration", "args": {}}


def walk_chassis(metal):
    made = metal.create_chassis(description="sdk")
    assert metal.get_chassis(made.id).description == "sdk"
    assert metal.get_chassis(made.id, fields=["description"]).description == "sdk"
    assert metal.find_chassis(made.id).id == made.id
    assert made.id in [found.id for found in metal.chassis()]
    assert "sdk" in [found.description for found in metal.chassis(details=True)]
    metal.update_chassis(made, description="moved")
    metal.patch_chassis(made, [{"op": "add", "path": "/extra/a", "value": 1}])
    now = metal.get_chassis(made.id)
    assert (now.description, now.extra) == ("moved", {"a": 1})
    metal.delete_chassis(made)
    assert metal.find_chassis(made.id) is None


def walk_templates(metal):
    made = metal.create_deploy_template(name="CUSTOM_SDK_TEMPLATE", steps=[STEP | {"priority": 10}])
    assert metal.get_deploy_template("CUSTOM_SDK_TEMPLATE").id == made.id
    assert metal.get_deploy_template(made.id, fields=["name"]).name == "CUSTOM_SDK_TEMPLATE"
    assert metal.find_deploy_template("CUSTOM_SDK_TEMPLATE").id == made.id
    assert made.id in [found.id for found in metal.deploy_templates()]
    assert made.id in [found.id for found in metal.deploy_templates(details=True)]
    metal.update_deploy_template(made, extra={"a": 1})
    metal.patch_deploy_template(made, [{"op": "replace", "path": "/steps/0/priority", "value": 20}])
    now = metal.get_deploy_template(made.id)
    assert (now.extra, now.steps[0]["priority"]) == ({"a": 1}, 20), now
    metal.delete_deploy_template(made)
    assert metal.find_deploy_template("CUSTOM_SDK_TEMPLATE") is None


def walk_runbooks(metal):
    made = metal.create_runbook(name="CUSTOM_SDK_RUNBOOK", steps=[STEP | {"order": 1}])
    assert metal.get_runbook("CUSTOM_SDK_RUNBOOK").id == made.id
    assert metal.get_runbook(made.id, fields=["name"]).name == "CUSTOM_SDK_RUNBOOK"
    assert made.id in [found.id for found in metal.runbooks()]
    assert made.id in [found.id for found in metal.runbooks(details=True)]
    metal.update_runbook(made, extra={"a": 1})
    metal.patch_runbook(made, [{"op": "add", "path": "/extra/b", "value": 2}])
    assert metal.get_runbook(made.id).extra == {"a": 1, "b": 2}
    metal.set_runbook_traits(made, ["CUSTOM_SDK_A"])
    metal.add_runbook_trait(made, "CUSTOM_SDK_B")
    metal.remove_runbook_trait(made, "CUSTOM_SDK_A")
    assert metal.get_runbook(made.id).traits == ["CUSTOM_SDK_B"]
    metal.delete_runbook(made)


def walk_rules(metal):
    actions = [{"op": "set-attribute", "args": {"path": "extra/sdk", "value": "yes"}}]
    never = [{"op": "eq", "args": {"values": ["{node.name}", "nobody"]}}]
    made = metal.create_inspection_rule(description="sdk", actions=actions, conditions=never, priority=3)
    assert metal.get_inspection_rule(made.id).description == "sdk"
    assert metal.get_inspection_rule(made.id, fields=["priority"]).priority == 3
    assert made.id in [found.id for found in metal.inspection_rules()]
    assert made.id in [found.id for found in metal.inspection_rules(details=True)]
    metal.update_inspection_rule(made, description="moved")
    metal.patch_inspection_rule(made, [{"op": "replace", "path": "/priority", "value": 4}])
    now = metal.get_inspection_rule(made.id)
    assert (now.description, now.priority) == ("moved", 4), now
    metal.delete_inspection_rule(made)


def walk_drivers(metal):
    assert {driver.name for driver in metal.drivers()} >= {"redfish", "fake-hardware"}
    assert all(driver.default_deploy_interface for driver in metal.drivers(details=True))
    assert metal.get_driver("redfish").default_deploy_interface == "direct"
    assert metal.list_driver_vendor_passthru("redfish") == {}
    try:
        metal.call_driver_vendor_passthru("redfish", "POST", "nonesuch", {})
    except exceptions.BadRequestException as error:
        assert "nonesuch" in str(error), error
    else:
        raise AssertionError("a method that no driver has was called")
    host = next(metal.conductors()).hostname
    assert metal.get_conductor(host).hostname == host
    assert metal.get_conductor(host, fields=["alive"]).alive is True
    assert [conductor.hostname for conductor in metal.conductors(details=True)]


def walk_waiting(metal):
    """The two methods for waiting that all proxies of the SDK have."""
    node = metal.create_node(name="sdk-waiting", driver="fake-hardware")
    metal.set_node_provision_state(node, "manage")
    metal.wait_for_status(node, "manageable", attribute="provision_state", failures=["enroll failed"], wait=60)
    metal.delete_node(node)
    metal.wait_for_delete(node, wait=60)


def walk():
    metal = connect()
    walk_chassis(metal)
    walk_templates(metal)
    walk_runbooks(metal)
    walk_rules(metal)
    walk_drivers(metal)
    walk_waiting(metal)
