"""Loads a plugin's library, and makes a client of it, in another process first: one that crashes takes that one down.

What went well once is remembered in the user's cache: loading by path, size and time of the library, making a client also
by the start of the machine, for drivers change with it.
"""

import dataclasses
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from jax._src.base import errors, standard, version

_PATIENCE_S = 120
_SAID = "jax-plugin-probe"
_LOAD = f"""
import ctypes, os, sys
print("{_SAID} begins", flush=True)
try:
    library = ctypes.CDLL(sys.argv[1], os.RTLD_NOW)
    library.GetPjrtApi.restype = ctypes.c_void_p
    library.GetPjrtApi()
except (OSError, AttributeError):
    pass
print("{_SAID} ends", flush=True)
os._exit(0)
"""
# Without jax: its configuration would have to be told, and takes longer.
_MAKE = f"""
import ctypes, json, os, sys
path, folders, needed, options = sys.argv[1], *map(json.loads, sys.argv[2:])
sys.path[:] = folders
from jaxlib._native import client
# Once more for those that need a later one.
for library in needed * 2:
    try:
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL | os.RTLD_NOW)
    except OSError:
        pass
print("{_SAID} begins", flush=True)
try:
    made = client.make_client(client.load_plugin(path), options=options)
except Exception:
    pass
print("{_SAID} ends", flush=True)
os._exit(0)
"""
# Two clients share a GPU while the second is made, which the first must not have taken whole.
_MODEST = {"cuda": {"preallocate": False}, "rocm": {"preallocate": False}}


@dataclasses.dataclass(frozen=True, slots=True)
class _Probe:
    """What is tried: for people, as a program, and what else it depends on."""

    cannot: str
    program: str
    arguments: Sequence[str] = ()
    depends_on: str = ""
    # Whether one that takes too long is refused.
    is_short: bool = True


def check(name: str, path: str) -> None:
    """Loads a plugin's library in a process of its own, unless that went well before.

    Only a library that ends the process is refused: what else is wrong with it, the
    client reports.

    Raises:
        RuntimeError: the library ends or blocks the process that loads it.
    """
    _try(name, path, _Probe("cannot be loaded", _LOAD))


def check_client(
    name: str, path: str, options: Mapping[str, Any], needed: Sequence[str]
) -> None:
    """Makes a client in a process of its own, unless that went well since the machine has started.

    Args:
        name: the plugin's.
        path: its library.
        options: those of the client, numbers and texts.
        needed: files of libraries that are loaded before.

    Raises:
        RuntimeError: making one ends the process.
    """
    given = dict(options) | _MODEST.get(name, {})
    try:
        arguments = [json.dumps(value) for value in (sys.path, list(needed), given)]
    except (TypeError, ValueError):
        return  # No option of a client: it is refused where one is made.
    probe = _Probe(
        "cannot make a client", _MAKE, arguments, f"client {_boot()}", is_short=False
    )
    _try(name, path, probe)


def loaded_libraries() -> list[str]:
    """Files of the libraries that this process has loaded, in no order."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            paths = {line.rstrip("\n").partition("/")[2] for line in maps}
    except OSError:
        return []
    return [f"/{path}" for path in paths if ".so" in path.rpartition("/")[2]]


def _try(name, path, probe):
    mark = _mark(path, probe.depends_on)
    if mark is not None and os.path.exists(mark):
        return
    command = [sys.executable, "-I", "-S", "-c", probe.program, path, *probe.arguments]
    try:
        answer = standard.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except standard.TimeoutExpired:
        if not probe.is_short:
            _remember(mark)  # Whoever waits for something waits once more, not twice.
            return
        found = f"no end in {_PATIENCE_S} s"
        raise RuntimeError(_explain(name, path, probe.cannot, found)) from None
    except OSError:
        return  # No interpreter to ask: a program that embeds Python.
    if f"{_SAID} begins" in answer.stdout and f"{_SAID} ends" not in answer.stdout:
        found = f"exit status {answer.returncode}"
        if answer.returncode < 0:
            found = f"signal {-answer.returncode}"
        last = answer.stderr.strip().splitlines()[-1:]
        text = _explain(name, path, probe.cannot, "; ".join([found, *last]))
        raise RuntimeError(text)
    if f"{_SAID} ends" in answer.stdout:
        _remember(mark)


def _explain(name, path, cannot, found):
    return errors.explain(
        f"The library of plugin {name!r} {cannot}: a process that tried it ended.",
        [("library", path), ("found", found)],
        "It was tried apart, so that this process goes on.",
        "Install the plugin's package again, for this machine and this jaxlib"
        + (", and look at the device's driver." if "client" in cannot else "."),
    )


def _boot():
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def _mark(path, depends_on):
    try:
        facts = os.stat(path)
    except OSError:
        return None
    key = (
        f"{os.path.realpath(path)} {facts.st_size} {facts.st_mtime_ns} "
        f"{version.__version__} {os.environ.get('LD_LIBRARY_PATH', '')}"
    )
    if depends_on:
        key += f" {depends_on}"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    digest = standard.sha256(key.encode()).hexdigest()[:32]
    return os.path.join(base, "jax", "plugins", digest)


def _remember(mark):
    if mark is None:
        return
    try:
        os.makedirs(os.path.dirname(mark), exist_ok=True)
        with open(mark, "w", encoding="utf-8"):
            pass
    except OSError:
        return  # A cache that cannot be written makes the next start slower, no more.
