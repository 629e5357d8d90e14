"""The two programs as users start them: `openstack baremetal` and `baremetal`, the client without the rest of OpenStack."""

import json
import subprocess

from commands import metal


def said(*command):
    return json.loads(subprocess.run([*command, "-f", "json"], check=True, capture_output=True, text=True).stdout)


def walk():
    metal("node create --driver fake-hardware --name cli-executables")
    for program in (("openstack", "baremetal"), ("baremetal",)):
        assert said(*program, "node", "show", "cli-executables", "--fields", "name") == {"name": "cli-executables"}
        assert said(*program, "conductor", "list")[0]["hostname"]
    metal("node delete cli-executables")
