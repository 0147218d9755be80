"""Compiled programs kept in a folder, for the processes to come.

Off until `jax_compilation_cache_dir` names the folder. An entry is a file, named after the
program and a key: a digest of the module, the compile options, and of what made the code (the
versions of this package, the plugin, its build and the instruction set). Readers see whole
entries and writers do not meet (`cache_folders`). Of several processes of a job, all read and the
first one writes: the others compile the same programs.

What an entry holds: a first line, the digest of all that follows, the key, the seconds that
compiling took, two sizes, the names of build and instruction set, and the serialized
executable. An entry where one of these does not fit is left alone with a warning, and the
program is compiled.

An executable is code: whoever can write into the folder can run code in this process.
"""

import re
import struct
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import distributed
from jax._src.base import (
    compile_log,
    errors,
    monitoring,
    options,
    records,
    standard,
)
from jax._src.base.config import config
from jax._src.base.version import __version__
from jax._src.runtime.compilation import cache_folders, shared_programs

_MAGIC = b"jax-compilation-cache-2\n"
_DIGEST = 32  # bytes of a SHA-256
_FACTS = struct.Struct(f"<{_DIGEST}sdQQ")  # key, seconds, sizes of names and program
_START = len(_MAGIC) + _DIGEST
_SUFFIX = "-cache"
_EVENTS = "/jax/compilation_cache/"

# The events that record, once per process, whether it uses the cache.
_told: set[str] = set()
# The keys of entries that this process has compared with what it compiled.
_verified: set[str] = set()
_lock = threading.Lock()


@records.record
class _Entry:
    """The entry of a program in the cache."""

    folder: Any
    file_name: str
    key: str
    # Platform, version and build that its code is made by.
    identity: str
    # Of the program, for people.
    name: str


class CacheVerificationError(RuntimeError):
    """An entry holds another program than what its key compiles to now."""

    def __init__(
        self,
        message: str,
        cache_key: str,
        executable_on_disk: bytes,
        executable_new: bytes,
    ):
        super().__init__(message)
        self.cache_key = cache_key
        self.executable_on_disk = executable_on_disk
        self.executable_new = executable_new


class _UnusableEntry(Exception):
    """Why an entry is not used, in words."""


def set_cache_dir(path: str) -> None:
    """Keeps compiled programs in a folder from now on; made if it does not exist.

    Args:
        path: the folder, or a URL such as ``s3://bucket/folder``, which fsspec reaches. Only this
            user should be able to write there.
    """
    config.update("jax_compilation_cache_dir", str(path))


def reset_cache() -> None:
    """Forgets that this process has used the cache; its files stay."""
    with _lock:
        _told.clear()
        _verified.clear()


def _record_once(event):
    with _lock:
        is_new = event not in _told
        _told.add(event)
    if is_new:
        monitoring.record_event(_EVENTS + event)


def _folder():
    """The folder of entries, or None where the user has not turned the cache on."""
    path = options.compilation_cache_dir.value
    if not options.enable_compilation_cache.value:
        _record_once("task_disabled_cache")
        return None
    return cache_folders.folder_at(path) if path else None


def identity_of(client: Any) -> str:
    """Names whose code it is: platform, version, build and instruction set."""
    attributes = client.plugin_attributes()
    made_by = attributes.get("code_identity", "")
    if isinstance(made_by, bytes):
        made_by = made_by.decode()
    return f"{client.platform} {client.platform_version} {made_by}"


def _key(text, settings, identity):
    digest = standard.sha256()
    for part in (_MAGIC, __version__, identity, text, settings.serialize()):
        data = part.encode() if isinstance(part, str) else part
        digest.update(struct.pack("<Q", len(data)))
        digest.update(data)
    return digest.hexdigest()


def _file_name(name, key):
    plain = re.sub(r"[^\w.-]+", "_", name).strip("_")
    return f"{plain[:80] or 'program'}-{key}{_SUFFIX}"


# Entries


def _pack(key, identity, seconds, program):
    names = identity.encode()
    facts = _FACTS.pack(bytes.fromhex(key), seconds, len(names), len(program))
    body = facts + names + program
    return _MAGIC + standard.sha256(body).digest() + body


def _unpack(entry):
    """The seconds that compiling took, and the serialized executable."""
    file, stored_size = entry.folder.open(entry.file_name)
    with file:
        start = file.read(_START)
        facts = file.read(_FACTS.size)
        if not start.startswith(_MAGIC) or len(facts) < _FACTS.size:
            raise _UnusableEntry("it is no entry of this version's cache")
        made_for, seconds, names_size, program_size = _FACTS.unpack(facts)
        size = _START + _FACTS.size + names_size + program_size
        # Before the rest is read: a damaged file can be of any size.
        if size != stored_size:
            raise _UnusableEntry(f"it has {stored_size} bytes and says {size}")
        rest = file.read()
    if standard.sha256(facts + rest).digest() != start[len(_MAGIC) :]:
        raise _UnusableEntry("it is damaged: its digest does not fit its bytes")
    names = rest[:names_size]
    if names != entry.identity.encode():
        by = names.decode(errors="replace")
        raise _UnusableEntry(f"it was made by {by!r}, and this is {entry.identity!r}")
    if made_for != bytes.fromhex(entry.key):
        raise _UnusableEntry("it is another program's, under this one's name")
    return seconds, rest[names_size:]


def _complain(doing, name, reason):
    """Warns, or raises where the user wants that, that the cache cannot be used."""
    message = errors.explain(
        f"The persistent compilation cache: cannot {doing} the entry of {name!r}.",
        [("reason", reason), ("folder", str(options.compilation_cache_dir.value))],
        ways="The program was compiled. Delete the entry, or set "
        "jax_enable_compilation_cache to False.",
    )
    if options.raise_persistent_cache_errors.value:
        raise RuntimeError(message)
    warnings.warn(message, stacklevel=2)


def _read(entry, client):
    """The executable of an entry; None where there is none."""
    start = time.perf_counter()
    try:
        seconds, program = _unpack(entry)
        executable = client.deserialize_executable(program)
    except FileNotFoundError:
        return None
    except (OSError, MemoryError) as error:
        _complain("read", entry.name, f"{type(error).__name__}: {error}")
        return None
    except (_UnusableEntry, RuntimeError) as error:
        _complain("use", entry.name, str(error))
        return None
    spent = time.perf_counter() - start
    monitoring.record_event(_EVENTS + "cache_hits")
    compile_log.note_cache_hit()
    monitoring.record_event_duration_secs(
        _EVENTS + "compile_time_saved_sec", seconds - spent
    )
    monitoring.record_event_duration_secs(_EVENTS + "cache_retrieval_time_sec", spent)
    if options.compilation_cache_max_size.value != -1:
        entry.folder.touch(entry.file_name)
    return executable


def _make_room(folder, size):
    """Removes the entries that were not used for longest, until `size` bytes fit."""
    most = options.compilation_cache_max_size.value
    entries = folder.entries(_SUFFIX)
    total = sum(taken for _, taken, _ in entries)
    for _, taken, file_name in sorted(entries):
        if total + size <= most:
            break
        folder.remove(file_name)
        total -= taken


def _write(entry, data):
    """Writes an entry; warns where that fails."""
    try:
        if options.compilation_cache_max_size.value != -1:
            _make_room(entry.folder, len(data))
        entry.folder.put(entry.file_name, data)
    except OSError as error:
        _complain("write", entry.name, f"{type(error).__name__}: {error}")


def _keep(entry, executable, seconds):
    if distributed.global_state.process_id != 0:
        return
    if seconds < options.persistent_cache_min_compile_time_secs.value:
        return
    try:
        program = executable.serialize()
    except RuntimeError as error:
        _complain("write", entry.name, str(error))
        return
    data = _pack(entry.key, entry.identity, seconds, program)
    most = options.compilation_cache_max_size.value
    is_small = len(program) < options.persistent_cache_min_entry_size_bytes.value
    if is_small or most != -1 and len(data) > most:
        return
    monitoring.record_event(_EVENTS + "cache_misses")
    _write(entry, data)


def keeps_programs_for(devices: Sequence[Any]) -> bool:
    """Whether what is compiled for these devices is for other processes too."""
    has_folder = (
        options.enable_compilation_cache.value and options.compilation_cache_dir.value
    )
    return bool(has_folder) or shared_programs.is_shared(devices)


def compile_cached(
    compile_program: Callable[[], Any],
    *,
    text: Callable[[], str | bytes],
    settings: Any,
    devices: Sequence[Any],
    name: str,
) -> Any:
    """Takes an executable from the cache, or compiles it and keeps it there.

    Args:
        compile_program: compiles the program.
        text: the program, without what does not matter for its code, such as lines in
            source files. Computed where the cache is on, or one process compiles for all.
        settings: the compile options.
        devices: those that it is for, of one client.
        name: of the program, for people.
    """
    folder, is_shared = _folder(), shared_programs.is_shared(devices)
    if folder is None and not is_shared:
        return compile_program()
    client = devices[0].client
    identity = identity_of(client)
    key = _key(text(), settings, identity)
    make = compile_program
    if folder is not None:
        entry = _Entry(folder, _file_name(name, key), key, identity, name)
        make = lambda: _get(entry, client, compile_program)  # noqa: E731
    if is_shared:
        return shared_programs.get(make, key=key, devices=devices, client=client)
    return make()


def _get(entry, client, compile_program):
    """The executable of an entry, which is made if it is not there."""
    _record_once("tasks_using_cache")
    monitoring.record_event(_EVENTS + "compile_requests_use_cache")
    is_checked = (
        options.compilation_cache_check_contents.value and entry.key not in _verified
    )
    executable = None if is_checked else _read(entry, client)
    if executable is not None:
        return executable
    start = time.perf_counter()
    executable = compile_program()
    seconds = time.perf_counter() - start
    if not (is_checked and _verify(entry, executable)):
        _keep(entry, executable, seconds)
    return executable


def _verify(entry, executable):
    """Compares an entry with what was compiled; whether there is one.

    Raises:
        CacheVerificationError: they differ.
    """
    try:
        _, stored = _unpack(entry)
    except FileNotFoundError:
        with _lock:
            _verified.add(entry.key)  # This process is about to write it.
        return False
    except (OSError, MemoryError) as error:
        _complain("read", entry.name, f"{type(error).__name__}: {error}")
        return False
    except _UnusableEntry as error:
        _complain("use", entry.name, str(error))
        return False
    program = executable.serialize()
    if program != stored:
        raise CacheVerificationError(
            errors.explain(
                f"The persistent compilation cache: inconsistency of {entry.name!r}.",
                [
                    ("entry", entry.file_name),
                    ("folder", str(options.compilation_cache_dir.value)),
                    (
                        "sizes",
                        f"{len(stored)} bytes there, {len(program)} compiled now",
                    ),
                ],
                "With jax_compilation_cache_check_contents an entry has the bytes that its "
                "key compiles to, lines of the user's files included.",
                "Delete the entry.\n"
                "If other lines call the same program: set "
                "jax_compilation_cache_include_metadata_in_key.",
            ),
            entry.key,
            stored,
            program,
        )
    with _lock:
        _verified.add(entry.key)
    return True
