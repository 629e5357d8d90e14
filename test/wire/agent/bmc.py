"""A machine's BMC, as its hardware sees it: what is in the virtual drives, and the power button."""

import base64
import json
import ssl
import urllib.request
from typing import Any

SECONDS = 30


class Bmc:
    """Redfish without any of Ingot's code. Throws HTTPError."""

    def __init__(self, machine: dict):
        self.root = machine["address"].rstrip("/")
        self.host = "/".join(self.root.split("/")[:3])
        self.system_path = machine["system_id"]
        self.context = ssl.create_default_context(cadata=machine["certificate"])
        pair = f"{machine['username']}:{machine['password']}".encode()
        self.authorization = "Basic " + base64.b64encode(pair).decode()

    def ask(self, path: str, body: dict | None = None) -> Any:
        """GET, or POST of a body. Paths are the BMC's own: simulated ones share a server and begin with a name."""
        url = self.host + path if path.startswith(self.root[len(self.host) :] + "/") else self.root + path
        headers = {"Authorization": self.authorization, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers)
        with urllib.request.urlopen(request, timeout=SECONDS, context=self.context) as answer:
            return json.loads(answer.read() or b"null")

    def members(self, path: str) -> list:
        return [self.ask(row["@odata.id"]) for row in self.ask(path)["Members"]]

    def media(self) -> list:
        """URLs of the images that are inserted; they are secrets."""
        found = []
        for manager in self.members("/redfish/v1/Managers"):
            if "VirtualMedia" in manager:
                found += self.members(manager["VirtualMedia"]["@odata.id"])
        return [slot["Image"] for slot in found if slot["Inserted"] and slot["Image"]]

    def reset(self, kind: str) -> None:
        """`ForceOff` as the button that is held, `ForceRestart` as the other one."""
        target = f"{self.system_path}/Actions/ComputerSystem.Reset"
        self.ask(target, {"ResetType": kind})
