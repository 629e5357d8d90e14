"""The life of a server with the command line client, as a tenant, on a machine with a BMC."""

import hashlib
import json
import os
import urllib.request

import world
from tenant import strangers
from tenant.client import Person, operator, person
from tenant.machine import enrol, make_flavor, remove, second_card
from tenant.server import disk_of, file_of, has_address, node_of, settled
from world import CONTROL, control, expect, node, options, until

NAME = "tenant-life"
WORK = os.environ["work"]
USER_DATA = b"#cloud-config\nhostname: walk\n"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMVWzIPCvgFhLF8Nk5RgZwQ3w0Fyd3UHV9qA0UXeYBmE ann@desk"


def write(name: str, data: bytes) -> str:
    path = os.path.join(WORK, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def make_image(who: Person, name: str, **properties: str) -> str:
    """An image of data at a URL; its id."""
    demo = control("/machines")["images"]["demo_raw"]
    given = options("property", {"image_checksum": demo["sha256"], **properties})
    image = who.read(f"image create {name} --disk-format raw", *given)
    assert image["status"] == "queued", image
    who.do(f"image import {name} --method web-download --uri {demo['url']}")
    until(f"image {name} to be active", lambda: who.read(f"image show {name}")["status"] == "active")
    return image["id"]


def make_network(who: Person, name: str, cidr: str) -> dict:
    network = who.read(f"network create {name}")["id"]
    subnet = who.read(f"subnet create {name}-v4 --network {name} --subnet-range {cidr} --dns-nameserver 9.9.9.9")["id"]
    return {"network": network, "subnet": subnet}


def walk_create(who: Person, machine: dict, image: str) -> dict:
    """With a key, user data, two networks; on the disk is what was asked for, and the network knows who has what."""
    who.do("keypair create ann-key --public-key", write("k.pub", KEY.encode()))
    user_data = write("user_data", USER_DATA)
    made = who.read(
        f"server create s1 --image {image} --flavor {NAME} --network {NAME} --network {NAME}-2 --key-name ann-key"
        f" --user-data {user_data} --property role=web --wait"
    )
    assert made["status"] == "ACTIVE" and made["OS-EXT-STS:power_state"] in (1, "Running"), made
    disk = disk_of(machine)
    assert disk["image"]["sha256"] == world.image()["image_os_hash_value"], disk
    files = disk["configdrive"]["files"]
    assert files["openstack/latest/user_data"]["sha256"] == hashlib.sha256(USER_DATA).hexdigest(), files
    meta = file_of(machine, "openstack/latest/meta_data.json")
    assert meta["uuid"] == made["id"] and meta["public_keys"] == {"ann-key": KEY} and meta["meta"] == {"role": "web"}, meta
    return made


def addresses_of(server: dict) -> dict:
    """The one address by network."""
    return {network: found[0] for network, found in server["addresses"].items()}


def walk_connectivity(who: Person, machine: dict, server: dict) -> dict:
    """The record of who is connected to what: of the network, of the node, and on the drive. Her addresses by card."""
    cards = {machine["mac"], second_card(machine)}
    found = node_of(server["id"])
    vifs = {vif["id"] for vif in world.api(f"/v1/nodes/{found['uuid']}/vifs")["vifs"]}
    told = file_of(machine, "openstack/latest/network_data.json")
    addresses = {}
    for network, address in addresses_of(server).items():
        [row] = who.read(f"port list --server s1 --network {network}")
        port = who.read(f"port show {row['ID']}")
        assert port["status"] == "ACTIVE" and port["device_owner"].startswith("compute:"), port
        assert port["mac_address"] in cards and port["fixed_ips"][0]["ip_address"] == address, port
        assert port["binding_host_id"] is None, port
        assert operator().read(f"port show {row['ID']}")["binding_host_id"] == found["uuid"], "its machine is not known"
        assert row["ID"] in vifs, vifs
        [there] = [one for one in told["networks"] if one["ip_address"] == address]
        [link] = [one for one in told["links"] if one["id"] == there["link"]]
        assert link["ethernet_mac_address"] == port["mac_address"] and link["vif_id"] == row["ID"], told
        addresses[port["mac_address"]] = address
    assert set(addresses) == cards, addresses
    return addresses


def save_drive(machine: dict, server: dict, addresses: dict) -> None:
    """For the real cloud-init, which reads it when the walk is over (guest/server.py)."""
    os.makedirs(os.path.join(WORK, "server"))
    with urllib.request.urlopen(f"{CONTROL}/machines/{machine['name']}/configdrive") as answer:
        write("server/drive.iso", answer.read())
    told = {"id": server["id"], "key": KEY, "user_data": USER_DATA.decode(), "addresses": addresses}
    write("server/expected.json", json.dumps(told).encode())


def walk_guest_document(server: dict) -> None:
    """What an operator reads of the guest, without asking the tenant's side."""
    url = f"{world.API}/v1/nodes/{node_of(server['id'])['uuid']}/guest-metadata"
    request = urllib.request.Request(url, headers={**world.PROOF, "X-OpenStack-Ironic-API-Version": "latest"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    for wanted in ("<nova:name>s1</nova:name>", 'uuid="blue"', *addresses_of(server).values()):
        assert wanted in text, f"{wanted} is not in {text}"
    info = node_of(server["id"])["instance_info"]
    assert info["display_name"] == "s1" and info["project_id"] == "blue" and info["flavor_name"] == NAME, info


def walk_lists(who: Person, server: dict, address: str) -> None:
    def found(filters: str) -> list:
        return [row["ID"] for row in who.read(f"server list {filters}")]

    for filters in ("", "--long", "--name ^s", "--status ACTIVE", f"--ip {address}", f"--flavor {NAME}", "--limit 1"):
        assert found(filters) == [server["id"]], filters
    for filters in ("--name nobody", "--status SHUTOFF", "--ip 192.0.2.9"):
        assert found(filters) == [], filters
    assert server["id"] in [row["ID"] for row in operator().read("server list --all-projects")]


def walk_operator(who: Person, uuid: str) -> None:
    """Her machine as what clouds call a hypervisor, and its zone, which she sees, too."""
    assert "nova" in [row["Zone Name"] for row in who.read("availability zone list --compute")]
    admin = operator()
    assert uuid in [row["Hypervisor Hostname"] for row in admin.read("hypervisor list")]
    shown = admin.read(f"hypervisor show {uuid}")
    assert (shown["hypervisor_hostname"], shown["state"]) == (uuid, "up"), shown
    services = admin.read("compute service list")
    assert {row["State"] for row in services if row["Binary"] == "nova-compute"} == {"up"}, services


def walk_names(who: Person) -> None:
    who.do("server set s1 --name s2 --description words --property a=b --tag t1 --hostname web1")
    now = who.read("server show s2")
    assert (now["description"], now["tags"]) == ("words", ["t1"]), now
    assert now["properties"] == {"role": "web", "a": "b"} and now["OS-EXT-SRV-ATTR:hostname"] == "web1", now
    assert [row["Name"] for row in who.read("server list --tags t1")] == ["s2"]
    who.do("server unset s2 --property a --tag t1 --description")
    who.do("server set s2 --name s1")
    now = who.read("server show s1")
    assert now["properties"] == {"role": "web"} and now["tags"] == [], now


def walk_power(who: Person, machine: dict) -> None:
    for command, status, power in (
        ("stop s1", "SHUTOFF", "off"),
        ("start s1", "ACTIVE", "on"),
        ("reboot s1", "ACTIVE", "on"),
        ("reboot s1 --hard", "ACTIVE", "on"),
    ):
        boots = control(f"/machines/{machine['name']}")["boot_count"]
        who.do(f"server {command}")
        settled(who, "s1", status)
        state = control(f"/machines/{machine['name']}")
        assert state["power"] == power, f"after {command} the machine is {state['power']}"
        assert "reboot" not in command or state["boot_count"] > boots, f"{command} restarted nothing"
    who.do("server dump create s1")
    until("the machine to be interrupted", lambda: "Nmi" in json.dumps(control(f"/machines/{machine['name']}")["resets"]))
    who.refused("server start s1", "409")


def walk_rebuild(who: Person, machine: dict) -> None:
    """The root is written anew each time; what was on the ephemeral disk is there after it only if she asked for that."""

    def rebuild(*flags: str) -> dict:
        before = disk_of(machine)["image"]["written_at"]
        who.do(f"server rebuild s1 --image {NAME}-part --wait", *flags)
        settled(who, "s1", "ACTIVE")
        disk = disk_of(machine)
        assert disk["image"]["written_at"] > before, "the root was not written anew"
        return disk["ephemeral"]

    first = disk_of(machine)["ephemeral"]
    assert first["mb"] == 5 * 1024, first
    assert rebuild("--preserve-ephemeral")["made_at"] == first["made_at"], "the ephemeral disk was made anew"
    assert rebuild("--no-preserve-ephemeral")["made_at"] > first["made_at"], "the ephemeral disk was kept"
    who.do(f"server rebuild s1 --image {NAME} --name s1 --wait")
    assert settled(who, "s1", "ACTIVE")["image"].startswith(NAME), "another image is none"


def walk_rescue(who: Person, machine: dict) -> None:
    who.do(f"server rescue s1 --password {world.RESCUE_PASSWORD}")
    settled(who, "s1", "RESCUE")
    assert control(f"/machines/{machine['name']}")["phase"] == "ramdisk"
    who.refused("server stop s1", "409")
    who.do("server unrescue s1")
    settled(who, "s1", "ACTIVE")
    until("the machine to run its own system", lambda: control(f"/machines/{machine['name']}")["phase"] == "os")


def walk_interfaces(who: Person) -> None:
    second = f"{NAME}-2"
    who.do(f"server remove network s1 {second}")
    until("the network to be gone", lambda: second not in settled(who, "s1", "ACTIVE")["addresses"])
    who.do(f"server add fixed ip s1 {second} --fixed-ip-address 10.8.0.50")
    has_address(who, "s1", "10.8.0.50", True)
    who.do(f"server remove network s1 {second}")
    until("the network to be gone", lambda: second not in settled(who, "s1", "ACTIVE")["addresses"])
    port = who.read(f"port create p1 --network {second} --fixed-ip ip-address=10.8.0.77")["id"]
    who.do("server add port s1 p1")
    has_address(who, "s1", "10.8.0.77", True)
    who.refused(f"port delete {port}", port)
    who.do("server remove port s1 p1")
    has_address(who, "s1", "10.8.0.77", False)
    who.do("port delete p1")
    who.do(f"server add network s1 {second}")
    until("the network to be back", lambda: second in settled(who, "s1", "ACTIVE")["addresses"])
    [row] = who.read(f"port list --server s1 --network {second}")
    assert row["Status"] == "ACTIVE", row


def walk_floating(who: Person, server: dict) -> str:
    made = who.read(f"floating ip create {NAME}-public")
    address = made["floating_ip_address"]
    who.do(f"server add floating ip s1 {address}")
    has_address(who, "s1", address, True)
    found = node_of(server["id"])
    assert address in found["instance_info"]["floating_ips"], found["instance_info"]
    who.do(f"server remove floating ip s1 {address}")
    assert who.read(f"floating ip show {address}")["port_id"] is None
    who.do(f"server add floating ip s1 {address}")
    return made["id"]


def walk_lock(who: Person) -> None:
    who.do("server lock s1 --reason mine")
    who.refused("server stop s1", "409", "locked")
    assert who.read("server show s1")["locked"] is True
    who.do("server unlock s1")


def walk_impossible(who: Person) -> None:
    """What no machine can do is said to be that, and leaves the server as it is."""
    for command in ("pause s1", "shelve s1", f"resize s1 --flavor {NAME}", "image create s1"):
        who.refused(f"server {command}", "501")
    settled(who, "s1", "ACTIVE")


def walk_events(who: Person, server: dict) -> None:
    rows = who.read("server event list s1")
    actions = {row["Action"] for row in rows}
    wanted = {"create", "stop", "start", "reboot", "rebuild", "rescue", "unrescue", "lock", "attach_interface"}
    assert wanted <= actions, wanted - actions
    create = next(row["Request ID"] for row in rows if row["Action"] == "create")
    seen = who.read(f"server event show s1 {create}")
    assert seen["action"] == "create" and all(event["host"] is None for event in seen["events"]), seen
    told = operator().read(f"server event show {server['id']} {create}")
    assert "RetryFilter" in json.dumps(told) or "candidates" in json.dumps(told), told


def walk_delete(who: Person, machine: dict, server: dict, uuid: str) -> None:
    """The server is gone, its ports are, its machine is as it was before."""
    who.do("server delete s1 --wait")
    who.refused(f"server show {server['id']}", "No Server found")
    assert who.read("server list") == [] and who.read("port list") == []
    until("the node to be available", lambda: node(uuid)["provision_state"] == "available" and not node(uuid)["reservation"])
    expect(uuid, instance_uuid=None, instance_info={}, lessee=None, power_state="power off", last_error=None)
    assert world.api(f"/v1/nodes/{uuid}/vifs")["vifs"] == []
    state = control(f"/machines/{machine['name']}")
    disk = state["disk"]
    assert (disk["image"], disk["configdrive"], disk["ephemeral"]) == (None, None, None), disk
    assert not any(state["media"].values()) and state["violations"] == [], state


def walk(machine):
    uuid = enrol(NAME, machine)
    make_flavor(NAME, "--ephemeral", "5")
    public = operator().read(f"network create {NAME}-public --external")["id"]
    operator().do(f"subnet create {NAME}-public --network {public} --no-dhcp --subnet-range 203.0.113.0/28")
    ann = person("ann")
    make_image(ann, NAME)
    image = make_image(ann, f"{NAME}-part", img_type="partition")
    nets = make_network(ann, NAME, "10.7.0.0/24")
    make_network(ann, f"{NAME}-2", "10.8.0.0/24")
    server = walk_create(ann, machine, f"{NAME}-part")
    save_drive(machine, server, walk_connectivity(ann, machine, server))
    walk_guest_document(server)
    walk_lists(ann, server, addresses_of(server)[NAME])
    walk_operator(ann, uuid)
    walk_names(ann)
    walk_power(ann, machine)
    walk_rebuild(ann, machine)
    walk_rescue(ann, machine)
    walk_interfaces(ann)
    floating = walk_floating(ann, server)
    walk_lock(ann)
    walk_impossible(ann)
    walk_events(ann, server)
    [port] = [row["ID"] for row in ann.read(f"port list --server s1 --network {NAME}")]
    things = {"server": server["id"], "image": image, "port": port, "floating": floating, "key": "ann-key", **nets}
    strangers.see_nothing("bob", things)
    strangers.sees_no_machine("ann", things, machine, node(uuid))
    settled(ann, "s1", "ACTIVE")
    walk_delete(ann, machine, server, uuid)
    ann.do(f"floating ip delete {floating}")
    ann.do("keypair delete ann-key")
    for name in (NAME, f"{NAME}-2"):
        ann.do(f"subnet delete {name}-v4")
        ann.do(f"network delete {name}")
    ann.do(f"image delete {NAME} {NAME}-part")
    operator().do(f"network delete {NAME}-public")
    remove(NAME)
