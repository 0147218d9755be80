"""The folder of the headers of jaxlib's interfaces."""

import os

import jaxlib


def package() -> str:
    """The folder of jaxlib."""
    return os.path.dirname(str(jaxlib.__file__))


def folder() -> str | None:
    """The folder to include from; None where jaxlib has none."""
    found = os.path.join(package(), "include")
    return found if os.path.isfile(os.path.join(found, "xla/ffi/api/ffi.h")) else None
