"""
Keeps the agent off the host. The agent is made to erase disks, to shut machines down and to bring network cards down,
and here it runs on a machine that is none of its business, perhaps as root. So its process may start no program, open
no device, write nothing outside of its folder and disk, and reach nothing but loopback: whoever tries is refused by the
interpreter itself (PEP 578), also code of the agent that nobody has read.
"""

import os
import stat
import subprocess
import sys

# As if the host had not a single program: the agent copes with tools that its ramdisk lacks.
STARTING = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "pty.spawn"}
FORBIDDEN = {"os.kill", "os.killpg", "signal.pthread_kill", "os.setxattr", "os.removexattr"}
# Which arguments of an event are paths that are changed, each with the one that is the folder it starts from.
CHANGING = {
    "os.chmod": [(0, 2)],
    "os.chown": [(0, 3)],
    "os.link": [(0, 2), (1, 3)],
    "os.mkdir": [(0, 2)],
    "os.remove": [(0, 1)],
    "os.rename": [(0, 2), (1, 3)],
    "os.rmdir": [(0, 1)],
    "os.symlink": [(1, 2)],
    "os.truncate": [(0, None)],
    "os.utime": [(0, 3)],
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
DEVICES = {"/dev/null", "/dev/urandom", "/dev/random"}
ADDRESSING = {"socket.bind", "socket.connect", "socket.sendmsg", "socket.sendto"}
LOOPBACK = ("127.", "::1", "localhost")


def is_block_device(path: str) -> bool:
    """Whether this is a disk of the host, also through links."""
    try:
        return stat.S_ISBLK(os.stat(path).st_mode)
    except OSError:
        return False


def resolve(path, folder: int = -1) -> str:
    """The path without links; FOLDER is the descriptor that a relative one starts from."""
    name = os.fsdecode(path)
    base = os.readlink(f"/proc/self/fd/{folder}") if folder >= 0 else os.getcwd()
    return os.path.realpath(os.path.join(base, name))


def is_ours(real: str, ours: list) -> bool:
    """Whether this is one of these files and folders, or below one."""
    return any((real + os.sep).startswith(place + os.sep) for place in ours)


def check_open(path, flags: int, ours: list) -> None:
    """Throws PermissionError for a device, and for writing to what is not ours."""
    if isinstance(path, int):
        return
    real = resolve(path)
    if real in DEVICES:
        return
    if real.startswith("/dev/") or is_block_device(real):
        raise PermissionError(f"guard: {real} is a device of the host")
    # A relative path may start from a folder that this event does not tell.
    if flags & WRITING and not (os.path.isabs(os.fsdecode(path)) and is_ours(real, ours)):
        raise PermissionError(f"guard: {real} is not the agent's to write")


def check_change(event: str, arguments: tuple, ours: list) -> None:
    """Throws PermissionError for a path that is not ours. A descriptor was judged when it was opened."""
    for path, folder in CHANGING[event]:
        if isinstance(arguments[path], int):
            continue
        real = resolve(arguments[path], -1 if folder is None else arguments[folder])
        if not is_ours(real, ours):
            raise PermissionError(f"guard: {real} is not the agent's to change")


def check_address(address) -> None:
    """Throws PermissionError for a peer elsewhere, and for services of the host, which have paths for addresses."""
    host = str(address[0]) if isinstance(address, tuple) else ""
    if not host.startswith(LOOPBACK):
        raise PermissionError(f"guard: {address} is not loopback")


def close(ours: list) -> None:
    """
    From here on, and for good, the process is kept in these folders, of which the first is its own. Throws RuntimeError
    if that does not hold.
    """
    places = [os.path.realpath(place) for place in ours]

    def judge(event: str, arguments: tuple) -> None:
        if event == "open":
            check_open(arguments[0], arguments[2], places)
        elif event in CHANGING:
            check_change(event, arguments, places)
        elif event in ADDRESSING and arguments[1] is not None:
            check_address(arguments[1])
        elif event in STARTING:
            raise FileNotFoundError(2, f"guard: {event} is not possible here")
        elif event in FORBIDDEN:
            raise PermissionError(f"guard: {event} is not possible here")

    sys.addaudithook(judge)
    prove(places[0])


def prove(folder: str) -> None:
    """Throws RuntimeError if the guard lets something through."""
    attempts = {
        "start a program": lambda: subprocess.run(["true"], check=False),
        "open a device": lambda: open("/dev/mem", "rb"),
        "write elsewhere": lambda: open(os.path.join(folder, os.pardir, "guard-proof"), "w"),
        "remove elsewhere": lambda: os.remove("/nonexistent/guard-proof"),
    }
    for what, attempt in attempts.items():
        try:
            attempt()
        except (PermissionError, FileNotFoundError) as refusal:
            if "guard:" in str(refusal):
                continue
        raise RuntimeError(f"the guard does not hold: this process can {what}")
