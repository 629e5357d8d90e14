"""Runs `openstack baremetal` commands: the real client's main(), each time in a process of its own.

Starting Python and importing the client takes 1.5 to 3 s, the command itself 0.05 s. So the client is imported once and
every command runs in a fork of this process, which has its own arguments, output, exit status and globals.
"""

import importlib.metadata
import json
import logging
import os
import shlex
import subprocess
import sys
import tempfile
import traceback
from typing import Any

import ironicclient.osc.plugin  # noqa: F401  imported before the forks
import ironicclient.v1.client  # noqa: F401
from openstackclient import shell

LOG = os.path.join(os.environ["work"], "commands.log")


def known_commands() -> list:
    """What can follow `openstack`, as the installed client declares it: `baremetal node show` and so on."""
    group = importlib.metadata.entry_points(group="openstack.baremetal.v1")
    return sorted((entry.name.replace("_", " ") for entry in group), key=len, reverse=True)


KNOWN = known_commands()


def remember(arguments: list) -> None:
    """Notes which command has done its work. Appending a line is atomic, also among groups that run side by side."""
    words = " ".join(arguments) + " "
    command = next(name for name in KNOWN if words.startswith(name + " "))
    with open(LOG, "a") as log:
        log.write(command + "\n")


def become(arguments: list, out: int, err: int, environment: dict) -> None:
    """The forked process, with these variables besides its own: never returns."""
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.environ.update(environment)
    try:
        status = shell.main(arguments)
    except SystemExit as end:  # what argparse does with arguments that it does not know
        status = end.code
    except BaseException:
        traceback.print_exc()
        status = 70
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else 1)


def run_pinned(arguments: list, version: str) -> tuple:
    """A process from the start: the configuration that forks inherit has the API version in it."""
    environment = {**os.environ, "OS_BAREMETAL_API_VERSION": version}
    done = subprocess.run(["openstack", *arguments], env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def run(arguments: list, version: str | None = None, environment: dict | None = None) -> tuple:
    """Exit status, output and error output of `openstack ARGUMENTS`, with ENVIRONMENT besides that of this process."""
    if version:
        return run_pinned(arguments, version)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            become(arguments, out.fileno(), err.fileno(), environment or {})
        _, ended = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return os.waitstatus_to_exitcode(ended), out.read().decode(), err.read().decode()


def warm_up() -> None:
    """One command in this process: what the client looks up or imports on first use is there for all forks."""
    with open(os.devnull, "w") as nothing:
        out, sys.stdout = sys.stdout, nothing
        try:
            status = shell.main(["baremetal", "driver", "list"])
        finally:
            sys.stdout = out
    assert status == 0, "openstack baremetal driver list does not work at all"
    logging.getLogger().handlers.clear()  # or every message would come twice


def split(command: str, more: tuple) -> list:
    return ["baremetal", *shlex.split(command), *more]


def metal(command: str, *more: str, version: str | None = None) -> str:
    """Runs `openstack baremetal COMMAND`, which is split into words, and MORE, which is not. It must succeed."""
    arguments = split(command, more)
    status, out, err = run(arguments, version)
    if status != 0 or "Traceback" in err:
        raise AssertionError(f"openstack {shlex.join(arguments)}: exit status {status}\n{out}{err}")
    remember(arguments)
    return out.strip()


def read(command: str, *more: str, version: str | None = None) -> Any:
    """The same, for a command that prints an object or a table: what it shows, read from JSON."""
    return json.loads(metal(command, *more, "-f", "json", version=version))


def refused(command: str, *words: str, version: str | None = None) -> str:
    """Runs a command that Ingot, not the client, must refuse, in a message with all these words that is no accident."""
    arguments = split(command, ())
    status, out, err = run(arguments, version)
    said = f"openstack {shlex.join(arguments)}: exit status {status}\n{out}{err}"
    assert status != 0, said
    for word in words:
        assert word in err, f"{said}\n'{word}' is not in the message"
    for bad in ("Traceback", "HTTP 500", "Internal", "usage:"):
        assert bad not in err, said
    return err


def missing_commands(exceptions: dict) -> list:
    """Commands of the installed client that no group has run. EXCEPTIONS gives reasons by command."""
    with open(LOG) as log:
        ran = set(log.read().splitlines())
    stale = [name for name in exceptions if name not in KNOWN or name in ran]
    assert not stale, f"these exceptions are none: {stale}"
    return sorted(set(KNOWN) - ran - set(exceptions))
