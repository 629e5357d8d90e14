"""A server of the administrator, for whom nobody has to say who they are (auth none): he has a project as well."""

from tenant.client import operator, person
from tenant.machine import enrol, make_flavor, remove
from tenant.server import node_of, settled
from world import control, expect, node, until

NAME = "tenant-admin"


def walk(machine):
    uuid = enrol(NAME, machine)
    make_flavor(NAME)
    admin = operator()
    demo = control("/machines")["images"]["demo_raw"]
    admin.do(f"image create {NAME} --public --disk-format raw --property image_checksum={demo['sha256']}")
    admin.do(f"image import {NAME} --method web-download --uri {demo['url']}")
    admin.do(f"network create {NAME} --share")
    admin.do(f"subnet create {NAME} --network {NAME} --subnet-range 10.4.0.0/24")
    server = admin.read(f"server create root1 --image {NAME} --flavor {NAME} --network {NAME} --wait")
    assert (server["status"], server["project_id"]) == ("ACTIVE", "admin"), server
    shown = admin.read("server show root1")
    assert shown["OS-EXT-SRV-ATTR:hypervisor_hostname"] == uuid == node_of(server["id"])["uuid"], shown
    ann = person("ann")
    ann.refused(f"server show {server['id']}", "No Server found")
    assert NAME in [row["Name"] for row in ann.read("image list")]
    assert NAME in [row["Name"] for row in ann.read("network list")]
    admin.do("server set root1 --state error --auto-approve")
    assert admin.read("server show root1")["status"] == "ERROR"
    admin.do("server set root1 --state active --auto-approve")
    settled(admin, "root1", "ACTIVE")
    admin.do("server delete root1 --wait")
    until("the node to be available", lambda: node(uuid)["provision_state"] == "available" and not node(uuid)["reservation"])
    expect(uuid, instance_uuid=None, instance_info={})
    admin.do(f"network delete {NAME}")
    admin.do(f"image delete {NAME}")
    remove(NAME)
