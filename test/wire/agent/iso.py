"""ISO 9660 images, read with tools that are not ours."""

import os
import subprocess


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def label(path: str) -> str:
    """The volume label as Linux sees it: what blkid finds is what lsblk shows."""
    return run("blkid", "--probe", "--match-tag", "LABEL", "--output", "value", path).strip()


def files(path: str) -> dict:
    """The contents of all files by their paths, as a Linux sees them (Rock Ridge), checked against Joliet."""
    found = {}
    for form in ("-R", "-J"):
        names = [name for name in run("isoinfo", form, "-f", "-i", path).splitlines() if name]
        read = {name: read_file(path, form, name) for name in names}
        read = {name.removesuffix(";1"): data for name, data in read.items() if data is not None}
        assert not found or found == read, f"Rock Ridge and Joliet differ: {sorted(found)}, {sorted(read)}"
        found = read
    return found


def read_file(path: str, form: str, name: str) -> bytes | None:
    """None for a folder, of which isoinfo gives nothing."""
    command = ["isoinfo", form, "-x", name, "-i", path]
    data = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout
    return data or None


def extract(path: str, folder: str) -> None:
    """Writes the files into a folder, as if it were mounted there."""
    os.makedirs(folder)
    run("xorriso", "-osirrox", "on", "-indev", path, "-extract", "/", folder)


def efi_boot_path(path: str) -> str:
    """The file that UEFI boots, by the catalogue of the image."""
    told = run("xorriso", "-indev", path, "-report_el_torito", "plain")
    assert "UEFI" in told, told
    return next(line.split()[-1] for line in told.splitlines() if line.startswith("El Torito img path"))
