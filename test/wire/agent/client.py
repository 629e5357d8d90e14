"""Requests to Ingot without any client in between. What only reads is in ../world.py."""

import json
import os
import urllib.error
import urllib.request
from typing import Any

API = os.environ["OS_ENDPOINT"]
VERSION = "1.115"
AGENT_VERSION = "1.68"


def ask(method: str, path: str, body: Any = None, version: str = VERSION) -> Any:
    """The body of the answer. Throws AssertionError with what a refusal says."""
    status, answer = attempt(method, path, body, version)
    assert status < 300, f"{method} {path}: {status} {answer}"
    return answer


def attempt(method: str, path: str, body: Any = None, version: str = VERSION) -> tuple:
    """Status and body, also of a refusal."""
    headers = {"X-OpenStack-Ironic-API-Version": version, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(API + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.loads(refusal.read() or b"null")


def provision(name: str, target: str, **more: Any) -> None:
    ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": target, **more})


def upload(name: str, data: bytes) -> str:
    """Sends a configdrive as a file. Returns what to name it by in a deploy."""
    place = ask("POST", f"/v1/nodes/{name}/configdrive", {"size": len(data)})
    request = urllib.request.Request(place["upload_url"], data, method="PUT")
    urllib.request.urlopen(request, timeout=60).close()
    return place["configdrive"]
