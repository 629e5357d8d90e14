"""What the agent is told of its hardware where it would look at the host."""

import os

from ironic_python_agent import hardware, netutils, tls_utils

from disk import SIZE, Disk


class Machine(hardware.GenericHardwareManager):
    """The generic hardware manager on another machine: one network card, one disk, started by UEFI."""

    def __init__(self, disk: Disk, mac: str, folder: str):
        super().__init__()
        self.disk = disk
        self.mac = mac
        self.folder = folder

    def list_network_interfaces(self):
        return [hardware.NetworkInterface("eth0", self.mac, ipv4_address="127.0.0.1", has_carrier=True)]

    def list_block_devices(self, include_partitions=False, all_serial_and_wwn=False):
        """The disk, and where they are asked for its partitions."""
        found = [(self.disk.path, SIZE)]
        if include_partitions:
            found += [(self.disk.device_of(row), row["size"]) for row in self.disk.partitions()]
        return [hardware.BlockDevice(name, "Simulated", size, False, serial="0001") for name, size in found]

    def get_boot_info(self):
        return hardware.BootInfo(current_boot_mode="uefi")

    def get_bmc_address(self):
        return None

    def get_bmc_v6address(self):
        return None

    def generate_tls_certificate(self, ip_address):
        """The agent's own, in a folder of this agent: there are several on this host."""
        names = [os.path.join(self.folder, name) for name in ("agent.crt", "agent.key")]
        text = tls_utils._generate_tls_certificate(*names, netutils.get_hostname(), ip_address)
        return tls_utils.TlsCertificate(text, *names)
