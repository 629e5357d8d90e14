"""The disk of the machine: a sparse file, and its partition table beside it. Nothing here opens anything else."""

import builtins
import json
import os

import guard

MIB = 2**20
# The agent takes no disk below 4 GiB (utils.guess_root_disk).
SIZE = 5 * 2**30
# What every image brings along here: one EFI partition, within the smallest of our images.
EFI_PARTITION = {"number": 1, "start": MIB, "size": 6 * MIB, "uuid": "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"}
# Sector 16 of ISO 9660, its first volume descriptor: the magic and the label (ECMA-119 8.4).
MAGIC, LABEL = slice(32_769, 32_774), slice(32_808, 32_840)


class Disk:
    """A file that does as a disk does. Throws ValueError if it is a block device of the host."""

    def __init__(self, path: str):
        if guard.is_block_device(path) or not os.path.isfile(path):
            raise ValueError(f"{path} is not a regular file: the agent gets no disk of the host")
        self.path = path
        self.table = path + ".partitions"

    @staticmethod
    def create(path: str) -> "Disk":
        """A new disk, as it leaves the factory."""
        with open(path, "xb") as file:
            file.truncate(SIZE)
        return Disk(path)

    def partitions(self) -> list:
        """The table as it is now."""
        try:
            with open(self.table) as file:
                return json.load(file)
        except FileNotFoundError:
            return []

    def replace_partitions(self, partitions: list) -> None:
        with open(self.table, "w") as file:
            json.dump(partitions, file)

    def add_partition(self, size: int, uuid: str) -> None:
        """At the end of the disk, as `sgdisk -n 0:-SIZE:0` does."""
        known = self.partitions()
        number = 1 + max((row["number"] for row in known), default=0)
        self.replace_partitions([*known, {"number": number, "start": SIZE - size, "size": size, "uuid": uuid}])

    def device_of(self, partition: dict) -> str:
        """As the agent names it (disk_utils.partition_index_to_path)."""
        return f"{self.path}{partition['number']}"

    def locate(self, device: str) -> tuple:
        """Where the bytes of the disk or of a partition are: start and size. Throws KeyError for all else."""
        device = os.path.normpath(device)
        if device == self.path:
            return 0, SIZE
        known = {self.device_of(row): row for row in self.partitions()}
        return known[device]["start"], known[device]["size"]

    def read(self, device: str, count: int, offset: int = 0) -> bytes:
        start, size = self.locate(device)
        with open(self.path, "rb") as file:
            file.seek(start + offset)
            return file.read(min(count, size - offset))

    def write(self, device: str, data: bytes, offset: int = 0) -> None:
        start, size = self.locate(device)
        if offset + len(data) > size:
            raise OSError(28, f"{len(data)} bytes do not fit on {device}")
        with open(self.path, "rb+") as file:
            file.seek(start + offset)
            file.write(data)

    def label(self, device: str) -> str:
        """The label of the ISO 9660 image on it, empty if there is none."""
        start = self.read(device, LABEL.stop)
        return start[LABEL].decode("ascii", "replace").strip() if start[MAGIC] == b"CD001" else ""

    def erase(self, device: str) -> None:
        """Zeroes all of it; the whole disk takes no space afterwards, which is how a test sees that nothing is left."""
        start, size = self.locate(device)
        if device == self.path:
            os.truncate(self.path, 0)
            os.truncate(self.path, SIZE)
            return self.replace_partitions([])
        zeros = bytes(MIB)
        for offset in range(0, size, MIB):
            self.write(device, zeros[: size - offset], offset)

    def open(self, path, mode: str = "r", *rest, **options):
        """
        The agent streams an image by opening the disk as `wb+`, which would shorten a file; a disk stays as long as it
        is. The image brings its own partition table.
        """
        if path != self.path or "w" not in mode:
            return builtins.open(path, mode, *rest, **options)
        self.replace_partitions([EFI_PARTITION])
        return builtins.open(path, "rb+")
