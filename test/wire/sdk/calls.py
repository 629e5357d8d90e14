"""A connection of openstacksdk that remembers which methods of its proxy have done their work."""

import functools
import inspect
import os
import types

import openstack
from openstack.baremetal.v1._proxy import Proxy

LOG = os.path.join(os.environ["work"], "calls.log")
# What the class itself defines; its base class is about sessions. Those that send nothing by themselves count, too.
METHODS = sorted(name for name, value in vars(Proxy).items() if inspect.isfunction(value) and not name.startswith("_"))
made = set()


def remembering(name: str, method):
    """The method, with a note of its name once it has returned, or, of a list, once it has been read to the end."""

    def read(items):
        yield from items
        made.add(name)

    @functools.wraps(method)
    def call(*args, **kwargs):
        result = method(*args, **kwargs)
        if isinstance(result, types.GeneratorType):
            return read(result)
        made.add(name)
        return result

    return call


def connect():
    """`connection.baremetal`, as a script without keystone gets it."""
    cloud = openstack.connect(auth_type="none", baremetal_endpoint_override=os.environ["OS_ENDPOINT"])
    proxy = cloud.baremetal
    for name in METHODS:
        setattr(proxy, name, remembering(name, getattr(proxy, name)))
    return proxy


def save() -> None:
    """Hands the names over to the process that counts; called at the end of a group."""
    with open(LOG, "a") as log:
        log.write("".join(f"{name}\n" for name in sorted(made)))


def missing(exceptions: dict) -> list:
    """Methods that no group has called. EXCEPTIONS gives reasons by name."""
    with open(LOG) as log:
        called = set(log.read().splitlines())
    stale = [name for name in exceptions if name not in METHODS or name in called]
    assert not stale, f"these exceptions are none: {stale}"
    return sorted(set(METHODS) - called - set(exceptions))
