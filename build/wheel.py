"""Writes a wheel: a zip with the files, METADATA, WHEEL and RECORD. The same input gives the same bytes."""

import argparse
import base64
import hashlib
import pathlib
import subprocess
import tempfile
import zipfile

# The earliest date that a zip can hold: a wheel does not depend on when it was built.
EPOCH = (1980, 1, 1, 0, 0, 0)


def record_row(path: str, content: bytes) -> str:
    digest = (
        base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    )
    return f"{path},sha256={digest},{len(content)}"


def stripped(path: pathlib.Path, strip: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, path.name)
        subprocess.run([strip, "--strip-all", "-o", out, path], check=True)
        return out.read_bytes()


def metadata(options) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {options.name}",
        f"Version: {options.version}",
        f"Summary: {options.summary}",
        "License-Expression: Apache-2.0",
        *(f"License-File: {license_name(path)}" for path in options.license),
        f"Requires-Python: {options.requires_python}",
        *(f"Requires-Dist: {requirement}" for requirement in options.require),
        *extras(options.extra),
    ]
    return "\n".join(lines) + "\n"


def license_name(path: str) -> str:
    """Where a licence's text is in the wheel: by the name of what it is for."""
    given = pathlib.Path(path)
    return "LICENSE" if given.name == "LICENSE" else f"third_party/{given.name}"


def extras(pairs: list[str]) -> list[str]:
    """The lines of what only those install who name it, from NAME:REQUIREMENT."""
    lines = []
    for name in dict.fromkeys(pair.partition(":")[0] for pair in pairs):
        lines.append(f"Provides-Extra: {name}")
        for pair in pairs:
            extra, _, requirement = pair.partition(":")
            if extra == name:
                joined = " and " if ";" in requirement else "; "
                lines.append(f'Requires-Dist: {requirement}{joined}extra == "{name}"')
    return lines


def entry_points(pairs: list[str]) -> str:
    """The file of entry points, from GROUP:NAME = MODULE."""
    lines = []
    for group in dict.fromkeys(pair.partition(":")[0] for pair in pairs):
        lines.append(f"[{group}]")
        lines += [p.partition(":")[2] for p in pairs if p.startswith(f"{group}:")]
    return "\n".join(lines) + "\n"


def wheel_text(tag: str) -> str:
    purelib = "true" if tag.endswith("-any") else "false"
    return f"Wheel-Version: 1.0\nGenerator: build/wheel.py\nRoot-Is-Purelib: {purelib}\nTag: {tag}\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], fromfile_prefix_chars="@"
    )
    parser.add_argument("--out", required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--summary", required=True)
    parser.add_argument("--tag", required=True)
    parser.add_argument("--requires-python", required=True)
    parser.add_argument("--require", action="append", default=[])
    parser.add_argument("--extra", action="append", default=[])
    parser.add_argument("--entry-point", action="append", default=[])
    parser.add_argument(
        "--strip", required=True, help="llvm-strip, for the shared objects"
    )
    parser.add_argument("--license", action="append", default=[], help="its text")
    parser.add_argument("--sbom", help="CycloneDX as JSON, from sbom.py")
    parser.add_argument("files", nargs="+", metavar="FILE=PATH_IN_WHEEL")
    options = parser.parse_args()

    info = f"{options.name}-{options.version}.dist-info"
    contents = {}
    for pair in sorted(options.files):
        source, _, target = pair.rpartition("=")
        path = pathlib.Path(source)
        contents[target] = (
            stripped(path, options.strip) if path.suffix == ".so" else path.read_bytes()
        )
    contents[f"{info}/METADATA"] = metadata(options).encode()
    for path in options.license:
        text = pathlib.Path(path).read_bytes()
        contents[f"{info}/licenses/{license_name(path)}"] = text
    if options.sbom:
        text = pathlib.Path(options.sbom).read_bytes()
        contents[f"{info}/sboms/{options.name}.cdx.json"] = text
    contents[f"{info}/WHEEL"] = wheel_text(options.tag).encode()
    if options.entry_point:
        contents[f"{info}/entry_points.txt"] = entry_points(
            options.entry_point
        ).encode()
    rows = [record_row(path, content) for path, content in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()

    with zipfile.ZipFile(
        options.out, "w", zipfile.ZIP_DEFLATED, compresslevel=9
    ) as wheel:
        for path, content in contents.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            wheel.writestr(entry, content)


if __name__ == "__main__":
    main()
