"""Virtual environments under the cache folder, made once and renewed when what they hold changes."""

import hashlib
import pathlib
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Callable

import machine

LOCK = machine.ROOT / "third_party/python/requirements_lock.txt"
ECOSYSTEM_LOCK = machine.ROOT / "third_party/python/ecosystem_lock.txt"
# Projects whose source archives have tests, and what those import.
PROJECTS_LOCK = machine.ROOT / "third_party/python/projects_lock.txt"
# Packages that are imported and used by small programs (tests/suites/libraries.py), and what those import; pinned by hand.
LIBRARIES_LOCK = machine.ROOT / "third_party/python/libraries_lock.txt"
# Packages that ship Pallas kernels (tests/third_party_kernels), and what those import; pinned by hand.
KERNELS_LOCK = machine.ROOT / "third_party/python/kernels_lock.txt"
# What builds the documentation site and checks types and completion in an editor.
DOCS_LOCK = machine.ROOT / "third_party/python/docs_lock.txt"
# What shows profiles and debugs in a browser.
VIEWERS_LOCK = machine.ROOT / "third_party/python/viewers_lock.txt"
# Upstream's release that speed and behaviour are compared with.
PEER_LOCK = machine.ROOT / "third_party/python/upstream_lock.txt"
# What the wheels need, jobs of several processes too, and what the examples draw with.
RUN_PACKAGES = (
    "cffi",
    "contourpy",
    "cryptography",
    "cycler",
    "fonttools",
    "grpcio",
    "kiwisolver",
    "matplotlib",
    "ml-dtypes",
    "numpy",
    "opt-einsum",
    "packaging",
    "pillow",
    "protobuf",
    "pycparser",
    "pyparsing",
    "python-dateutil",
    "scipy",
    "tqdm",
    "typing-extensions",
)

# What the tests inside other projects' wheels need beside those projects.
SUITE_PACKAGES = (
    *RUN_PACKAGES,
    "absl-py",
    "cloudpickle",
    "hypothesis",
    "iniconfig",
    "joblib",
    "narwhals",
    "pluggy",
    "pygments",
    "pytest",
    "scikit-learn",
    "sortedcontainers",
    "threadpoolctl",
)


def keep(lock: pathlib.Path, wanted: Callable[[str], bool]) -> None:
    """Drops from a lock file the packages that are not wanted."""
    header, *blocks = re.split(r"\n(?=[a-z])", lock.read_text())
    kept = [block for block in blocks if wanted(package_of(block))]
    lock.write_text("\n".join([header, *kept]).rstrip() + "\n")


def trim_locks() -> None:
    """Leaves jax and jaxlib to our wheels, and to each lock what is its own."""
    named = ECOSYSTEM_LOCK.with_name("ecosystem.in").read_text().split()
    keep(ECOSYSTEM_LOCK, named.__contains__)
    named = VIEWERS_LOCK.with_name("viewers.in").read_text().split()
    keep(VIEWERS_LOCK, named.__contains__)
    others = [package_of(b) for f in (LOCK, ECOSYSTEM_LOCK) for b in blocks_of(f)]
    others_of_docs = [package_of(b) for b in blocks_of(LOCK)]
    keep(DOCS_LOCK, lambda package: package not in others_of_docs)
    keep(PROJECTS_LOCK, lambda package: package not in ("jax", "jaxlib", *others))


def package_of(block: str) -> str:
    return block.strip().split("==")[0]


def blocks_of(lock: pathlib.Path) -> list[str]:
    """What a lock file says of each package, after its header."""
    return re.split(r"\n(?=[a-z])", "\n" + lock.read_text())


def locked(names: tuple[str, ...]) -> str:
    """The part of the lock file that pins `names`, hashes included."""
    blocks = blocks_of(LOCK)
    chosen = [block for block in blocks if package_of(block) in names]
    if len(chosen) != len(names):
        raise machine.BuildError(f"{LOCK} lacks some of: {' '.join(names)}")
    return "\n".join(chosen) + "\n"


def fingerprint(parts: list[bytes]) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def run(*command: object, folder: pathlib.Path | None = None) -> None:
    answer = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True
    )
    if answer.returncode:
        line = " ".join(str(part) for part in command)
        raise machine.BuildError(
            f"`{line}` failed:\n{answer.stdout[-2000:]}{answer.stderr[-2000:]}"
        )


def make(folder: pathlib.Path, python: str, stamp: str, install) -> pathlib.Path:
    """Returns the environment's interpreter; calls `install(interpreter)` unless the stamp says it is current."""
    interpreter, mark = folder / "bin/python", folder / "stamp"
    if mark.exists() and mark.read_text() == stamp:
        return interpreter
    machine.say(f"preparing the Python environment {folder}")
    run(python, "-m", "venv", "--clear", folder)
    install(interpreter)
    mark.write_text(stamp)
    return interpreter


def with_wheels(name: str, python: str, wheels: list[pathlib.Path]) -> pathlib.Path:
    """An environment with our wheels and the packages that they and the examples need."""
    return with_requirements(name, python, locked(RUN_PACKAGES), wheels)[0]


def with_docs(python: str, wheels: list[pathlib.Path]) -> tuple[pathlib.Path, str]:
    """An environment that builds the documentation site with our wheels.

    Returns its interpreter, and a name of its contents.
    """
    requirements = locked((*RUN_PACKAGES, "pygments")) + DOCS_LOCK.read_text()
    return with_requirements("docs", python, requirements, wheels)


def with_kernels(python: str, wheels: list[pathlib.Path]) -> pathlib.Path:
    """An environment with our wheels and projects that ship kernels."""
    requirements = locked(RUN_PACKAGES) + KERNELS_LOCK.read_text()
    return with_requirements("kernels", python, requirements, wheels)[0]


def with_requirements(
    name: str, python: str, requirements: str, wheels: list[pathlib.Path]
) -> tuple[pathlib.Path, str]:
    """The environment `name` with packages of a lock and our wheels.

    Returns its interpreter, and a name of its contents.
    """
    stamp = fingerprint(
        [requirements.encode(), python.encode(), *(w.read_bytes() for w in wheels)]
    )

    def install(interpreter):
        file = machine.CACHE / f"{name}_requirements.txt"
        file.write_text(requirements)
        pip = [interpreter, "-m", "pip", "install", "--quiet", "--no-deps"]
        run(*pip, "--require-hashes", "--only-binary=:all:", "-r", file)
        run(*pip, *wheels)

    return make(machine.CACHE / "environments" / name, python, stamp, install), stamp


def with_peer(python: str) -> pathlib.Path:
    """An environment with upstream's release, to compare with."""

    def install(interpreter):
        pip = [interpreter, "-m", "pip", "install", "--quiet", "--no-deps"]
        run(*pip, "--require-hashes", "--only-binary=:all:", "-r", PEER_LOCK)

    stamp = fingerprint([PEER_LOCK.read_bytes(), python.encode()])
    return make(machine.CACHE / "environments/peer", python, stamp, install)


def with_suites(
    name: str, python: str, wheels: list[pathlib.Path]
) -> tuple[pathlib.Path, str]:
    """An environment with other projects, on our wheels, or on upstream's release where `wheels` is empty.

    Returns its interpreter, and a name of its contents.
    """
    jax = ("jax", "jaxlib")
    below = [] if wheels else [b for b in blocks_of(PEER_LOCK) if package_of(b) in jax]
    projects = [*blocks_of(ECOSYSTEM_LOCK), *blocks_of(PROJECTS_LOCK)]
    requirements = "\n".join([locked(SUITE_PACKAGES), *projects, *below]) + "\n"
    stamp = fingerprint(
        [requirements.encode(), python.encode(), *(w.read_bytes() for w in wheels)]
    )

    def install(interpreter):
        file = machine.CACHE / f"{name}_requirements.txt"
        file.write_text(requirements)
        pip = [interpreter, "-m", "pip", "install", "--quiet", "--no-deps"]
        run(*pip, "--require-hashes", "-r", file)
        if wheels:
            run(*pip, *wheels)

    folder = machine.CACHE / "environments" / name
    return make(folder, python, stamp, install), stamp


def libraries_folder(python: str | pathlib.Path) -> pathlib.Path:
    """A folder for the module path, with the packages that `LIBRARIES_LOCK` pins and no others.

    Raises:
        BuildError: a package could not be had.
    """
    stamp = fingerprint([LIBRARIES_LOCK.read_bytes(), str(python).encode()])
    folder = machine.CACHE / "libraries" / stamp[:16]
    if folder.exists():
        return folder
    machine.say("fetching the libraries (some minutes)")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as partial:
        pip = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
        pip += ["--only-binary=:all:", "--require-hashes", "-r", LIBRARIES_LOCK]
        # Several packages ship a folder of one name, such as `tests`: the first stays.
        run(*pip, "--target", f"{partial}/packages")
        pathlib.Path(partial, "packages").rename(folder)
    return folder


def source_archive(package: str, python: str | pathlib.Path) -> pathlib.Path:
    """The folder of a package's source archive, at the version and with the hash that a lock names."""
    blocks = [b for f in (ECOSYSTEM_LOCK, PROJECTS_LOCK) for b in blocks_of(f)]
    block = next((b for b in blocks if package_of(b) == package), None)
    if block is None:
        raise machine.BuildError(
            f"{package} is in neither {ECOSYSTEM_LOCK} nor {PROJECTS_LOCK}: name it in projects.in, "
            "then `build.py relock`"
        )
    version = block.split("==")[1].split()[0]
    folder = machine.CACHE / "sources" / f"{package}-{version}"
    if folder.exists():
        return folder
    machine.say(f"fetching the source of {package} {version}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as partial:
        file = pathlib.Path(partial, "requirements.txt")
        file.write_text(block + "\n")
        pip = [python, "-m", "pip", "download", "--quiet", "--no-deps", "-d", partial]
        run(*pip, "--no-binary", package, "--require-hashes", "-r", file)
        (archive,) = pathlib.Path(partial).glob("*.tar.gz")
        with tarfile.open(archive) as contents:
            contents.extractall(f"{partial}/source", filter="data")
        (root,) = pathlib.Path(partial, "source").iterdir()
        root.rename(folder)
    return folder
