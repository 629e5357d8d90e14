"""A parser that is not ours reads guest documents and finds what was told: documents.py FOLDER."""

import json
import os
import sys
import xml.etree.ElementTree as xml

with open(os.path.join(sys.argv[1], "documents.json"), encoding="utf-8") as opened:
    DOCUMENTS = json.load(opened)


def check(document: dict) -> None:
    """One document; attributes and texts as they were told, nothing else in between."""
    space = f"{{http://openstack.org/xmlns/libvirt/nova/{document['schema']}}}"
    root, told = xml.fromstring(document["xml"].encode("utf-8")), document["told"]
    found = {
        "package": root.find(f"{space}package").get("version"),
        "name": root.find(f"{space}name").text,
        "user": root.find(f"{space}owner/{space}user").text,
        "user_id": root.find(f"{space}owner/{space}user").get("uuid"),
        "flavor": root.find(f"{space}flavor").get("name"),
        "extra_specs": [[one.get("name"), one.text] for one in root.iter(f"{space}extraSpec")],
        "addresses": [
            [port.get("uuid"), [ip.get("address") for ip in port]] for port in root.find(f"{space}ports")
        ],
    }
    if document["schema"] == "1.0":
        told = {**told, "extra_specs": []}
    assert found == told, f"{document['xml']}\n{found}\n{told}"


for one in DOCUMENTS:
    check(one)
assert len(DOCUMENTS) == 500
print(f"{len(DOCUMENTS)} guest documents say to a parser what they were told")
