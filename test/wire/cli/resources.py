"""`openstack baremetal create`: chassis, nodes, ports and port groups out of files."""

import json
import os

from commands import metal, read, refused

FILE = os.path.join(os.environ["work"], "resources.json")
BAD = os.path.join(os.environ["work"], "bad.json")

PORT = {"address": "52:54:00:0b:00:01"}
GROUPED = {"address": "52:54:00:0b:00:02"}
NODE = {
    "name": "cli-file",
    "driver": "fake-hardware",
    "ports": [PORT],
    "portgroups": [{"name": "cli-file-bond", "ports": [GROUPED]}],
}


def write(path, resources):
    with open(path, "w") as file:
        json.dump(resources, file)


def walk():
    write(FILE, {"chassis": [{"description": "cli-file", "nodes": [NODE]}]})
    metal(f"create {FILE}")
    node = read("node show cli-file")
    assert {row["address"] for row in read("port list --node cli-file")} == {PORT["address"], GROUPED["address"]}
    group = read("port group show cli-file-bond")
    assert group["node_uuid"] == node["uuid"], group
    assert read(f"port show --address {GROUPED['address']}")["portgroup_uuid"] == group["uuid"]
    assert read(f"chassis show {node['chassis_uuid']}")["description"] == "cli-file"
    write(BAD, {"nodes": [{"name": "cli-file", "driver": "fake-hardware"}]})
    refused(f"create {BAD}", "cli-file", "already exists")
    metal("node delete cli-file")
    metal(f"chassis delete {node['chassis_uuid']}")
