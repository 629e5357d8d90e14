"""
The real ironic-python-agent in a ramdisk that does not exist: `boot.py FOLDER DISK`. The folder has `mac` and
`cmdline`, and, if the BMC has it inserted, `medium/` with the files of the medium labelled ir-vfd-dev.
"""

import os
import sys
import tempfile
import types

import guard
from disk import Disk


def close(folder: str, disk: Disk | None = None) -> None:
    """Shuts the process in with its disk, and lets the agent read the kernel's command line of this ramdisk."""
    os.chdir(folder)
    tempfile.tempdir = folder
    guard.close([folder, disk.path, disk.table] if disk else [folder])

    from ironic_python_agent import utils

    read = utils._read_params_from_file
    at = os.path.join(folder, "cmdline")
    utils._read_params_from_file = lambda path: read(at if path == "/proc/cmdline" else path)
    # Without systemd the agent would send the logs of the host.
    utils.is_journalctl_present = lambda: True


def install_tools(folder: str, disk: Disk) -> None:
    """Puts the programs of this ramdisk in the place of the host's."""
    from oslo_concurrency import processutils

    from tools import Tools

    medium = os.path.join(folder, "medium")
    processutils.execute = Tools(disk, medium if os.path.isdir(medium) else None).execute


def install_hardware(folder: str, disk: Disk) -> None:
    """To be called when all else is in place: the agent reads its parameters when it is imported."""
    from ironic_python_agent import agent, hardware
    from ironic_python_agent.extensions import rescue, standby

    from machine import Machine

    with open(os.path.join(folder, "mac")) as file:
        machine = Machine(disk, file.read().strip(), folder)
    hardware._get_extensions = lambda: [types.SimpleNamespace(obj=machine, entry_point_target="machine:Machine")]
    standby.open = disk.open
    rescue.PASSWORD_FILE = os.path.join(folder, os.path.basename(rescue.PASSWORD_FILE))
    # When a step has ended the agent waits until five seconds have passed since its last heartbeat.
    agent.IronicPythonAgentHeartbeater.min_heartbeat_interval = 0.5


def main() -> None:
    folder, disk = os.path.realpath(sys.argv[1]), Disk(os.path.realpath(sys.argv[2]))
    close(folder, disk)
    install_tools(folder, disk)
    install_hardware(folder, disk)
    from ironic_python_agent.cmd import agent

    sys.argv = ["ironic-python-agent"]
    agent.run()


if __name__ == "__main__":
    main()
