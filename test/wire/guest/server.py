"""The real cloud-init reads the drive of a server that tenant/life.py deployed, from the disk of its machine: server.py FOLDER."""

import json
import os
import sys

from boot import boot, first_boot
from cloudinit import version

FOLDER = sys.argv[1]

with open(os.path.join(FOLDER, "expected.json")) as file:
    told = json.load(file)
cards = {mac: f"eth{number}" for number, mac in enumerate(sorted(told["addresses"]))}
found = boot(FOLDER, cards)
assert found.get_instance_id() == told["id"], found.get_instance_id()
assert found.get_hostname(fqdn=True).hostname == "s1", found.get_hostname(fqdn=True)
assert found.get_public_ssh_keys() == [told["key"]], found.get_public_ssh_keys()
assert found.userdata_raw == told["user_data"].encode(), found.userdata_raw
assert found.metadata["meta"] == {"role": "web"} and len(found.metadata["random_seed"]) == 512, found.metadata
assert first_boot, "on_first_boot was not asked"
networks = {entry["name"]: entry for entry in found.network_config["config"] if "name" in entry}
for mac, address in told["addresses"].items():
    [subnet] = networks[cards[mac]]["subnets"]
    assert (subnet["type"], subnet["address"]) == ("static", address), networks
print(f"cloud-init {version.version_string()} took all of the server's drive")
