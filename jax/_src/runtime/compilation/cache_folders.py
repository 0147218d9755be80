"""The folder of the persistent compilation cache: on this machine, or in an object store."""

import contextlib
import importlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from jax._src.base import caches, errors


class LocalFolder:
    """A folder of this machine's file systems. Errors are OSError."""

    def __init__(self, path: str):
        self._path = path

    def open(self, name: str) -> tuple[BinaryIO, int]:
        """An entry, to be read, and its size in bytes."""
        path = os.path.join(self._path, name)
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is no file")
        return open(path, "rb"), status.st_size

    def put(self, name: str, data: bytes) -> None:
        """Makes or replaces an entry: readers see the old one or the new one."""
        os.makedirs(self._path, exist_ok=True)
        temporary = os.path.join(self._path, f".new-{os.urandom(8).hex()}")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, os.path.join(self._path, name))
        except BaseException:
            _remove(temporary)
            raise

    def entries(self, suffix: str) -> list[tuple[float, int, str]]:
        """When each entry was last used, its size and its name."""
        found = []
        if not os.path.isdir(self._path):
            return found
        for entry in os.scandir(self._path):
            if not entry.name.endswith(suffix):
                continue
            with contextlib.suppress(FileNotFoundError):
                status = entry.stat()
                found.append((status.st_mtime, status.st_size, entry.name))
        return found

    def remove(self, name: str) -> None:
        """Removes an entry, if it is there."""
        _remove(os.path.join(self._path, name))

    def touch(self, name: str) -> None:
        """Notes that an entry was used."""
        with contextlib.suppress(OSError):  # Another process removed it, or owns it.
            os.utime(os.path.join(self._path, name))


def _remove(path):
    with contextlib.suppress(FileNotFoundError):  # Another process was faster.
        os.unlink(path)


class RemoteFolder:
    """A folder of an object store, by fsspec. Errors are OSError."""

    def __init__(self, path: str):
        fsspec = _module_for(path)
        # Others write there, too: what was listed once is not remembered.
        make = lambda: fsspec.core.url_to_fs(path, use_listings_cache=False)  # noqa: E731
        self._files, self._path = _found(make, path)

    def _path_of(self, name):
        return f"{self._path.rstrip('/')}/{name}"

    def open(self, name: str) -> tuple[BinaryIO, int]:
        """An entry, read by one request: others may replace it at any time; and its size in bytes."""
        with _as_os_errors():
            data = self._files.cat_file(self._path_of(name))
        return io.BytesIO(data), len(data)

    def put(self, name: str, data: bytes) -> None:
        """Makes or replaces an entry, by one request: readers see the old one or the new one."""
        with _as_os_errors():
            self._files.pipe_file(self._path_of(name), data)

    def entries(self, suffix: str) -> list[tuple[float, int, str]]:
        """When each entry was written, its size and its name."""
        with _as_os_errors():
            try:
                listed = self._files.ls(self._path, detail=True)
            except FileNotFoundError:
                return []
            return [
                (_time_of(entry), entry["size"], entry["name"].rpartition("/")[2])
                for entry in listed
                if entry["name"].endswith(suffix)
            ]

    def remove(self, name: str) -> None:
        """Removes an entry, if it is there."""
        with _as_os_errors(), contextlib.suppress(FileNotFoundError):
            self._files.rm_file(self._path_of(name))

    def touch(self, name: str) -> None:
        """Does nothing: object stores note when an object was written, not when it was read."""


def _time_of(entry) -> float:
    """When an object was written, as file systems of several kinds say it."""
    keys = ("LastModified", "mtime", "updated", "created")
    time = next((entry[key] for key in keys if key in entry), 0.0)
    return time.timestamp() if hasattr(time, "timestamp") else float(time)


@contextlib.contextmanager
def _as_os_errors() -> Iterator[None]:
    """Makes an OSError of whatever a client of an object store raises."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from error


def _module_for(path):
    try:
        importlib.import_module("fsspec.core")
        return importlib.import_module("fsspec")
    except ImportError:
        raise _needs(path, "fsspec is not installed") from None


def _found(make: Callable[[], Any], path: str):
    try:
        return make()
    except (ImportError, ValueError) as error:
        raise _needs(path, str(error)) from error


def _needs(path, found):
    return errors.runtime_error(
        "The persistent compilation cache cannot reach its folder.",
        [("jax_compilation_cache_dir", path), ("found", found)],
        "Folders with `://` are reached by the package fsspec, and one for their kind.",
        "Install them:  pip install fsspec s3fs  (s3://), or gcsfs (gs://).",
    )


@caches.memoize(8)
def folder_at(path: str) -> LocalFolder | RemoteFolder:
    """The folder that a path names, or a URL such as ``s3://bucket/folder``.

    Raises:
        RuntimeError: a package is missing that knows such URLs.
    """
    return RemoteFolder(path) if "://" in path else LocalFolder(path)
