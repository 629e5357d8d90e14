"""What another project sees of a tenant's things: nothing, by any method. And what she sees of the machine: nothing."""

from typing import Any

from tenant.server import call

# What can be done with a server, as Nova's clients say it.
ACTIONS: dict = {
    "os-start": None,
    "os-stop": None,
    "reboot": {"type": "HARD"},
    "rebuild": {"imageRef": "00000000-0000-4000-8000-000000000000"},
    "rescue": None,
    "unrescue": None,
    "trigger_crash_dump": None,
    "lock": None,
    "unlock": None,
    "forceDelete": None,
    "pause": None,
    "os-getConsoleOutput": {},
}


def requests_for(things: dict) -> list:
    """Every request that is about one of her things: method, API, path, body."""
    server, port = f"/servers/{things['server']}", f"/ports/{things['port']}"
    found: list = [
        ("GET", "compute", server, None),
        ("PUT", "compute", server, {"server": {"name": "mine"}}),
        ("DELETE", "compute", server, None),
        *[("POST", "compute", f"{server}/action", {action: body}) for action, body in ACTIONS.items()],
        ("GET", "compute", f"{server}/os-interface", None),
        ("GET", "compute", f"{server}/os-interface/{things['port']}", None),
        ("POST", "compute", f"{server}/os-interface", {"interfaceAttachment": {"net_id": things["network"]}}),
        ("DELETE", "compute", f"{server}/os-interface/{things['port']}", None),
        ("GET", "compute", f"{server}/metadata", None),
        ("PUT", "compute", f"{server}/metadata", {"metadata": {"a": "b"}}),
        ("POST", "compute", f"{server}/metadata", {"metadata": {"a": "b"}}),
        ("GET", "compute", f"{server}/metadata/a", None),
        ("PUT", "compute", f"{server}/metadata/a", {"meta": {"a": "b"}}),
        ("DELETE", "compute", f"{server}/metadata/a", None),
        ("GET", "compute", f"{server}/tags", None),
        ("PUT", "compute", f"{server}/tags", {"tags": ["mine"]}),
        ("PUT", "compute", f"{server}/tags/mine", None),
        ("DELETE", "compute", f"{server}/tags", None),
        ("DELETE", "compute", f"{server}/tags/mine", None),
        ("GET", "compute", f"{server}/os-instance-actions", None),
        ("GET", "compute", f"/os-keypairs/{things['key']}", None),
        ("DELETE", "compute", f"/os-keypairs/{things['key']}", None),
        ("GET", "image", f"/images/{things['image']}", None),
        ("DELETE", "image", f"/images/{things['image']}", None),
        ("GET", "image", f"/images/{things['image']}/members", None),
        ("GET", "image", f"/images/{things['image']}/file", None),
        ("GET", "network", port, None),
        ("PUT", "network", port, {"port": {"name": "mine"}}),
        ("DELETE", "network", port, None),
    ]
    for collection, name in (("networks", "network"), ("subnets", "subnet"), ("floatingips", "floating")):
        path = f"/{collection}/{things[name]}"
        changes = {name.replace("floating", "floatingip"): {"description": "mine"}}
        found += [("GET", "network", path, None), ("PUT", "network", path, changes), ("DELETE", "network", path, None)]
    return found


# Lists that have all of somebody's things.
LISTS = [
    ("compute", "/servers/detail"),
    ("compute", "/os-keypairs"),
    ("image", "/images"),
    ("network", "/networks"),
    ("network", "/subnets"),
    ("network", "/ports"),
    ("network", "/floatingips"),
]


def see_nothing(stranger: str, things: dict) -> None:
    """For another project there is none of it."""
    for method, api, path, body in requests_for(things):
        status, text = call(stranger, method, api, path, body)
        assert status == 404, f"{stranger}: {method} {path} {body}: {status} {text}"
    for api, path in LISTS:
        status, text = call(stranger, "GET", api, path)
        assert status == 200, f"{stranger}: GET {path}: {status} {text}"
        for thing in things.values():
            assert thing not in text, f"{stranger} sees {thing} in {path}: {text}"
    status, text = call(stranger, "GET", "compute", "/servers/detail?all_tenants=1")
    assert status == 403 or things["server"] not in text, f"{stranger} sees all servers: {status} {text}"


def sees_no_machine(tenant: str, things: dict, machine: dict, node: dict) -> None:
    """She sees nothing of the node in anything that she may read, and operators' lists not at all."""
    secret = [node["uuid"], node["name"], machine["address"], machine["password"], "driver_info", "redfish", "last_error"]
    server = f"/servers/{things['server']}"
    paths: list[tuple[str, str]] = [
        *LISTS,
        ("compute", server),
        ("compute", f"{server}/os-interface"),
        ("compute", f"{server}/os-instance-actions"),
        ("network", f"/ports/{things['port']}"),
        ("image", f"/images/{things['image']}"),
    ]
    for api, path in paths:
        status, text = call(tenant, "GET", api, path)
        assert status == 200, f"{tenant}: GET {path}: {status} {text}"
        seen = [word for word in secret if word in text]
        assert not seen, f"{tenant} sees {seen} in {path}: {text}"
    check_operators_only(tenant)


def check_operators_only(tenant: str) -> None:
    """What is an administrator's alone."""
    flavor: Any = {"flavor": {"name": "mine", "ram": 1, "vcpus": 1, "disk": 1}}
    for method, api, path, body in (
        ("GET", "compute", "/os-hypervisors", None),
        ("GET", "compute", "/os-hypervisors/detail", None),
        ("GET", "compute", "/os-services", None),
        ("POST", "compute", "/flavors", flavor),
    ):
        status, text = call(tenant, method, api, path, body)
        assert status in (403, 404), f"{tenant}: {method} {path}: {status} {text}"
