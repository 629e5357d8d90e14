"""What the groups of the walk look at besides the client: the API by plain HTTP, and the simulated machines."""

import base64
import json
import os
import time
import urllib.request
from typing import Any, Callable

API = os.environ["OS_ENDPOINT"]
CONTROL = os.environ["control"]
VERSION = "1.115"
RESCUE_PASSWORD = "correct-horse"


def proof() -> dict:
    """How plain HTTP requests prove that they are the operator's."""
    if os.environ.get("OS_AUTH_TYPE", "none") == "none":
        return {}
    pair = f"{os.environ['OS_USERNAME']}:{os.environ['OS_PASSWORD']}"
    return {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


PROOF = proof()


def fetch(url: str, headers: dict) -> Any:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return json.load(answer)


def api(path: str, version: str = VERSION) -> Any:
    """GET of the API without any client in between. Throws HTTPError."""
    return fetch(API + path, {"X-OpenStack-Ironic-API-Version": version, **PROOF})


def control(path: str) -> Any:
    """GET of the control plane of the simulator."""
    return fetch(CONTROL + path, {})


def node(name: str) -> Any:
    """The node as it is now."""
    return api(f"/v1/nodes/{name}")


def until(told: str, look: Callable, seconds: float = 90) -> Any:
    """The first true result of LOOK. Throws AssertionError with what was waited for."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds} s in vain for {told}")


def settled(name: str, state: str, seconds: float = 120) -> Any:
    """Waits until the node is in this provision state and nothing works on it. Throws if it fails instead."""

    def look():
        now = node(name)
        if now["reservation"] is None and now["provision_state"] == state:
            return now
        wrong = now["provision_state"].endswith(" failed") or now["provision_state"] == "error"
        assert not wrong or now["provision_state"] == state, f"{name}: {now['provision_state']}: {now['last_error']}"
        return None

    try:
        return until(f"node {name} to be {state}", look, seconds)
    except AssertionError as error:
        now = node(name)
        raise AssertionError(f"{error}; it is {now['provision_state']}, last error: {now['last_error']}") from None


def idle(name: str) -> Any:
    """Waits until nothing works on the node."""
    return until(f"node {name} to be free", lambda: (now := node(name))["reservation"] is None and now)


def expect(name: str, **fields: Any) -> Any:
    """The node must have these values."""
    now = node(name)
    for field, value in fields.items():
        assert (
            now[field] == value
        ), f"{name}: {field} is {now[field]!r}, not {value!r} (last error: {now['last_error']})"
    return now


def driver_info(machine: dict) -> dict:
    """How Ingot reaches a simulated machine."""
    return {
        "redfish_address": machine["address"],
        "redfish_system_id": machine["system_id"],
        "redfish_username": machine["username"],
        "redfish_password": machine["password"],
        "redfish_verify_ca": machine["certificate"],
        "deploy_iso": control("/machines")["images"]["deploy_iso"],
    }


def image() -> dict:
    """The instance_info of the demo image, which the simulator serves."""
    demo = control("/machines")["images"]["demo_raw"]
    return {
        "image_source": demo["url"],
        "image_os_hash_algo": "sha256",
        "image_os_hash_value": demo["sha256"],
        "image_disk_format": "raw",
    }


def options(name: str, values: dict) -> list:
    """`--name key=value` for each value, as the command line wants it."""
    return [word for key, value in values.items() for word in (f"--{name}", f"{key}={value}")]


def revealing(folder: str) -> list:
    """
    Files of Ingot's folder, its database and its log among them, that have a password of the walk in clear text. The
    simulated BMCs, whose passwords they are, keep theirs there too.
    """
    passwords = [RESCUE_PASSWORD, *(machine["password"] for machine in control("/machines")["machines"])]
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "simulator"]
        for file in files:
            with open(os.path.join(place, file), "rb") as opened:
                data = opened.read()
            found += [os.path.join(place, file) for password in passwords if password.encode() in data]
    return found


def complaints(folder: str) -> list:
    """Lines of Ingot's log that a walk should not cause: errors, and warnings of what nobody expected."""
    with open(os.path.join(folder, "ingot.log")) as log:
        return [line for line in log if '"level":"error"' in line]
