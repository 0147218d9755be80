"""The wheel of jax that says another release: the same code, whose table of releases has another default."""

import base64
import hashlib
import pathlib
import runpy
import zipfile

import machine

TABLE = "jax/_src/base/releases.py"


def known() -> dict[str, str]:
    """The releases that jax answers as -> the version that each says."""
    return runpy.run_path(str(machine.ROOT / TABLE))["RELEASES"]


def default() -> str:
    """The release that wheels say without a choice."""
    return runpy.run_path(str(machine.ROOT / TABLE))["DEFAULT"]


def make(wheel: pathlib.Path, release: str) -> pathlib.Path:
    """Writes the wheel of a release beside that of the default one.

    Args:
        wheel: jax's wheel, which says the default release.
        release: one of `known`.

    Returns:
        The file: jax answers as the release without JAX_COMPAT, and pip takes it for that version.

    Raises:
        BuildError: the wheel is not as expected.
    """
    old, new = known()[default()], known()[release]
    target = wheel.with_name(wheel.name.replace(f"jax-{old}-", f"jax-{new}-"))
    records = []
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for item in source.infolist():
            name = item.filename.replace(
                f"jax-{old}.dist-info/", f"jax-{new}.dist-info/"
            )
            data = source.read(item)
            if name == TABLE:
                data = _changed(
                    data, f'DEFAULT = "{default()}"', f'DEFAULT = "{release}"'
                )
            elif name.endswith(".dist-info/METADATA"):
                data = _changed(data, f"\nVersion: {old}\n", f"\nVersion: {new}\n")
            elif name.endswith(".dist-info/RECORD"):
                continue
            item.filename = name
            out.writestr(item, data, zipfile.ZIP_DEFLATED)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            hashed = digest.decode().rstrip("=")
            records.append(f"{name},sha256={hashed},{len(data)}")
        record = f"jax-{new}.dist-info/RECORD"
        records.append(f"{record},,")
        out.writestr(record, "\n".join(records) + "\n")
    return target


def _changed(data: bytes, before: str, after: str) -> bytes:
    text = data.decode()
    if text.count(before) != 1:
        raise machine.BuildError(f"{before.strip()!r} is not in the wheel once")
    return text.replace(before, after).encode()
