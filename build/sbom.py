"""Writes the software bill of materials of a wheel, CycloneDX 1.5 as JSON: what is in it that others made.

The same commit and machine give the same bytes: no date, no random serial number.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tomllib


def debian_lock(package: str, locks: list[str]) -> tuple[str, str | None]:
    """Version and SHA-256 by the lines `package version sha256`."""
    for text in locks:
        if found := re.search(
            rf"^{re.escape(package)} (\S+) ([0-9a-f]{{64}})$", text, re.M
        ):
            return found[1], found[2]
    raise SystemExit(f"sbom: no lock pins the Debian package {package}")


def python_lock(package: str, locks: list[str]) -> tuple[str, str | None]:
    """The version by the line `package==version`; its files have several hashes."""
    for text in locks:
        if found := re.search(rf"^{re.escape(package)}==(\S+)", text, re.M):
            return found[1], None
    raise SystemExit(f"sbom: no lock pins the Python package {package}")


def debian_package(package: str, locks: list[str]) -> tuple[str, str | None]:
    """The version that is installed where this runs."""
    query = ["dpkg-query", "--show", "--showformat=${Version}", package]
    return subprocess.run(
        query, capture_output=True, text=True, check=True
    ).stdout, None


SOURCES = {
    "debian_lock": debian_lock,
    "debian_package": debian_package,
    "python_lock": python_lock,
    "upstream_lock": python_lock,
}


def component(row: dict, locks: list[str]) -> dict:
    ((source, package),) = row["version"].items()
    version, digest = SOURCES[source](package, locks)
    kind = "deb/debian" if source.startswith("debian") else "pypi"
    out = {
        "type": "library",
        "name": row["name"],
        "version": version,
        "description": row["description"],
        "licenses": [{"expression": row["license"]}],
        "purl": f"pkg:{kind}/{package}@{version}",
    }
    if digest:
        out["hashes"] = [{"alg": "SHA-256", "content": digest}]
    return out


def bill(name: str, version: str, rows: list[dict], locks: list[str]) -> dict:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "name": name,
                "version": version,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": [component(row, locks) for row in rows],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--components", required=True)
    parser.add_argument("locks", nargs="*")
    options = parser.parse_args()
    rows = tomllib.loads(pathlib.Path(options.components).read_text())["component"]
    locks = [pathlib.Path(lock).read_text() for lock in options.locks]
    text = json.dumps(bill(options.name, options.version, rows, locks), indent=2)
    pathlib.Path(options.out).write_text(text + "\n")


if __name__ == "__main__":
    main()
