"""The life of a server with openstacksdk, as a script of another tenant: its compute, image and network proxies."""

import base64
import os

import openstack

from tenant.client import operator, password
from tenant.machine import enrol, make_flavor, remove
from tenant.server import disk_of
from world import control, expect, image, node, until

NAME = "tenant-script"
USER_DATA = base64.b64encode(b"#!/bin/sh\necho sdk\n").decode()
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMVWzIPCvgFhLF8Nk5RgZwQ3w0Fyd3UHV9qA0UXeYBmE bob@desk"


def connect(name: str) -> openstack.connection.Connection:
    """A connection as a user of http_basic, or as the operator, with the file that Ingot wrote."""
    clouds = os.path.join(os.environ["work"], "state", "clouds.yaml")
    config = openstack.config.OpenStackConfig(config_files=[clouds], load_envvars=False)
    login: dict = {"auth_type": "http_basic", "auth": {"username": name, "password": password(name)}}
    if name == "operator" and os.environ["OS_AUTH_TYPE"] == "none":
        login = {}
    # The proxies ask for what they need, up to what Ingot has: the file pins what the command line sends.
    region = config.get_one(cloud="ingot", compute_api_version=None, **login)
    return openstack.connection.Connection(config=region)


def walk_image(cloud) -> object:
    demo = control("/machines")["images"]["demo_raw"]
    made = cloud.image.create_image(
        NAME,
        disk_format="raw",
        container_format="bare",
        sha256=demo["sha256"],
        use_import=True,
        import_method="web-download",
        uri=demo["url"],
        wait=True,
    )
    found = cloud.image.find_image(NAME)
    assert found.id == made.id and found.status == "active" and found.hash_value == demo["sha256"], found
    assert [one.id for one in cloud.image.images(name=NAME)] == [made.id]
    cloud.image.update_image(made.id, min_disk=1)
    cloud.image.add_tag(made.id, "mine")
    assert cloud.image.get_image(made.id).tags == ["mine"]
    cloud.image.remove_tag(made.id, "mine")
    cloud.image.add_member(made.id, member_id="blue")
    assert [member.member_id for member in cloud.image.members(made.id)] == ["blue"]
    cloud.image.remove_member("blue", made.id)
    return found


def walk_network(cloud) -> tuple:
    network = cloud.network.create_network(name=NAME)
    subnet = cloud.network.create_subnet(network_id=network.id, ip_version=4, cidr="10.9.0.0/24", name=NAME)
    port = cloud.network.create_port(network_id=network.id, fixed_ips=[{"ip_address": "10.9.0.5"}], name=NAME)
    assert cloud.network.find_network(NAME).subnet_ids == [subnet.id]
    assert cloud.network.get_port(port.id).fixed_ips[0]["ip_address"] == "10.9.0.5"
    cloud.network.update_port(port, description="words")
    assert [one.id for one in cloud.network.ports(description="words")] == [port.id]
    assert cloud.network.get_quota("green", details=True).ports["used"] == 1
    return network, subnet, port


def walk_create(cloud, machine, picture, port):
    compute = cloud.compute
    compute.create_keypair(name="k", public_key=KEY)
    assert [one.name for one in compute.keypairs()] == ["k"]
    flavor = compute.find_flavor(NAME)
    assert compute.find_flavor("nobody") is None
    server = compute.create_server(
        name="x1",
        flavor_id=flavor.id,
        image_id=picture.id,
        networks=[{"port": port.id}],
        key_name="k",
        user_data=USER_DATA,
        metadata={"role": "db"},
        config_drive=True,
    )
    server = compute.wait_for_server(server, wait=240)
    assert server.status == "ACTIVE" and server.access_ipv4 == "", server
    assert server.addresses[NAME][0]["addr"] == "10.9.0.5", server.addresses
    assert disk_of(machine)["image"]["sha256"] == image()["image_os_hash_value"]
    return server


def walk_reading(cloud, server):
    compute = cloud.compute
    assert [one.id for one in compute.servers(name="^x")] == [server.id]
    assert [one.id for one in compute.servers(details=False, status="ACTIVE", limit=1)] == [server.id]
    assert list(compute.servers(status="ERROR")) == []
    assert compute.find_server("x1").id == server.id
    [card] = compute.server_interfaces(server)
    assert card.fixed_ips[0]["ip_address"] == "10.9.0.5" and card.port_state == "ACTIVE", card
    assert [action.action for action in compute.server_actions(server)] == ["create"]
    limits = compute.get_limits()
    assert limits.absolute.instances_used == 1 and limits.absolute.total_cores_used == 4, limits
    assert "nova" in [zone.name for zone in compute.availability_zones()]
    compute.set_server_metadata(server, role="web", a="b")
    assert compute.get_server_metadata(server).metadata == {"role": "web", "a": "b"}
    compute.delete_server_metadata(server, ["a"])
    compute.add_tag_to_server(server, "t1")
    assert compute.get_server(server.id).tags == ["t1"]
    compute.remove_tags_from_server(server)
    compute.update_server(server, name="x2")
    assert compute.get_server(server.id).name == "x2"


def walk_working(cloud, machine, server, picture):
    compute = cloud.compute

    def reaches(status: str) -> None:
        done = compute.wait_for_server(compute.get_server(server.id), status=status, wait=120)
        until("its task to be over", lambda: compute.get_server(done.id).task_state is None)

    compute.stop_server(server)
    reaches("SHUTOFF")
    compute.start_server(server)
    reaches("ACTIVE")
    compute.reboot_server(server, "HARD")
    reaches("ACTIVE")
    before = disk_of(machine)["image"]["written_at"]
    compute.rebuild_server(server, picture.id, name="x1", preserve_ephemeral=False)
    until("the rebuild to be over", lambda: disk_of(machine)["image"] and disk_of(machine)["image"]["written_at"] > before)
    reaches("ACTIVE")
    compute.rescue_server(server, admin_pass="correct-horse-too")
    reaches("RESCUE")
    compute.unrescue_server(server)
    reaches("ACTIVE")
    compute.lock_server(server)
    try:
        compute.stop_server(server)
        raise AssertionError("a locked server was stopped")
    except openstack.exceptions.ConflictException as error:
        assert "locked" in str(error), error
    compute.unlock_server(server)


def walk_cards(cloud, server, network):
    compute = cloud.compute
    made = compute.create_server_interface(server, net_id=network.id)
    until("the card to be plugged", lambda: cloud.network.get_port(made.port_id).status == "ACTIVE")
    assert len(list(compute.server_interfaces(server))) == 2
    compute.delete_server_interface(made.port_id, server=server, ignore_missing=False)
    until("the card to be gone", lambda: len(list(compute.server_interfaces(server))) == 1)
    until("its port to be gone", lambda: cloud.network.find_port(made.port_id) is None)


def walk(machine):
    uuid = enrol(NAME, machine)
    make_flavor(NAME)
    cloud = connect("bob")
    picture = walk_image(cloud)
    network, subnet, port = walk_network(cloud)
    server = walk_create(cloud, machine, picture, port)
    walk_reading(cloud, server)
    walk_working(cloud, machine, server, picture)
    walk_cards(cloud, server, network)
    stranger = connect("ann")
    assert stranger.compute.find_server(server.id) is None and stranger.network.find_port(port.id) is None
    assert operator().read(f"server show {server.id}")["OS-EXT-SRV-ATTR:hypervisor_hostname"] == uuid
    cloud.compute.delete_server(server)
    cloud.compute.wait_for_delete(server, wait=120)
    until("the node to be available", lambda: node(uuid)["provision_state"] == "available" and not node(uuid)["reservation"])
    expect(uuid, instance_uuid=None, instance_info={})
    assert cloud.network.get_port(port.id).device_id == "", "her own port is not hers again"
    cloud.network.delete_port(port, ignore_missing=False)
    cloud.network.delete_subnet(subnet, ignore_missing=False)
    cloud.network.delete_network(network, ignore_missing=False)
    cloud.compute.delete_keypair("k", ignore_missing=False)
    cloud.image.delete_image(picture.id, ignore_missing=False)
    remove(NAME)
