"""
Tells what the real ironic-python-agent and Ingot do together: `stories.py [NAME ...]`, called by run.sh, which starts
Ingot. Our simulated agent shares our idea of an agent; this one does not.
"""

import os
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import client
import world
from player import Player
from tales import BMCS, TALES

WORK = os.environ["work"]
# A story sleeps most of the time; booting an agent takes a core for two seconds.
AT_ONCE = 4


def enrol(name: str, machine: dict) -> None:
    """A node whose deploy ramdisk is a system that the simulator does not know: it only runs."""
    info = {**world.driver_info(machine), "deploy_iso": world.control("/machines")["images"]["live_iso"]}
    node = client.ask("POST", "/v1/nodes", {"name": name, "driver": "redfish", "driver_info": info})
    client.ask("POST", "/v1/ports", {"node_uuid": node["uuid"], "address": machine["mac"]})
    client.provision(name, "manage")
    world.settled(name, "manageable")


def tell(name: str, tale, machine: dict | None) -> bool:
    """Whether it came out well."""
    begun = time.monotonic()
    players = []
    try:
        if machine:
            players.append(Player(machine, os.path.join(WORK, name)))
            enrol(name, machine)
            tale(players[0], name)
            players[0].check()
        else:
            tale()
        print(f"agent: {name}: ok after {time.monotonic() - begun:.0f} s: {tale.__doc__}", flush=True)
        return True
    except Exception:
        told = [f"agent: {name}: FAILED after {time.monotonic() - begun:.0f} s: {tale.__doc__}", traceback.format_exc()]
        print("\n".join([*told, *(player.report() for player in players)]), flush=True)
        return False
    finally:
        for player in players:
            player.stop()


def choose(names: list) -> list:
    """The stories of these names, all of them without names, each with a machine of its make if it takes one."""
    unknown = set(names) - set(TALES)
    assert not unknown, f"there are only these stories: {', '.join(TALES)}"
    machines = world.control("/machines")["machines"]

    def take(profile: str) -> dict:
        found = next(machine for machine in machines if machine["profile"] == profile)
        machines.remove(found)
        return found

    chosen = [(name, TALES[name]) for name in names or TALES]
    return [(name, tale, take(BMCS.get(name, "plain")) if tale.__code__.co_argcount else None) for name, tale in chosen]


def main() -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = list(pool.map(lambda chosen: tell(*chosen), choose(sys.argv[1:])))
    state = os.path.join(WORK, "state")
    assert not world.complaints(state), f"errors in the log: {world.complaints(state)}"
    assert not world.revealing(state), f"passwords in clear text: {world.revealing(state)}"
    if not all(told):
        sys.exit(f"agent: {told.count(False)} of {len(told)} stories failed")


main()
