"""The real cloud-init reads the drive of a guest as its data source ConfigDrive does: drive.py FOLDER."""

import sys

from boot import boot, first_boot
from cloudinit import version
from cloudinit.sources import DataSourceConfigDrive as source

FOLDER = sys.argv[1]
KEY = "ssh-ed25519 AAAAC3Nza me@host"
# The cards of the machine, as a kernel names them.
CARDS = {f"52:54:00:aa:00:0{number}": f"eth{number}" for number in range(1, 5)}


def check_guest(found: source.DataSourceConfigDrive) -> None:
    """Who it is, who may log in, what it is told."""
    assert found.version == 2, found.version
    assert found.get_instance_id() == "6a1f2a5e-1111-4222-8333-944455556666"
    assert found.get_hostname(fqdn=True).hostname == "buero.cloud.test"
    assert found.get_public_ssh_keys() == [KEY], found.get_public_ssh_keys()
    assert found.availability_zone == "rack1"
    assert found.metadata["name"] == "Büro サーバ"
    assert found.metadata["meta"] == {"role": "web"}
    assert found.metadata["admin_pass"] == "correct-horse"
    assert found.metadata["random_seed"] == bytes([7] * 512)
    assert found.userdata_raw == b"#cloud-config\npackages: [vim]\n", found.userdata_raw
    assert found.vendordata_pure == {"cloud": "ingot"}
    assert found.vendordata2_pure == {"static": {"cloud": "ingot"}}
    assert found.files == {"/etc/motd": b"hello\n"}, found.files
    assert first_boot, "on_first_boot was not asked"


def check_ec2(found: source.DataSourceConfigDrive) -> None:
    """The older tree."""
    ec2 = found.ec2_metadata
    assert ec2["instance-type"] == "bm.small", ec2
    assert ec2["local-ipv4"] == "192.168.1.1"
    assert ec2["public-keys"]["0"]["openssh-key"] == KEY


def check_network(found: source.DataSourceConfigDrive) -> None:
    """The cards by their addresses, static and otherwise, and the bond."""
    config = found.network_config["config"]
    cards = {entry["name"]: entry for entry in config if "name" in entry}
    assert sorted(cards) == ["bond0", "eth1", "eth2", "eth3", "eth4"], sorted(cards)
    static, static6 = cards["eth1"]["subnets"]
    assert cards["eth1"]["mtu"] == 1450
    assert (static["type"], static["address"], static["netmask"]) == ("static", "192.168.1.1", "255.255.255.0")
    assert static["routes"][0] == {"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": "192.168.1.254"}
    assert (static6["type"], static6["address"]) == ("static6", "fd00:1::1")
    assert [subnet["type"] for subnet in cards["eth2"]["subnets"]] == ["dhcp4", "ipv6_slaac"]
    bond = cards["bond0"]
    assert (bond["type"], bond["bond_interfaces"]) == ("bond", ["eth3", "eth4"]), bond
    assert bond["params"] == {"bond_mode": "802.3ad", "bond_miimon": "100", "bond_xmit_hash_policy": "layer3+4"}
    assert bond["subnets"][0]["address"] == "172.16.0.9"
    servers = [entry["address"] for entry in config if entry["type"] == "nameserver"]
    assert servers == ["8.8.8.8", "9.9.9.9", "2001:4860:4860::8888", "10.0.0.53"], servers


def check_rendered(found: source.DataSourceConfigDrive) -> None:
    """What it would write for the guest's own network service, which takes less than it reads."""
    from cloudinit.net.netplan import Renderer
    from cloudinit.net.network_state import parse_net_config_data

    text = Renderer({})._render_content(parse_net_config_data(found.network_config))
    for wanted in ("192.168.1.1/24", "fd00:1::1/64", "via: 192.168.1.254", "via: fd00:1::fe", "172.16.0.9/20", "802.3ad"):
        assert wanted in text, f"{wanted} is not in what cloud-init would write:\n{text}"


drive = boot(FOLDER, CARDS)
check_guest(drive)
check_ec2(drive)
check_network(drive)
check_rendered(drive)
print(f"cloud-init {version.version_string()} took all of the drive")
