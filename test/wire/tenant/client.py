"""Runs `openstack server ...` and the other commands of the Compute, Image and Network API, as one of several people."""

import importlib.metadata
import json
import os
import shlex
from typing import Any

import commands
from tenant.skipped import REASONS

LOG = os.path.join(os.environ["work"], "tenant-commands.log")
GROUPS = ("openstack.compute.v2", "openstack.image.v2", "openstack.network.v2", "openstack.common")


def known_commands() -> list:
    """What can follow `openstack`, as the installed client declares it."""
    found = [entry.name.replace("_", " ") for group in GROUPS for entry in importlib.metadata.entry_points(group=group)]
    return sorted(set(found), key=len, reverse=True)


KNOWN = known_commands()


class Person:
    """Who calls: by what the environment of the client says besides the file of clouds that Ingot wrote."""

    def __init__(self, name: str, **environment: str):
        clouds = os.path.join(os.environ["work"], "state", "clouds.yaml")
        self.name = name
        self.environment = {"OS_CLIENT_CONFIG_FILE": clouds, "OS_CLOUD": "ingot", **environment}

    def run(self, command: str, more: tuple) -> tuple:
        arguments = [*shlex.split(command), *more]
        status, out, err = commands.run(arguments, environment=self.environment)
        return arguments, status, out, err, f"{self.name}: openstack {shlex.join(arguments)}: {status}\n{out}{err}"

    def do(self, command: str, *more: str) -> str:
        """Runs `openstack COMMAND`, which is split into words, and MORE, which is not. It must succeed."""
        arguments, status, out, err, said = self.run(command, more)
        assert status == 0 and "Traceback" not in err, said
        remember(arguments)
        return out.strip()

    def read(self, command: str, *more: str) -> Any:
        """The same, for a command that prints an object or a table: what it shows, read from JSON."""
        return json.loads(self.do(command, *more, "-f", "json"))

    def refused(self, command: str, *words: str) -> str:
        """Runs a command that must be refused, in a message with all these words that is no accident."""
        arguments, status, out, err, said = self.run(command, ())
        assert status != 0, said
        for word in words:
            assert word in err, f"{said}\n'{word}' is not in the message"
        for bad in ("Traceback", "500", "Internal", "usage:"):
            assert bad not in err, said
        remember(arguments)
        return err


def person(name: str) -> Person:
    """A user of http_basic; walk.sh has made them."""
    return Person(name, OS_AUTH_TYPE="http_basic", OS_USERNAME=name, OS_PASSWORD=password(name))


def password(name: str) -> str:
    return f"{name}-has-a-good-one"


def operator() -> Person:
    """The administrator: everybody where nobody is asked."""
    if os.environ["OS_AUTH_TYPE"] == "none":
        return Person("operator", OS_AUTH_TYPE="none")
    return person("operator")


def remember(arguments: list) -> None:
    """Notes which command has done what it should. Appending a line is atomic, also among groups that run side by side."""
    words = " ".join(arguments) + " "
    command = next((name for name in KNOWN if f" {name} " in f" {words}"), None)
    assert command, f"no command of these clients: {words}"
    with open(LOG, "a") as log:
        log.write(command + "\n")


def walked() -> set:
    with open(LOG) as log:
        return set(log.read().splitlines())


def missing() -> list:
    """Commands that no group has run, and for which there is no reason."""
    ran = walked()
    without = [name for name in KNOWN if name not in ran and not any(f"{name} ".startswith(f"{of} ") for of in REASONS)]
    stale = [of for of in REASONS if not any(f"{name} ".startswith(f"{of} ") and name not in ran for name in KNOWN)]
    assert not stale, f"these reasons are none, or what they are about was walked: {stale}"
    return without
