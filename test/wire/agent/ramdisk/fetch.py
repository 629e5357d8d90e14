"""
Fetches configdrives with the agent's own code: `fetch.py FOLDER`, which has `drives`, a line of JSON for each with
`url` and `sha256`. Prints how many there were and, for each that the agent would have failed on or got wrong, why.
"""

import hashlib
import json
import os
import sys

import boot


def check(drive: dict, folder: str) -> str:
    """Empty if the agent finds the image in it."""
    from ironic_python_agent import config, partition_utils  # noqa: F401  the settings come first

    try:
        _size, path = partition_utils.get_configdrive(drive["url"], "node", tempdir=folder)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).split('?')[0]}"
    with open(path, "rb") as file:
        found = hashlib.sha256(file.read()).hexdigest()
    os.remove(path)
    return "" if found == drive["sha256"] else "the agent found another image"


def main() -> None:
    folder = os.path.realpath(sys.argv[1])
    boot.close(folder)
    with open(os.path.join(folder, "drives")) as file:
        drives = [json.loads(line) for line in file]
    wrong = [why for drive in drives if (why := check(drive, folder))]
    print(json.dumps({"count": len(drives), "wrong": wrong}))


main()
