"""What a machine must have before Bazel can start: Debian packages, checked and installed."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
CACHE = pathlib.Path(
    os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "jax-build"
)
PACKAGE_LOCK = ROOT / "third_party/llvm/packages_lock.txt"

PACKAGES = (
    "bazel-bootstrap",
    "build-essential",
    "clang-22",
    "libclang-rt-22-dev",
    "libmlir-22-dev",
    "libzstd-dev",
    "lld-22",
    "llvm-22-dev",
    "mlir-22-tools",
    "python-is-python3",
    "python3-dev",
    "python3-venv",
    "zlib1g-dev",
)
# What tests open pages and memory profiles with. Without it they are skipped, and say so.
TEST_PACKAGES = ("chromium", "golang-go")


class BuildError(Exception):
    """Something a person can mend; the message says how."""


def say(text: str) -> None:
    print(f"build: {text}", flush=True)


def installed_version(package: str) -> str | None:
    query = [
        "dpkg-query",
        "--show",
        "--showformat=${db:Status-Status} ${Version}",
        package,
    ]
    answer = subprocess.run(query, capture_output=True, text=True)
    status, _, version = answer.stdout.partition(" ")
    return version if answer.returncode == 0 and status == "installed" else None


def wanted_packages() -> list[str]:
    """The packages to have; an LLVM named by LLVM_ROOT replaces Debian's."""
    if os.environ.get("LLVM_ROOT"):
        return [name for name in PACKAGES if "llvm" not in name and "mlir" not in name]
    return list(PACKAGES)


def ensure_packages() -> None:
    """Installs the Debian packages that are missing, or says what to run."""
    if not shutil.which("dpkg-query"):
        raise BuildError(
            "this is no Debian system (dpkg-query is missing), and the build installs Debian packages.\n"
            f"Install by hand what these hold, then name LLVM by LLVM_ROOT: {' '.join(PACKAGES)}"
        )
    missing = [name for name in wanted_packages() if installed_version(name) is None]
    if missing:
        if os.geteuid() != 0:
            raise BuildError(
                f"{len(missing)} Debian packages are missing, and installing them needs root. Run:\n"
                f"  sudo apt-get update && sudo {' '.join(install_command(missing))}"
            )
        install(missing)
    compare_with_lock()


def ensure_test_packages() -> None:
    """Installs what some tests need beside the build's packages: in continuous integration, where nothing should be skipped."""
    if not os.environ.get("CI") or os.geteuid() != 0 or not shutil.which("dpkg-query"):
        return
    missing = [name for name in TEST_PACKAGES if installed_version(name) is None]
    if missing:
        try:
            install(missing)
        except BuildError as error:
            say(f"tests that need {' or '.join(missing)} will be skipped. {error}")


def install_command(packages: list[str]) -> list[str]:
    return ["apt-get", "install", "-y", "--no-install-recommends", *packages]


def install(missing: list[str]) -> None:
    say(f"installing {len(missing)} Debian packages: {' '.join(missing)}")
    log = CACHE / "apt.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with log.open("w") as out:
        for step in (["apt-get", "update"], install_command(missing)):
            if subprocess.run(
                step, stdout=out, stderr=subprocess.STDOUT, env=environment
            ).returncode:
                tail = "\n".join(log.read_text().splitlines()[-12:])
                raise BuildError(
                    f"`{' '.join(step)}` failed:\n{tail}\nThe whole output is in {log}."
                )
    still = [name for name in missing if installed_version(name) is None]
    if still:
        raise BuildError(
            f"apt-get ended well but left out: {' '.join(still)}. See {log}."
        )


@dataclasses.dataclass(frozen=True)
class LockedPackage:
    name: str
    version: str
    sha256: str


def locked_packages() -> list[LockedPackage]:
    rows = [line.split() for line in PACKAGE_LOCK.read_text().splitlines()]
    return [LockedPackage(*row) for row in rows if row and not row[0].startswith("#")]


def compare_with_lock() -> None:
    """Debian serves one 22.1.x at a time, so another than the locked one is a notice, not an error."""
    if os.environ.get("LLVM_ROOT"):
        return
    for package in locked_packages():
        version = installed_version(package.name)
        if version and version != package.version:
            say(
                f"note: {package.name} is {version}, the lock says {package.version}; "
                "`build.py relock` renews it"
            )


def relock_packages() -> None:
    """Writes the version and SHA-256 of each package that apt would install now."""
    names = [name for name in PACKAGES if name.endswith("-dev") and "22" in name]
    names += ["clang-22", "lld-22", "mlir-22-tools"]
    show = subprocess.run(
        ["apt-cache", "show", "--no-all-versions", *sorted(names)],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = []
    for entry in show.stdout.split("\n\n"):
        facts = dict(re.findall(r"^(Package|Version|SHA256): (.*)$", entry, re.M))
        if facts:
            rows.append(f"{facts['Package']} {facts['Version']} {facts['SHA256']}")
    PACKAGE_LOCK.write_text(
        "# package version sha256, written by `build.py relock`\n"
        + "\n".join(rows)
        + "\n"
    )


def find_python(version: str | None) -> str:
    """The interpreter to build for: Debian's own, or another whose headers are there."""
    if version is None:
        return _usable("/usr/bin/python3", "")
    option = f"--python_version={version}: "
    found = [path for path in (shutil.which(f"python{version}"),) if path]
    found += _of_pyenv(version)
    if not found:
        raise BuildError(
            f"{option}there is no python{version} on the path, nor among pyenv's.\n"
            f"Install it with its headers (apt-get install python{version}-dev where Debian has it), or leave the "
            "option out to build for Debian's Python."
        )
    for path in found[:-1]:
        try:
            return _usable(path, option)
        except BuildError:
            pass  # A shim of pyenv does not run where another version is chosen.
    return _usable(found[-1], option)


def _of_pyenv(version: str) -> list[str]:
    """The newest interpreter of a version that pyenv has installed, if any."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT") or pathlib.Path.home() / ".pyenv")
    found = root.glob(f"versions/{version}.*/bin/python{version}")
    by_number = sorted(
        (path for path in found if path.parts[-3].replace(".", "").isdigit()),
        key=lambda path: [int(part) for part in path.parts[-3].split(".")],
    )
    return [str(path) for path in by_number[-1:]]


def _usable(path: str, option: str) -> str:
    """The interpreter at a path, which runs and has its headers."""
    probe = "import sys, sysconfig; print(sys.executable, sysconfig.get_config_var('INCLUDEPY'))"
    answer = subprocess.run([path, "-c", probe], capture_output=True, text=True)
    if answer.returncode:
        raise BuildError(
            f"{option}{path} does not run:\n{answer.stderr.strip()}\n"
            "If it chooses among several Pythons (pyenv), put the folder of the one you want first on the path."
        )
    executable, include = answer.stdout.split()
    if not pathlib.Path(include, "Python.h").exists():
        raise BuildError(
            f"{executable} has no headers: {include}/Python.h is missing. Extension modules cannot be built "
            "for it. Install the package with its headers, or leave --python_version out."
        )
    return executable


def headers_of(python: str) -> pathlib.Path:
    """The folder of an interpreter's headers."""
    probe = "import sysconfig; print(sysconfig.get_config_var('INCLUDEPY'))"
    answer = subprocess.run([python, "-c", probe], stdout=subprocess.PIPE, check=True)
    return pathlib.Path(answer.stdout.decode().strip())


def python_tag(python: str) -> str:
    """What the names of wheels call a Python: `cp311`."""
    probe = "import sys; print('cp%d%d' % sys.version_info[:2])"
    answer = subprocess.run([python, "-c", probe], stdout=subprocess.PIPE, check=True)
    return answer.stdout.decode().strip()
