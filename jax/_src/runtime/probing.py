"""Loads a plugin's library in another process first: one that crashes takes that one down.

A library that was loaded once is remembered by path, size and time in the user's cache.
"""

import hashlib
import os
import subprocess
import sys

from jax._src.base import errors, version

_PATIENCE_S = 120
_SAID = "jax-plugin-probe"
_PROBE = f"""
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


def check(name: str, path: str) -> None:
    """Loads a plugin's library in a process of its own, unless that went well before.

    Only a library that ends the process is refused: what else is wrong with it, the
    client tells.

    Raises:
        RuntimeError: the library ends or blocks the process that loads it.
    """
    mark = _mark(path)
    if mark is not None and os.path.exists(mark):
        return
    try:
        answer = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _PROBE, path],
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(_explain(name, path, f"no end in {_PATIENCE_S} s")) from None
    except OSError:
        return  # No interpreter to ask: a program that embeds Python.
    if f"{_SAID} begins" in answer.stdout and f"{_SAID} ends" not in answer.stdout:
        found = f"exit status {answer.returncode}"
        if answer.returncode < 0:
            found = f"signal {-answer.returncode}"
        last = answer.stderr.strip().splitlines()[-1:]
        raise RuntimeError(_explain(name, path, "; ".join([found, *last])))
    if mark is not None and f"{_SAID} ends" in answer.stdout:
        _remember(mark)


def _explain(name, path, found):
    return errors.explain(
        f"The library of plugin {name!r} cannot be loaded: a process that tried it ended.",
        [("library", path), ("found", found)],
        "It was tried apart, so that this process goes on.",
        "Install the plugin's package again, for this machine and this jaxlib.",
    )


def _mark(path):
    try:
        facts = os.stat(path)
    except OSError:
        return None
    key = (
        f"{os.path.realpath(path)} {facts.st_size} {facts.st_mtime_ns} "
        f"{version.__version__} {os.environ.get('LD_LIBRARY_PATH', '')}"
    )
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    digest = hashlib.sha256(key.encode()).hexdigest()[:32]
    return os.path.join(base, "jax", "plugins", digest)


def _remember(mark):
    try:
        os.makedirs(os.path.dirname(mark), exist_ok=True)
        with open(mark, "w", encoding="utf-8"):
            pass
    except OSError:
        return  # A cache that cannot be written makes the next start slower, no more.
