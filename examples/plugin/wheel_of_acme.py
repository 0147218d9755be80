"""Builds the wheel, as pip asks (PEP 517): two libraries by the C++ compiler, and a zip.

Vendors use the build system that they have. This one needs nothing but Python and ``c++``, so
that all of a plugin's wheel can be seen here.

ACME_ENGINE names a PJRT library for CPUs: the engine of a company that makes no devices. A vendor
leaves it out, and fills the table of `native/plugin.cpp` with functions of its own.
"""

import base64
import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from typing import Any

PACKAGE = "jax_plugins/acme"
HEADERS = {
    "plugin": ("pjrt_c_api.h", "xla_plugins/xla_cpu_pjrt/include"),
    "handlers": ("xla/ffi/api/ffi.h", "jaxlib/include"),
}
FLAGS = ["-std=c++17", "-O2", "-fPIC", "-shared", "-fvisibility=hidden"]


def include_folder(header: str, folder: str) -> str:
    """Where the packages of the build have a header."""
    for root in sys.path:
        if pathlib.Path(root, folder, header).is_file():
            return str(pathlib.Path(root, folder))
    raise SystemExit(f"{header} is in none of the packages: see build-system.requires")


def compiled(name: str) -> bytes:
    """A library of ours, from the source of its name."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, f"{name}.so")
        folder = include_folder(*HEADERS[name])
        command = [os.environ.get("CXX", "c++"), *FLAGS, f"-I{folder}"]
        source = f"native/{name}.cpp"
        subprocess.run([*command, source, "-ldl", "-o", str(out)], check=True)
        return out.read_bytes()


def engine() -> bytes:
    path = os.environ.get("ACME_ENGINE")
    if not path:
        raise SystemExit("ACME_ENGINE must name a PJRT library for CPUs")
    return pathlib.Path(path).read_bytes()


def information(project: dict[str, Any], tag: str) -> dict[str, str]:
    """The files that say what the wheel is."""
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {wanted}" for wanted in project["dependencies"]),
    ]
    wheel = ["Wheel-Version: 1.0", "Generator: wheel_of_acme", "Root-Is-Purelib: false"]
    points = []
    for group, names in project["entry-points"].items():
        points += [f"[{group}]", *(f"{name} = {at}" for name, at in names.items())]
    files = {
        "METADATA": metadata,
        "WHEEL": [*wheel, f"Tag: {tag}"],
        "entry_points.txt": points,
    }
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def record_row(path: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
    return f"{path},sha256={digest.decode().rstrip('=')},{len(content)}"


def build_wheel(
    wheel_directory: str,
    config_settings: object = None,
    metadata_directory: object = None,
) -> str:
    """Writes the wheel; returns its name."""
    project = tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]
    # The libraries are loaded by path, not imported: any Python will do.
    tag = f"py3-none-linux_{platform.machine()}"
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    contents = {
        f"{PACKAGE}/{path.name}": path.read_bytes()
        for path in sorted(pathlib.Path(PACKAGE).glob("*.py"))
    }
    contents |= {f"{PACKAGE}/{name}.so": compiled(name) for name in HEADERS}
    contents[f"{PACKAGE}/engine.so"] = engine()
    info = f"{stem}.dist-info"
    for name, text in information(project, tag).items():
        contents[f"{info}/{name}"] = text.encode()
    rows = [record_row(path, content) for path, content in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    name = f"{stem}-{tag}.whl"
    with zipfile.ZipFile(
        pathlib.Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=1
    ) as wheel:
        for path, content in contents.items():
            wheel.writestr(path, content)
    return name
