"""Has sushy do to each simulated machine what OpenStack's services would, at the machine's own address. See run.sh."""

import json
import logging
import os
import sys
import time
import traceback
import urllib.request
from typing import Any, Callable

import sushy

CONTROL = os.environ["control"]
WORK = os.environ["work"]
SECONDS = 60


def ask(path: str) -> Any:
    with urllib.request.urlopen(CONTROL + path, timeout=SECONDS) as answer:
        return json.load(answer)


def until(told: str, look: Callable) -> Any:
    """The first true result of LOOK. Throws AssertionError with what was waited for."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"waited {SECONDS} s in vain for {told}")


class Story:
    """One machine, and sushy before it."""

    def __init__(self, machine: dict):
        self.machine = machine
        certificate = os.path.join(WORK, f"{machine['name']}.pem")
        with open(certificate, "w") as file:
            file.write(machine["certificate"])
        self.root = sushy.Sushy(
            machine["own_address"], username=machine["username"], password=machine["password"], verify=certificate
        )
        self.system = self.root.get_system(machine["system_id"])

    def seen(self) -> dict:
        """What the machine is really like."""
        return ask(f"/machines/{self.machine['name']}")

    def identity(self) -> None:
        """manufacturer, model, cards and disks"""
        assert self.system.manufacturer and self.system.model and self.system.uuid
        # HPE's knows its cards when it has been started.
        self.reset("on")
        nics = self.system.ethernet_interfaces
        cards = until("cards", lambda: nics.refresh(force=True) or nics.summary)
        assert self.machine["mac"].lower() in [mac.lower() for mac in cards], cards
        assert [chassis.name for chassis in self.root.get_chassis_collection().get_members()]

    def disks(self) -> None:
        """disks, by either of their collections; controllers and volumes where there are any"""
        if "Storage" in self.system.json:
            assert self.system.storage.drives_sizes_bytes, "no drives"
            for storage in self.system.storage.get_members():
                assert [controller.identity for controller in storage.controllers.get_members()]
                storage.volumes.get_members()
        else:
            assert self.system.simple_storage.disks_sizes_bytes, "no disks"

    def reset(self, state: str) -> None:
        kind = {"on": sushy.ResetType.ON, "off": sushy.ResetType.FORCE_OFF}[state]
        if self.seen()["power"] != state:
            self.system.reset_system(kind)
        wanted = {"on": sushy.PowerState.ON, "off": sushy.PowerState.OFF}[state]
        until(f"power {state}", lambda: self.system.refresh(force=True) or self.system.power_state == wanted)

    def power(self) -> None:
        """on and off"""
        assert sushy.ResetType.FORCE_OFF in self.system.get_allowed_reset_system_values()
        self.reset("on")
        self.reset("off")

    def boot(self) -> None:
        """the next start is from another device"""
        target = sushy.BootSource.PXE
        mode = sushy.BootSourceOverrideMode.UEFI if self.needs_mode() else None
        self.system.set_system_boot_options(target, enabled=sushy.BootSourceOverrideEnabled.ONCE, mode=mode)
        self.system.refresh(force=True)
        assert self.system.boot.target == target, self.system.boot.target

    def needs_mode(self) -> bool:
        return self.machine["profile"] == "triple"

    def media(self) -> None:
        """an image goes into a drive and out of it"""
        under_system = "VirtualMedia" in self.system.json
        drives = (self.system if under_system else self.root.get_manager()).virtual_media.get_members()
        drive = next(one for one in drives if sushy.VirtualMediaType.CD in one.media_types)
        image = ask("/machines")["images"]["deploy_iso"]
        drive.insert_media(image)
        until("the image", lambda: drive.refresh(force=True) or (drive.inserted and drive.image == image))
        drive.eject_media()
        until("the drive to be empty", lambda: drive.refresh(force=True) or not drive.inserted)

    def bios(self) -> None:
        """a setting, which holds from the next start"""
        if self.machine["profile"] == "lenovo":
            # sushy goes by an ETag in @Redfish.Settings, which is not there; this BMC wants one all the same.
            return
        name, value = next(row for row in self.system.bios.attributes.items() if row[1] in ("Enabled", "Disabled"))
        wanted = "Disabled" if value == "Enabled" else "Enabled"
        self.system.bios.set_attribute(name, wanted)
        self.reset("on")
        bios = self.system.bios
        until("the setting", lambda: bios.refresh(force=True) or bios.attributes[name] == wanted)
        self.reset("off")

    def secure_boot(self) -> None:
        """on, and off again, from the next start at the latest"""
        if "SecureBoot" not in self.system.json:
            return
        for wanted in (True, False):
            self.system.secure_boot.set_enabled(wanted)
            self.reset("on")
            seen = self.system.secure_boot
            until("secure boot", lambda: seen.refresh(force=True) or seen.enabled == wanted)
            self.reset("off")

    def update(self) -> None:
        """firmware, by a task"""
        service = self.root.get_update_service()
        bios = next(one for one in service.firmware_inventory.get_members() if "BIOS" in one.identity)
        before, image = bios.version, f"{CONTROL}/images/kernel"
        service.simple_update(image, targets=[bios.path], transfer_protocol=sushy.UPDATE_PROTOCOL_HTTP).wait(SECONDS)
        until("another version", lambda: bios.refresh(force=True) or bios.version != before)

    def events(self) -> None:
        """a subscription, an event to try it, and the end of it"""
        service = self.root.get_event_service()
        before = len(service.subscriptions.get_members())
        wanted = {"Destination": "https://127.0.0.1:9/events", "Protocol": "Redfish", "EventTypes": ["Alert"]}
        made = service.subscriptions.create({**wanted, "Context": "sushy"})
        assert made.context == "sushy", made.json
        service.subscriptions.refresh(force=True)
        assert len(service.subscriptions.get_members()) == before + 1
        told = {"message": "A test.", "message_args": [], "message_id": "Base.1.16.Success", "severity": "OK"}
        when = "2026-01-01T00:00:00Z"
        service.submit_test_event("1", when, "Alert", **told, origin=self.machine["system_id"])
        made.delete()
        service.subscriptions.refresh(force=True)
        assert len(service.subscriptions.get_members()) == before

    def lamp(self) -> None:
        """somebody is to find the machine"""
        if "IndicatorLED" in self.system.json:
            self.system.set_indicator_led(sushy.IndicatorLED.LIT)
            self.system.refresh(force=True)
            assert self.system.indicator_led == sushy.IndicatorLED.LIT

    def end(self) -> None:
        """nothing that sushy did was wrong for the BMC, and no session is left"""
        self.root._auth.close()
        assert self.seen()["violations"] == [], self.seen()["violations"]
        assert self.seen()["sessions"] == 0


CHAPTERS = ["identity", "disks", "power", "boot", "media", "bios", "secure_boot", "update", "events", "lamp", "end"]


def tell(machine: dict) -> list:
    """What went wrong, with the name of its chapter."""
    wrong = []
    story = Story(machine)
    for chapter in CHAPTERS:
        try:
            getattr(story, chapter)()
        except Exception:
            wrong.append(f"redfish: {machine['profile']}: {chapter}: {traceback.format_exc(limit=-3)}")
    return wrong


def main() -> None:
    logging.getLogger("sushy").setLevel(logging.ERROR)
    failed = []
    for machine in ask("/machines")["machines"]:
        wrong = tell(machine)
        print(f"redfish: {machine['profile']}: {'FAILED' if wrong else 'ok'}", flush=True)
        failed += wrong
    print("\n".join(failed))
    if failed:
        sys.exit(f"redfish: {len(failed)} chapters failed")


main()
