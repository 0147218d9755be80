"""Where the headers of jaxlib's interfaces lie."""

import pathlib

import jaxlib


def package() -> str:
    """The folder of jaxlib."""
    return str(pathlib.Path(jaxlib.__file__).parent)


def folder() -> str | None:
    """The folder to include from; None where jaxlib has none."""
    found = pathlib.Path(package(), "include")
    return str(found) if (found / "xla/ffi/api/ffi.h").is_file() else None
