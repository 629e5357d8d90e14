"""Servers as their tenants see them, and the machine behind one as only an operator does."""

import json
import time
import urllib.error
import urllib.request
from base64 import b64encode
from typing import Any

import world
from tenant.client import Person, password
from world import control, until

APIS = {"compute": f"{world.API}/compute/v2.1", "image": f"{world.API}/image/v2", "network": f"{world.API}/network/v2.0"}
# A microversion that both this client and Ingot know.
VERSION = {"OpenStack-API-Version": "compute 2.90"}


def call(name: str, method: str, api: str, path: str, body: Any = None) -> tuple:
    """Status and text of one request without any client in between, as a user of http_basic."""
    proof = b64encode(f"{name}:{password(name)}".encode()).decode()
    headers = {"Authorization": f"Basic {proof}", "Content-Type": "application/json", **VERSION}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(APIS[api] + path, data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def is_settled(server: dict) -> bool:
    return server["OS-EXT-STS:task_state"] is None


def settled(who: Person, name: str, status: str, seconds: float = 120) -> dict:
    """The server once nothing is done with it; it must have this status then."""
    end = time.monotonic() + seconds
    while not is_settled(server := who.read(f"server show {name}")):
        assert time.monotonic() < end, f"{name} is still {server['OS-EXT-STS:task_state']}"
        time.sleep(0.3)
    assert server["status"] == status, f"{name} is {server['status']}, not {status}: {server.get('fault')}"
    return server


def node_of(server_id: str) -> dict:
    """Its node: an operator finds it."""
    found = world.api(f"/v1/nodes?instance_uuid={server_id}")["nodes"]
    assert len(found) == 1, found
    return world.node(found[0]["uuid"])


def disk_of(machine: dict) -> dict:
    """What is on the disk, by the simulator."""
    return control(f"/machines/{machine['name']}")["disk"]


def file_of(machine: dict, path: str) -> Any:
    """A JSON file of the configdrive on the disk."""
    return json.loads(disk_of(machine)["configdrive"]["files"][path]["text"])


def has_address(who: Person, name: str, address: str, there: bool) -> None:
    """Waits until the server is told to have this address, or no more."""

    def look():
        return (address in json.dumps(who.read(f"server show {name} -c addresses"))) is there

    until(f"{name} {'to have' if there else 'to lose'} {address}", look, 90)
