"""The stories, by name. One with parameters gets a player with a machine of its own, and the name of its node."""

import base64
import contextlib
import gzip
import hashlib
import http.server
import json
import os
import stat
import subprocess
import sys
import threading

import client
import iso
import world
from disk import MIB, SIZE, Disk
from player import BOOT, Agent, Player, without_secrets

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.environ["work"]
DRIVES = 300
SECONDS = 120
KEY = f"ssh-rsa {base64.b64encode(bytes(range(256)) + b'.').decode()} operator@example.org"
# The agent takes a bare image for base64 if an `=` in it could be the end of such text, three characters into a group
# of four (partition_utils.get_configdrive): among these settings there is one at each place, whatever is before them.
USER_DATA = "#!/bin/sh\nA=1\nBB=2\nC=3\nDD=4\nE=5\n"
# What an agent says that has a token.
TAKEN_IN = "Starting heartbeater"
REMNANT = b"what the last tenant has left behind"


def refuses_block_devices() -> None:
    """an agent that is given a block device of the host for its disk does not start"""
    folder = os.path.join(WORK, "refused")
    os.makedirs(folder)
    device = os.path.join(folder, "disk")
    try:
        # No driver can have this number (Linux gives block devices majors below 512): there is nothing behind it.
        os.mknod(device, stat.S_IFBLK | 0o600, os.makedev(4000, 0))
    except PermissionError:
        device = "/dev/null"
    done = subprocess.run([sys.executable, BOOT, folder, device], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode != 0 and "is not a regular file" in done.stderr, done.stderr


def soil(disk: Disk) -> None:
    """Leaves something at the start, in the middle and at the end."""
    for offset in (0, SIZE // 2, SIZE - MIB):
        disk.write(disk.path, REMNANT, offset)


def find_data(disk: Disk) -> list:
    """Where on the disk there is anything but zeros."""
    found, at = [], 0
    with open(disk.path, "rb") as file:
        while True:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:
                return found
            end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
            file.seek(at)
            if any(file.read(end - at)):
                found.append(at)
            at = end


def provide(player: Player, node: str) -> None:
    """Cleans the disk of what was on it."""
    soil(player.disk)
    client.provision(node, "provide")
    world.settled(node, "available", SECONDS)
    assert not find_data(player.disk), f"not erased at {find_data(player.disk)}"


def documents(hostname: str) -> dict:
    return {"meta_data": {"hostname": hostname, "public_keys": {"mykey": KEY}}, "user_data": USER_DATA}


def begin_deploy(node: str, target: str, configdrive, image: dict | None = None) -> None:
    client.ask("PATCH", f"/v1/nodes/{node}", [{"op": "add", "path": "/instance_info", "value": image or world.image()}])
    client.provision(node, target, configdrive=configdrive)


def deploy(node: str, target: str, configdrive) -> None:
    begin_deploy(node, target, configdrive)
    world.settled(node, "active", SECONDS)


def check_disk(player: Player, node: str, hostname: str) -> None:
    """The image is at the start, and the configdrive where the agent puts it, with the documents that were sent."""
    size = world.control("/machines")["images"]["demo_raw"]["size"]
    found = hashlib.sha256(player.disk.read(player.disk.path, size)).hexdigest()
    assert found == world.image()["image_os_hash_value"], "the disk does not begin with the image"
    assert "Adding loader \\EFI\\BOOT\\BOOTX64.EFI" in player.agents[-1].said(), "no boot loader was installed"
    drives = [row for row in player.disk.partitions() if row["number"] > 1]
    assert len(drives) == 1 and drives[0]["start"] == SIZE - 64 * MIB, player.disk.partitions()
    path = os.path.join(player.folder, f"{hostname}.iso")
    with open(path, "wb") as file:
        file.write(player.disk.read(player.disk.device_of(drives[0]), drives[0]["size"]))
    assert iso.label(path) == "config-2", iso.label(path)
    files = iso.files(path)
    meta_data = json.loads(files["/openstack/latest/meta_data.json"])
    wanted = {**documents(hostname)["meta_data"], "name": node, "uuid": world.node(node)["uuid"]}
    assert meta_data == wanted, meta_data
    assert files["/openstack/latest/user_data"].decode() == USER_DATA, files


def packed(hostname: str, node: str) -> bytes:
    """gzip of an image that another tool made."""
    folder = os.path.join(WORK, f"{hostname}.files")
    latest = os.path.join(folder, "openstack", "latest")
    os.makedirs(latest)
    meta_data = {**documents(hostname)["meta_data"], "name": node, "uuid": world.node(node)["uuid"]}
    for name, text in (("meta_data.json", json.dumps(meta_data)), ("user_data", USER_DATA)):
        with open(os.path.join(latest, name), "w") as file:
            file.write(text)
    image = f"{folder}.iso"
    iso.run("xorriso", "-as", "mkisofs", "-R", "-J", "-V", "config-2", "-o", image, folder)
    with open(image, "rb") as file:
        return gzip.compress(file.read())


def undeploy(player: Player, node: str) -> None:
    client.provision(node, "deleted")
    world.settled(node, "available", SECONDS)
    assert not find_data(player.disk), f"not erased at {find_data(player.disk)}"


def inspects(player: Player, node: str) -> None:
    """inspection by the agent keeps the inventory that it sent"""
    client.ask("PATCH", f"/v1/nodes/{node}", [{"op": "add", "path": "/inspect_interface", "value": "agent"}])
    client.provision(node, "inspect")
    world.settled(node, "manageable", SECONDS)
    inventory = client.ask("GET", f"/v1/nodes/{node}/inventory")["inventory"]
    assert [card["mac_address"] for card in inventory["interfaces"]] == [player.machine["mac"]], inventory
    assert [disk["size"] for disk in inventory["disks"]] == [SIZE], inventory


def deploys_documents(player: Player, node: str) -> None:
    """provide erases the disk, a deploy writes the image and a configdrive of documents to it, undeploy erases both"""
    provide(player, node)
    deploy(node, "active", documents("first"))
    check_disk(player, node, "first")
    deploy(node, "rebuild", documents("second"))
    check_disk(player, node, "second")
    undeploy(player, node)


def boots_parts(player: Player, node: str) -> None:
    """an agent is booted from an image that is built of kernel and ramdisk, and a deploy by it writes the image"""
    images = world.control("/machines")["images"]
    # For the simulator any content is a kernel, and a ramdisk that it does not know is a system that only runs.
    parts = {"deploy_kernel": images["kernel"], "deploy_ramdisk": images["kernel"], "bootloader": images["bootloader"]}
    changes = [{"op": "add", "path": f"/driver_info/{name}", "value": value} for name, value in parts.items()]
    client.ask("PATCH", f"/v1/nodes/{node}", [{"op": "remove", "path": "/driver_info/deploy_iso"}, *changes])
    provide(player, node)
    deploy(node, "active", documents("parts"))
    check_disk(player, node, "parts")
    booted = player.agents[-1]
    assert booted.kernel.get("boot_method") == "vmedia" and booted.kernel.get("ipa-api-url") == world.API, booted.kernel
    image = os.path.join(booted.folder, "slot0.iso")
    assert iso.efi_boot_path(image) == "/boot/grub/efiboot.img"
    files = iso.files(image)
    assert files["/vmlinuz"] == files["/initrd"], "kernel and ramdisk are not what was given"


def deploys_packed(player: Player, node: str) -> None:
    """a deploy writes a configdrive that came as base64, a rebuild one that was uploaded"""
    provide(player, node)
    deploy(node, "active", base64.b64encode(packed("as-base64", node)).decode())
    check_disk(player, node, "as-base64")
    deploy(node, "rebuild", client.upload(node, packed("as-upload", node)))
    check_disk(player, node, "as-upload")


def reads_drives() -> None:
    """the agent reads every configdrive that Ingot builds, from the links that Ingot makes"""
    folder = os.path.join(WORK, "drives")
    os.makedirs(folder)
    state = os.path.join(WORK, "state")
    open(os.path.join(folder, "cmdline"), "w").close()
    with open(os.path.join(folder, "drives"), "w") as file:
        script = os.path.join(HERE, "drives.ts")
        command = [os.environ["INGOT_NODE"], script, state, world.API, str(DRIVES)]
        subprocess.run(command, stdout=file, check=True, timeout=SECONDS)
    command = [sys.executable, os.path.join(HERE, "ramdisk", "fetch.py"), folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, without_secrets(done.stderr)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["count"] == DRIVES, told["count"]
    assert not told["wrong"], f"{len(told['wrong'])} of {DRIVES}, such as: {told['wrong'][:3]}"


def intrude(player: Player) -> Agent:
    """A second machine that says it has the MAC of the first one. Returns when it has been answered."""
    folder = os.path.join(player.folder, "stranger")
    disk = Disk.create(os.path.join(player.folder, "stranger-disk"))
    stranger = Agent(folder, disk, player.machine["mac"], [], {"ipa-api-url": world.API})
    player.strangers.append(stranger)
    ends = ("Failed looking up node", "This is **FATAL**", TAKEN_IN)
    world.until("an answer to the stranger", lambda: any(end in stranger.said() for end in ends), SECONDS)
    return stranger


def check_told_nothing(player: Player, node: str, stranger: Agent) -> None:
    """Asks what the stranger could ask, and sends what it could send."""
    assert TAKEN_IN not in stranger.said(), "the lookup of the stranger was answered with a token"
    path = f"/v1/lookup?addresses={player.machine['mac']}"
    status, answer = client.attempt("GET", path, version=client.AGENT_VERSION)
    told = status == 200 and answer["config"].get("agent_token") != "******"
    assert status in (200, 404) and not told, f"lookup answers a stranger with {status}, and with a token: {told}"
    beat = {"callback_url": "https://127.0.0.1:1", "agent_version": "13.0.0"}
    for token in ({}, {"agent_token": "******"}, {"agent_token": "0" * 64}):
        path = f"/v1/heartbeat/{world.node(node)['uuid']}"
        status, answer = client.attempt("POST", path, {**beat, **token}, client.AGENT_VERSION)
        assert 400 <= status < 500, f"a heartbeat with {token or 'no token'} is answered with {status}"


def refuses_strangers(player: Player, node: str) -> None:
    """whoever knows only the MAC of a machine gets no token for it, and cannot take its deploy over"""
    provide(player, node)
    player.may_start.clear()
    begin_deploy(node, "active", documents("owner"))
    world.until("the ramdisk", player.waits, SECONDS)
    check_told_nothing(player, node, intrude(player))
    player.may_start.set()
    world.settled(node, "active", SECONDS)
    check_disk(player, node, "owner")
    disk = Disk(os.path.join(player.folder, "stranger-disk"))
    assert not find_data(disk), "the image is on the disk of the stranger"


def rescues(player: Player, node: str) -> None:
    """a rescue leaves the hash of its password where the ramdisk looks for it; unrescue boots the disk as it was"""
    client.ask("PATCH", f"/v1/nodes/{node}", [{"op": "add", "path": "/rescue_interface", "value": "agent"}])
    provide(player, node)
    deploy(node, "active", documents("rescued"))
    client.provision(node, "rescue", rescue_password=world.RESCUE_PASSWORD)
    world.settled(node, "rescue", SECONDS)
    with open(os.path.join(player.agents[-1].folder, "ipa-rescue-password")) as file:
        told = file.read()
    _empty, method, salt, _hash = told.split("$")
    made = iso.run("openssl", "passwd", f"-{method}", "-salt", salt, world.RESCUE_PASSWORD).strip()
    assert told == made, "what the ramdisk would let in is not the password of the rescue"
    client.provision(node, "unrescue")
    world.settled(node, "active", SECONDS)
    # For the simulator its disk is empty: the agent has written to another one.
    seen = world.control(f"/machines/{player.machine['name']}")
    assert seen["boot"]["target"] == "Hdd" and not any(seen["media"].values()), (seen["boot"], seen["media"])
    size = world.control("/machines")["images"]["demo_raw"]["size"]
    found = hashlib.sha256(player.disk.read(player.disk.path, size)).hexdigest()
    assert found == world.image()["image_os_hash_value"], "the disk has been written"


@contextlib.contextmanager
def checksum_file(digest: str):
    """Serves a file as sha256sum makes it, with other images in it. Gives its URL."""
    image = os.path.basename(world.image()["image_source"])
    lines = [f"{'0' * 64}  other.raw", f"{digest} *{image}", f"{'1' * 64}  {image}.qcow2"]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write("\n".join([*lines, ""]).encode())

        def log_message(self, *_words):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/SHA256SUMS"
        server.shutdown()


def deploys_by_file(player: Player, node: str) -> None:
    """the digest of an image is in a file at a URL, named in either way; the agent writes none that is not the one in it"""
    provide(player, node)
    plain = world.image()
    rest = {"image_source": plain["image_source"], "image_disk_format": "raw"}
    with checksum_file(plain["image_os_hash_value"]) as url:
        by_hash = {**rest, "image_os_hash_algo": "sha256", "image_os_hash_value": url}
        begin_deploy(node, "active", documents("by-hash"), by_hash)
        world.settled(node, "active", SECONDS)
        check_disk(player, node, "by-hash")
        begin_deploy(node, "rebuild", documents("by-checksum"), {**rest, "image_checksum": url})
        world.settled(node, "active", SECONDS)
        check_disk(player, node, "by-checksum")
    with checksum_file("2" * 64) as url:
        begin_deploy(node, "rebuild", documents("other"), {**rest, "image_checksum": url})
        world.until("the failure", lambda: world.node(node)["provision_state"] == "deploy failed", SECONDS)
    assert "checksum" in world.idle(node)["last_error"].lower(), world.node(node)["last_error"]


# Stories on machines of other makes than most.
BMCS = {"sums": "basic", "rescue": "emulator"}

# The longest first.
TALES = {
    "documents": deploys_documents,
    "packed": deploys_packed,
    "sums": deploys_by_file,
    "rescue": rescues,
    "parts": boots_parts,
    "stranger": refuses_strangers,
    "inspection": inspects,
    "drives": reads_drives,
    "guard": refuses_block_devices,
}
