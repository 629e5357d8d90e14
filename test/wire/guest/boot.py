"""What cloud-init does when it finds a drive of OpenStack, but for writing files into this machine."""

import os
import subprocess
from types import SimpleNamespace

from cloudinit.helpers import Paths
from cloudinit.sources import DataSourceConfigDrive as source

# What was called as on the first boot of a guest.
first_boot: list = []


def boot(folder: str, cards: dict) -> source.DataSourceConfigDrive:
    """Reads FOLDER/drive.iso on a machine with these cards: their names by their MAC addresses."""
    seed = os.path.join(folder, "seed", "config_drive")
    os.makedirs(seed)
    command = ["xorriso", "-osirrox", "on", "-indev", os.path.join(folder, "drive.iso"), "-extract", "/", seed]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    source.on_first_boot = lambda results, **_more: first_boot.append(results)
    source.get_previous_iid = lambda _paths: None
    paths = Paths({"cloud_dir": folder, "run_dir": folder})
    found = source.DataSourceConfigDrive({}, SimpleNamespace(), paths)
    found.known_macs = cards
    assert found._get_data(), "cloud-init did not take the drive for one of OpenStack"
    return found
