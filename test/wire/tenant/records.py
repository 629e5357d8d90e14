"""All that a server is made of, and what is about nobody's machine: every command that needs no server, of a third tenant."""

import os

import openstack

from tenant.client import operator, person
from tenant.script import connect

NAME = "tenant-records"
WORK = os.environ["work"]


def walk_flavor():
    admin, tenant = operator(), person("yellow")
    made = admin.read(f"flavor create {NAME} --ram 1024 --disk 10 --vcpus 2 --private --property trait:CUSTOM_A=required")
    assert NAME in [row["Name"] for row in admin.read("flavor list --all")]
    assert NAME not in [row["Name"] for row in tenant.read("flavor list")]
    tenant.refused(f"flavor show {made['id']}", "No Flavor found")
    admin.do(f"flavor set {NAME} --property trait:CUSTOM_B=forbidden --description words")
    admin.do(f"flavor unset {NAME} --property trait:CUSTOM_A")
    assert admin.read(f"flavor show {NAME}")["properties"] == {"trait:CUSTOM_B": "forbidden"}
    tenant.refused("flavor create mine --ram 1 --disk 1 --vcpus 1", "403")
    tenant.refused(f"flavor delete {made['id']}", made["id"])
    admin.do(f"flavor delete {NAME}")


def walk_key():
    tenant = person("yellow")
    private = os.path.join(WORK, "own-key")
    tenant.do(f"keypair create own --private-key {private}")
    with open(private) as file:
        assert "PRIVATE KEY" in file.read()
    assert [row["Name"] for row in tenant.read("keypair list")] == ["own"]
    assert tenant.read("keypair show own")["type"] == "ssh"
    person("bob").refused("keypair show own", "No Keypair found")
    tenant.do("keypair delete own")


def walk_image():
    tenant, bob = person("yellow"), person("bob")
    data = os.path.join(WORK, "image-data")
    with open(data, "wb") as file:
        file.write(os.urandom(100_000))
    image = tenant.read(f"image create {NAME} --disk-format raw --file {data}")
    assert tenant.read(f"image show {NAME}")["status"] == "active"
    tenant.do(f"image save {NAME} --file {data}-back")
    with open(data, "rb") as sent, open(f"{data}-back", "rb") as got:
        assert sent.read() == got.read(), "the data of the image is not what was sent"
    assert "web-download" in str(tenant.read("image import info"))
    staged = tenant.read(f"image create {NAME}-staged --disk-format raw")["id"]
    tenant.do(f"image stage {staged} --file {data}")
    tenant.do(f"image import {staged} --method glance-direct")
    tenant.do(f"image delete {staged}")
    tenant.do(f"image set {NAME} --min-disk 3 --property os_distro=debian --tag t")
    tenant.do(f"image unset {NAME} --property os_distro --tag t")
    assert "os_distro" not in str(tenant.read(f"image show {NAME}"))
    bob.refused(f"image show {image['id']}", "No Image found")
    tenant.do(f"image set {NAME} --shared")
    assert tenant.read(f"image member list {image['id']}") == []
    tenant.refused(f"image set {NAME} --public", "403")
    tenant.do(f"image delete {NAME}")


def walk_network():
    tenant, bob = person("yellow"), person("bob")
    network = tenant.read(f"network create {NAME} --mtu 1450 --description d")["id"]
    assert NAME in [row["Name"] for row in tenant.read("network list")]
    tenant.do(f"network set {NAME} --tag t --description e")
    tenant.do(f"network unset {NAME} --tag t")
    now = tenant.read(f"network show {NAME}")
    assert (now["mtu"], now["description"], now["tags"]) == (1450, "e", []), now
    bob.refused(f"network show {network}", "No Network found")
    tenant.refused("network create mine --share", "403")
    subnet = tenant.read(f"subnet create {NAME} --network {NAME} --subnet-range 10.5.0.0/24 --gateway 10.5.0.254")["id"]
    tenant.do(f"subnet set {NAME} --dns-nameserver 9.9.9.9 --host-route destination=10.6.0.0/24,gateway=10.5.0.253")
    tenant.do(f"subnet unset {NAME} --dns-nameserver 9.9.9.9")
    assert tenant.read(f"subnet show {NAME}")["dns_nameservers"] == []
    assert subnet in [row["ID"] for row in tenant.read("subnet list")]
    bob.refused(f"subnet show {subnet}", "No Subnet found")
    return network, subnet


def walk_port(network: str, subnet: str):
    tenant, admin = person("yellow"), operator()
    port = tenant.read(f"port create {NAME} --network {network} --fixed-ip subnet={subnet},ip-address=10.5.0.9")["id"]
    tenant.refused(f"port create two --network {network} --fixed-ip subnet={subnet},ip-address=10.5.0.9", "409")
    tenant.do(f"port set {NAME} --description d --tag t --fixed-ip subnet={subnet},ip-address=10.5.0.10")
    tenant.do(f"port unset {NAME} --tag t --fixed-ip subnet={subnet},ip-address=10.5.0.9")
    [fixed] = tenant.read(f"port show {NAME}")["fixed_ips"]
    assert fixed["ip_address"] == "10.5.0.10", fixed
    assert port in [row["ID"] for row in tenant.read(f"port list --network {network}")]
    person("bob").refused(f"port show {port}", "No Port found")
    public = admin.read(f"network create {NAME}-public --external")["id"]
    admin.do(f"subnet create {NAME}-public --network {public} --no-dhcp --subnet-range 198.51.100.0/28")
    tenant.refused(f"port create mine --network {public}", "403")
    made = tenant.read(f"floating ip create {NAME}-public --port {port}")
    address = made["floating_ip_address"]
    assert tenant.read(f"floating ip show {address}")["fixed_ip_address"] == "10.5.0.10"
    tenant.do(f"floating ip set {address} --tag t")
    tenant.do(f"floating ip unset {address} --port --tag t")
    assert address in [row["Floating IP Address"] for row in tenant.read("floating ip list")]
    assert tenant.read(f"floating ip show {address}")["port_id"] is None
    assert person("bob").read("floating ip list --status DOWN") == []
    tenant.refused(f"network delete {network}", "409")
    tenant.do(f"floating ip delete {address}")
    tenant.do(f"port delete {port}")
    tenant.do(f"subnet delete {subnet}")
    tenant.do(f"network delete {network}")
    admin.do(f"network delete {public}")


def walk_limits():
    """The client's own commands for quotas want an identity service, which the SDK does not."""
    tenant, admin, cloud = person("yellow"), connect("operator"), connect("yellow")
    usual = cloud.compute.get_quota_set("yellow").instances
    admin.compute.update_quota_set("yellow", instances=0)
    assert cloud.compute.get_limits().absolute.instances == 0
    admin.compute.revert_quota_set("yellow")
    assert cloud.compute.get_quota_set("yellow").instances == usual
    admin.network.update_quota("yellow", networks=0)
    try:
        cloud.network.create_network(name="too-many")
        raise AssertionError("there is a network more than the quota lets")
    except openstack.exceptions.ConflictException as error:
        assert "quota" in str(error).lower(), error
    admin.network.delete_quota("yellow", ignore_missing=False)
    assert cloud.network.get_quota("yellow").networks > 0
    groups = tenant.read("security group list")
    assert [group["Name"] for group in groups] == ["default"]
    assert tenant.read(f"security group show {groups[0]['ID']}")["name"] == "default"


def walk_services():
    """What administrators alone may ask; tenant.life looks at what is answered when there is a machine."""
    tenant, admin = person("yellow"), operator()
    tenant.refused("hypervisor list", "403")
    tenant.refused("compute service list", "403")
    assert isinstance(admin.read("compute service list"), list)
    assert admin.read("--os-compute-api-version 2.87 hypervisor stats show")["count"] >= 0


def walk_group():
    tenant = person("yellow")
    made = tenant.read(f"server group create {NAME} --policy anti-affinity")
    assert [row["Name"] for row in tenant.read("server group list")] == [NAME]
    assert tenant.read(f"server group show {NAME}")["id"] == made["id"]
    person("bob").refused(f"server group show {made['id']}", "No ServerGroup found")
    tenant.do(f"server group delete {NAME}")


def walk():
    walk_flavor()
    walk_key()
    walk_image()
    walk_port(*walk_network())
    walk_group()
    walk_services()
    walk_limits()
