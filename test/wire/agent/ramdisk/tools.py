"""
The programs of the ramdisk that the agent runs on its hardware, each a row: what it would do to a disk it does to the
file. A program without a row is not installed, and the agent copes or fails as in a ramdisk that lacks it.
"""

import json
import os
import re
import shutil
import threading

from oslo_concurrency import processutils

from disk import MIB, SIZE, Disk

# How the process ends when the agent shuts the machine down: the harness then does what the hardware would.
POWERED_OFF, REBOOTED = 64, 65
# Seconds from the command to the end of the process, as an init system needs some, too.
SHUTDOWN_SECONDS = 0.5
LOADER = "EFI/BOOT/BOOTX64.EFI"
LSHW = {"id": "machine", "product": "Simulated Server", "vendor": "Ingot", "serial": "0001", "children": []}
LSCPU = "Architecture: x86_64\nCPU(s): 4\nModel name: Simulated\nCPU max MHz: 2000\nFlags: sse sse2\nSocket(s): 1\n"


class Failed(Exception):
    """The program ends with status 1 and these words."""


class Tools:
    """The programs of one ramdisk: its disk, and the folder with what is on its virtual medium if it has one."""

    def __init__(self, disk: Disk, medium: str | None):
        self.disk = disk
        self.medium = medium
        self.boot_records: list = []

    def execute(self, *command, check_exit_code=(0,), binary=False, **_options) -> tuple:
        """In the place of oslo's processutils.execute. Throws what that does."""
        words = [str(word) for word in command]
        row = ROWS.get(words[0])
        if row is None:
            raise FileNotFoundError(2, "not in this ramdisk", words[0])
        try:
            out = row(self, words[1:]) or ""
        except (Failed, KeyError, OSError) as error:
            allowed = [check_exit_code] if isinstance(check_exit_code, int) else check_exit_code
            if 1 not in allowed:
                raise processutils.ProcessExecutionError(exit_code=1, stderr=str(error), cmd=" ".join(words)) from error
            out = ""
        return (out.encode(), b"") if binary else (out, "")

    # What the kernel knows.

    def devices(self) -> list:
        """Rows as lsblk has them. Names are below /dev there, ours lead out of it again."""
        disk = self.disk
        rows = [{"path": disk.path, "TYPE": "disk", "SIZE": SIZE, "LABEL": disk.label(disk.path)}]
        for row in disk.partitions():
            device = disk.device_of(row)
            part = {"TYPE": "part", "SIZE": row["size"], "PARTUUID": row["uuid"], "LABEL": disk.label(device)}
            rows.append({"path": device, **part})
        if self.medium:
            rows.append({"path": self.medium, "TYPE": "disk", "TRAN": "usb", "SIZE": MIB, "LABEL": "ir-vfd-dev"})
        return rows

    def lsblk(self, words: list) -> str:
        device = next((os.path.normpath(word) for word in words if word.startswith("/")), None)
        line = " ".join(words)
        if "--fs" in line:
            return ""
        columns = re.search(r"(?:-\w*o ?|--output )([A-Za-z,-]+)", line)[1].upper().split(",")
        alone = "--nodeps" in line
        within = [row for row in self.devices() if device is None or is_on(row["path"], device, alone)]
        if device and not within:
            raise Failed(f"lsblk: {device}: not a block device")
        told = [{name: tell(row, name, full="-p" in words) for name in columns} for row in within]
        if "--json" in words:
            return json.dumps({"blockdevices": [{name.lower(): row[name] or None for name in row} for row in told]})
        return "\n".join(" ".join(f'{name}="{value}"' for name, value in row.items()) for row in told)

    def blockdev(self, words: list) -> str:
        what, device = words
        return {"--getsize64": str(self.disk.locate(device)[1]), "--getss": "512", "--flushbufs": ""}[what]

    def fuser(self, words: list) -> str:
        self.disk.locate(words[0])
        return ""

    def test(self, words: list) -> None:
        self.disk.locate(words[1])

    # Partitions.

    def parted(self, words: list) -> str:
        device = next(word for word in words if word.startswith("/"))
        rows = self.disk.partitions()
        if "print" not in words or not rows:
            raise Failed(f"Error: {device}: unrecognised disk label")
        if "-m" not in words:
            return "Partition Table: gpt\n"
        lines = ["BYT;", f"{device}:{SIZE // MIB}MiB:file:512:512:gpt:Simulated:;"]
        for row in rows:
            start, size = row["start"] // MIB, row["size"] // MIB
            flags = "boot, esp" if row["number"] == 1 else ""
            lines.append(f"{row['number']}:{start}MiB:{start + size}MiB:{size}MiB:::{flags};")
        return "\n".join(lines)

    def sgdisk(self, words: list) -> str:
        option = words[0]
        if option == "-n":
            size = re.fullmatch(r"0:-(\d+)MB:0", words[1])
            self.disk.add_partition(int(size[1]) * MIB, words[3].removeprefix("0:"))
        elif option == "-i":
            row = next(row for row in self.disk.partitions() if str(row["number"]) == words[1])
            return f"Partition unique GUID: {row['uuid'].upper()}\n"
        elif option == "-Z" and words[1] == self.disk.path:
            self.disk.replace_partitions([])
        elif option not in ("-v", "-e", "-Z"):
            raise Failed(f"sgdisk: {option} is not known here")
        return ""

    # What is done to bytes.

    def dd(self, words: list) -> None:
        given = dict(word.split("=", 1) for word in words)
        unit = {"M": MIB, "K": 1024}.get(given["bs"][-1])
        block = int(given["bs"][:-1]) * unit if unit else int(given["bs"])
        offset = int(given.get("seek", 0)) * block
        if given["if"] == "/dev/zero":
            return self.disk.write(given["of"], bytes(int(given["count"]) * block), offset)
        with open(given["if"], "rb") as file:
            self.disk.write(given["of"], file.read(), offset)

    def shred(self, words: list) -> None:
        self.disk.erase(words[-1])

    def mount(self, words: list) -> None:
        """A file system is a copy of its files; of an ISO 9660 image it is enough that it is one."""
        device, folder = words[-2:]
        if self.medium and device == self.medium:
            shutil.copytree(self.medium, folder, dirs_exist_ok=True)
        elif self.is_efi(device):
            loader = os.path.join(folder, LOADER)
            os.makedirs(os.path.dirname(loader))
            with open(loader, "wb") as file:
                os.fchmod(file.fileno(), 0o755)
        elif not self.disk.label(device):
            raise Failed(f"mount: {device}: wrong fs type")

    def is_efi(self, device: str) -> bool:
        rows = [row for row in self.disk.partitions() if row["number"] == 1]
        return any(self.disk.device_of(row) == os.path.normpath(device) for row in rows)

    def umount(self, words: list) -> None:
        shutil.rmtree(words[-1])
        os.makedirs(words[-1])

    # The rest of the machine.

    def efibootmgr(self, words: list) -> str:
        if "-c" in words:
            label, loader = words[words.index("-L") + 1], words[words.index("-l") + 1]
            self.boot_records.append(f"Boot{len(self.boot_records):04}* {label} HD(1,GPT)/File({loader})")
        return "\n".join(["BootCurrent: 0000", *self.boot_records])

    def ip(self, words: list) -> str:
        """Only asked about here: whoever takes a card of the host down is refused."""
        if words[:2] != ["route", "get"]:
            raise Failed(f"ip: {' '.join(words)} is not possible here")
        return f"local {words[2]} dev lo src 127.0.0.1 uid 0"

    def poweroff(self, _words: list) -> None:
        end_process(POWERED_OFF)

    def reboot(self, _words: list) -> None:
        end_process(REBOOTED)

    def nothing(self, _words: list) -> None:
        """It would talk to a kernel that does not have our disk."""


def end_process(status: int) -> None:
    threading.Timer(SHUTDOWN_SECONDS, os._exit, [status]).start()


def is_on(path: str, device: str, alone: bool) -> bool:
    """Whether this is the device or, unless that is to be alone, one of its partitions."""
    return path == device or (not alone and re.fullmatch(re.escape(device) + r"\d+", path) is not None)


def tell(row: dict, column: str, full: bool) -> str:
    """A value as lsblk prints it."""
    if column in ("NAME", "KNAME"):
        return row["path"] if full else os.path.relpath(row["path"], "/dev")
    return str(row.get(column, ""))


ROWS = {
    "blockdev": Tools.blockdev,
    "dd": Tools.dd,
    "efibootmgr": Tools.efibootmgr,
    "fuser": Tools.fuser,
    "hdparm": lambda _tools, _words: "an ATA disk that knows no security\n",
    "hexdump": lambda tools, words: f"0x{tools.disk.read(words[-1], 4, 440)[::-1].hex()}",
    "hwclock": Tools.nothing,
    "ip": Tools.ip,
    "lsblk": Tools.lsblk,
    "lscpu": lambda _tools, _words: LSCPU,
    "lshw": lambda _tools, _words: json.dumps(LSHW),
    "mount": Tools.mount,
    "parted": Tools.parted,
    "partprobe": Tools.nothing,
    "partx": Tools.nothing,
    "poweroff": Tools.poweroff,
    "reboot": Tools.reboot,
    "sgdisk": Tools.sgdisk,
    "shred": Tools.shred,
    "sync": Tools.nothing,
    "test": Tools.test,
    "udevadm": Tools.nothing,
    "umount": Tools.umount,
    "wipefs": Tools.nothing,
}
