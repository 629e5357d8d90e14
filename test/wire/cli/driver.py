"""`openstack baremetal driver` and `openstack baremetal conductor`."""

from commands import metal, read, refused


def walk_drivers():
    assert {"redfish", "fake-hardware"} <= {row["name"] for row in read("driver list")}
    assert {"redfish", "fake-hardware"} <= {row["name"] for row in read("driver list --type dynamic --long")}
    assert read("driver list --type classic") == []
    shown = read("driver show redfish")
    assert shown["default_deploy_interface"] == "direct" and shown["type"] == "dynamic", shown
    assert read("driver show redfish --fields name") == {"name": "redfish"}
    assert "redfish_address" in [row["property"] for row in read("driver property list redfish")]
    assert "raid_level" in [row["property"] for row in read("driver raid property list fake-hardware")]
    assert read("driver passthru list redfish") == []
    refused("driver passthru call redfish frobnicate", "frobnicate")
    refused("driver show nonesuch", "nonesuch", "could not be found")
    refused("driver property list nonesuch", "nonesuch")


def walk_conductors():
    host = read("conductor list")[0]["hostname"]
    assert read(f"conductor show {host}")["hostname"] == host
    assert read(f"conductor show {host} --fields hostname alive") == {"hostname": host, "alive": True}
    assert "redfish" in str(read("conductor list --long")[0]["drivers"])
    refused("conductor show nobody", "nobody", "could not be found")


def walk():
    walk_drivers()
    walk_conductors()
    assert "redfish" in metal("driver list -f value")
