"""Runs all groups of the walk, several side by side, and checks that together they used the whole of the clients.

python walk.py [NAME ...]    all groups, or those named, such as cli.port; called by walk.sh, which starts Ingot
"""

import importlib
import os
import pkgutil
import sys
import tempfile
import time
import traceback

import commands
import world
from sdk import calls
from tenant import client

# Groups sleep most of the time: a machine works, or the client waits for its next look.
AT_ONCE = 6
# The longest first; the others follow by name.
FIRST = ["tenant.life", "tenant.script", "cli.cleaning", "cli.states", "cli.deploy", "cli.rescue", "cli.allocation", "sdk.deploy", "cli.port"]
STATE = os.path.join(os.environ["work"], "state")
HERE = os.path.dirname(os.path.abspath(__file__))
# Commands that cannot succeed, with the reason.
UNUSED_COMMANDS = {
    "baremetal driver passthru call": "no driver has methods of its own; cli.driver sees it refused",
}
# Methods of the SDK, likewise.
UNUSED_METHODS = {
    "call_driver_vendor_passthru": "no driver has methods of its own; sdk.records sees it refused",
}


def groups() -> list:
    """Every file in these folders that has a function `walk`."""
    found = [
        f"{part}.{file.name}" for part in ("cli", "sdk", "tenant") for file in pkgutil.iter_modules([os.path.join(HERE, part)])
    ]
    walking = [name for name in sorted(found) if hasattr(importlib.import_module(name), "walk")]
    return [name for name in FIRST if name in walking] + [name for name in walking if name not in FIRST]


def choose(names: list) -> list:
    """The groups of these names, with a simulated machine for each that takes one. All of them without names."""
    machines, known, chosen = iter(world.control("/machines")["machines"]), groups(), []
    assert set(names) <= set(known), f"there are only these groups: {', '.join(sorted(known))}"
    for name in known:
        walk = importlib.import_module(name).walk
        given = [next(machines) for _ in range(walk.__code__.co_argcount)]
        if not names or name in names:
            chosen.append((name, walk, given))
    return chosen


def start(name: str, walk, given: list) -> tuple:
    """Forks one group. Its output is kept apart, to be shown if it fails."""
    output = tempfile.TemporaryFile()
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child, (name, output, time.monotonic())
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    status = 1
    try:
        walk(*given)
        calls.save()
        status = 0
    except BaseException as error:
        print("".join(traceback.TracebackException.from_exception(error, capture_locals=True).format()))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def finish(running: dict) -> str:
    """Waits for one of the groups; its name if it has failed."""
    child, status = os.wait()
    name, output, begun = running.pop(child)
    print(f"walk: {name}: {'FAILED' if status else 'ok'} after {time.monotonic() - begun:.0f} s", flush=True)
    if not status:
        return ""
    output.seek(0)
    print(output.read().decode(), flush=True)
    return name


def run(chosen: list) -> list:
    """Runs the groups and tells which have failed."""
    waiting, running, failed = list(chosen), {}, []
    while waiting or running:
        while waiting and len(running) < AT_ONCE:
            child, group = start(*waiting.pop(0))
            running[child] = group
        name = finish(running)
        if name:
            failed.append(name)
    return failed


def leftovers() -> list:
    """Whatever the groups have made and not removed."""
    kinds = ["ports", "portgroups", "chassis", "allocations", "deploy_templates", "runbooks", "inspection_rules"]
    places = [f"/v1/{kind}" for kind in [*kinds, "volume/connectors", "volume/targets"]]
    left = [place for place in places if world.api(place)[place.rsplit("/", 1)[1]]]
    return left + [node["name"] or node["uuid"] for node in world.api("/v1/nodes?include_children=true")["nodes"]]


def main() -> None:
    chosen = choose(sys.argv[1:])
    commands.warm_up()
    failed = run(chosen)
    assert not failed, f"failed: {', '.join(failed)}"
    assert not leftovers(), f"left behind: {leftovers()}"
    assert not world.complaints(STATE), f"errors in the log: {world.complaints(STATE)}"
    assert not world.revealing(STATE), f"passwords in clear text: {world.revealing(STATE)}"
    if len(sys.argv) > 1:
        return
    unused = commands.missing_commands(UNUSED_COMMANDS)
    assert not unused, f"commands of the client that nothing has walked: {unused}"
    uncalled = calls.missing(UNUSED_METHODS)
    assert not uncalled, f"methods of the SDK that nothing has called: {uncalled}"
    unwalked = client.missing()
    assert not unwalked, f"commands for tenants that nothing has walked, and nobody said why: {unwalked}"
    ran, called = len(commands.KNOWN) - len(UNUSED_COMMANDS), len(calls.METHODS) - len(UNUSED_METHODS)
    print(f"walk: {ran} commands and {called} methods of the SDK did what they say")
    print(f"walk: {len(client.walked())} commands for tenants did what they say; for the others there is a reason")


if __name__ == "__main__":
    main()
