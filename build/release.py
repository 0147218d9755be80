"""Checks wheels that shall be published and writes what goes with them: hashes, parts, changes."""

import argparse
import email.message
import hashlib
import json
import pathlib
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).absolute().parents[1]
NAMES = ("jax", "jaxlib", "jax_cuda_plugin", "jax_rocm_plugin")
LOCKS = ("third_party/python/requirements_lock.txt",)


class ReleaseError(Exception):
    """Why these wheels cannot be published."""


def newest(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """The one wheel of each distribution."""
    found = {}
    for name in NAMES:
        wheels = list(folder.glob(f"{name}-*.whl"))
        if len(wheels) != 1:
            there = ", ".join(w.name for w in wheels) or "none"
            raise ReleaseError(
                f"{folder} must hold one wheel of {name}: there is {there}."
            )
        found[name] = wheels[0]
    return found


def metadata(wheel: pathlib.Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        broken = archive.testzip()
        if broken:
            raise ReleaseError(f"{wheel.name}: {broken} is damaged.")
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def check(wheels: dict[str, pathlib.Path]) -> str:
    """Compares the versions of the wheels with each other; returns jax's."""
    told = {name: metadata(path) for name, path in wheels.items()}
    version = told["jax"]["Version"]
    for name, wheel in wheels.items():
        if f"-{told[name]['Version']}-" not in wheel.name:
            raise ReleaseError(f"{wheel.name} holds version {told[name]['Version']}.")
    for name in ("jax_cuda_plugin", "jax_rocm_plugin"):
        if f"jax=={version}" not in (told[name].get_all("Requires-Dist") or []):
            raise ReleaseError(f"{wheels[name].name} does not ask for jax=={version}.")
    return version


def hashes(wheels: dict[str, pathlib.Path]) -> str:
    """Lines that `sha256sum --check` reads."""
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in wheels.values()
    )


def parts(wheels: dict[str, pathlib.Path]) -> dict:
    """The list of parts: our wheels with what they ask for, and what the build pins."""
    components = []
    for path in wheels.values():
        told = metadata(path)
        components.append(
            {
                "type": "library",
                "name": told["Name"],
                "version": told["Version"],
                "licenses": [{"license": {"id": told["License"]}}],
                "purl": f"pkg:pypi/{told['Name'].replace('_', '-')}@{told['Version']}",
                "hashes": [
                    {
                        "alg": "SHA-256",
                        "content": hashlib.sha256(path.read_bytes()).hexdigest(),
                    }
                ],
                "properties": [
                    {"name": "requires", "value": requirement}
                    for requirement in told.get_all("Requires-Dist") or []
                ],
            }
        )
    for lock in LOCKS:
        for name, version in re.findall(
            r"^([\w.-]+)==([\w.+-]+)", (ROOT / lock).read_text(), re.MULTILINE
        ):
            components.append(
                {
                    "type": "library",
                    "scope": "excluded",
                    "name": name,
                    "version": version,
                    "purl": f"pkg:pypi/{name}@{version}",
                }
            )
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "components": components}


def changes() -> str:
    """The changelog's entries that no release has yet."""
    text = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(
        r"^## Unreleased\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    if not found or not found[1].strip():
        raise ReleaseError("CHANGELOG.md has nothing under Unreleased.")
    return found[1].strip() + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "dist")
    folder = parser.parse_args().folder
    try:
        wheels = newest(folder)
        version = check(wheels)
        (folder / "SHA256SUMS").write_text(hashes(wheels))
        (folder / "parts.cdx.json").write_text(
            json.dumps(parts(wheels), indent=1) + "\n"
        )
        (folder / "CHANGES.md").write_text(f"# {version}\n\n{changes()}")
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    for path in wheels.values():
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    print(f"release {version}: ready in {folder}; nothing was uploaded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
