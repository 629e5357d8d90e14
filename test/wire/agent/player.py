"""
Plays what runs on a simulated machine while it is started from virtual media: the real agent, in a process of its own
that begins and ends with the machine's power. The simulator takes the medium for an operating system it does not know.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.request

import iso
import world
from bmc import Bmc
from disk import Disk

BOOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ramdisk", "boot.py")
POWERED_OFF, REBOOTED = 64, 65
LABEL = "ir-vfd-dev"
# A boot image that Ingot has built of kernel and ramdisk, and where its boot loader reads what the kernel is told.
BOOT_IMAGE, GRUB = "VMEDIA_BOOT_ISO", "/EFI/BOOT/grub.cfg"
LOOK_SECONDS = 0.2
TAIL_LINES = 60
SECRET = re.compile(r"((?:token|signature|password)[\"']?[=:]\s*[\"']?)[^&\s\"',}]+", re.IGNORECASE)
# Lines of a stack, which the log has twice or thrice for each error.
TRACEBACK = re.compile(r"\S+ \S+ \d+ ERROR (?!.*\[-\])")
# What the builder of a ramdisk puts on its kernel's command line when no medium says more.
BUILT_IN = {
    "ipa-api-url": world.API,
    "ipa-inspection-callback-url": f"{world.API}/v1/continue_inspection",
}


def without_secrets(text: str) -> str:
    return SECRET.sub(r"\1******", text)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def command_line(given: dict) -> str:
    """The parameters of one boot. The agent listens to loopback only, and does not ask for ever."""
    port = free_port()
    always = {
        "ipa-listen-host": "127.0.0.1",
        "ipa-listen-port": port,
        "ipa-advertise-port": port,
        "ipa-lookup-timeout": 60,
        "ipa-inspection-collectors": "default",
    }
    return " ".join(f"{name}={value}" for name, value in {**always, **given}.items())


def arguments(configuration: str) -> dict:
    """What GRUB's configuration tells the kernel, of what has a value."""
    line = re.search(r"linux /vmlinuz ([^;]*);", configuration)
    assert line, configuration
    return dict(word.split("=", 1) for word in line[1].split() if "=" in word)


class Agent:
    """One boot of the real agent on a disk."""

    def __init__(self, folder: str, disk: Disk, mac: str, media: list, parameters: dict):
        self.folder = folder
        self.log = os.path.join(folder, "agent.log")
        os.makedirs(folder)
        self.write("mac", mac)
        self.kernel: dict = {}
        self.has_medium = self.insert(media)
        told = self.kernel or ({"boot_method": "vmedia"} if self.has_medium else parameters)
        self.write("cmdline", command_line(told))
        with open(self.log, "wb") as log:
            command = [sys.executable, BOOT, folder, disk.path]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def write(self, name: str, text: str) -> None:
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def insert(self, media: list) -> bool:
        """
        Fetches the images as a BMC does, starts the boot loader of the one that has one, and shows the agent the one that
        is meant for it. Whether there is one.
        """
        found = False
        for number, url in enumerate(media):
            image = os.path.join(self.folder, f"slot{number}.iso")
            urllib.request.urlretrieve(url, image)
            label = iso.label(image)
            if label == BOOT_IMAGE:
                self.kernel = arguments(iso.files(image)[GRUB].decode())
            if label == LABEL:
                iso.extract(image, os.path.join(self.folder, "medium"))
                found = True
        return found

    def end(self) -> None:
        """As when the power is cut."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def said(self) -> str:
        """The log without secrets."""
        with open(self.log, errors="replace") as log:
            return without_secrets(log.read())


class Player:
    """The machine around it: follows the power of a simulated machine until it is told to stop."""

    def __init__(self, machine: dict, folder: str):
        os.makedirs(folder)
        self.machine = machine
        self.folder = folder
        self.bmc = Bmc(machine)
        self.disk = Disk.create(os.path.join(folder, "disk"))
        self.agents: list = []
        # Of other machines that say they are this one.
        self.strangers: list = []
        self.boot = None
        self.trouble = ""
        # A story may let somebody else go first.
        self.may_start = threading.Event()
        self.may_start.set()
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.follow, daemon=True)
        self.thread.start()

    def follow(self) -> None:
        try:
            while not self.stopped.wait(LOOK_SECONDS):
                self.look()
        except Exception as error:
            self.trouble = f"the player of {self.machine['name']} failed: {error!r}"

    def look(self) -> None:
        """Starts and ends the agent as the power goes, and presses the button for it when it shuts down."""
        seen = world.control(f"/machines/{self.machine['name']}")
        runs = seen["power"] == "on" and seen["phase"] == "os" and seen["device"] != "hdd"
        boot = seen["boot_count"] if runs else None
        if self.boot is not None and boot != self.boot:
            self.agents[-1].end()
            self.boot = None
        if boot is not None and self.boot is None and self.may_start.is_set():
            self.agents.append(self.start())
            self.boot = boot
        if self.boot is not None:
            kind = {POWERED_OFF: "ForceOff", REBOOTED: "ForceRestart"}.get(self.agents[-1].process.poll())
            if kind:
                self.bmc.reset(kind)

    def start(self) -> Agent:
        folder = os.path.join(self.folder, f"boot{len(self.agents) + 1}")
        return Agent(folder, self.disk, self.machine["mac"], self.bmc.media(), BUILT_IN)

    def waits(self) -> bool:
        """Whether the machine is up in the ramdisk, and the agent not started yet."""
        return world.control(f"/machines/{self.machine['name']}")["phase"] == "os"

    def stop(self) -> None:
        self.stopped.set()
        self.thread.join(timeout=60)
        for agent in [*self.agents, *self.strangers]:
            agent.end()

    def check(self) -> None:
        """Throws AssertionError if anything went wrong beside the story."""
        violations = world.control(f"/machines/{self.machine['name']}")["violations"]
        assert not self.trouble and not violations, f"{self.trouble} {violations}"

    def report(self) -> str:
        """What helps when a story fails: the end of the log of the latest agent, and of strangers."""
        told = [f"-- {self.machine['name']}: {len(self.agents)} boots {self.trouble}"]
        for agent in [*self.agents[-1:], *self.strangers]:
            lines = [line for line in agent.said().splitlines() if not TRACEBACK.match(line)]
            told += [f"-- {os.path.basename(agent.folder)}:", *lines[-TAIL_LINES:]]
        return "\n".join(told)
