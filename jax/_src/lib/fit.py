"""Whether jax and the jaxlib that is installed fit together, checked before anything native runs.

Two wheels fit if jaxlib's version is in the range that jax needs, if both count the
same native interface, and, where both come from a build, if they come from the same
native sources.
"""

import importlib
import os
import re
from typing import Any

from jax._src.base import errors, version


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", text.split("+")[0])[:3])


def mending_command() -> str:
    """The command that installs versions that fit."""
    return (
        f'pip install --force-reinstall "jax=={version.__version__}" '
        f'"jaxlib>={version.JAXLIB_MINIMUM},<{version.JAXLIB_BELOW}"'
    )


def _misfit(what: str, facts: list[tuple[str, str]], rule: str) -> ImportError:
    return ImportError(
        errors.explain(what, facts, rule, f"To mend it:  {mending_command()}")
    )


def check_versions(jaxlib_version: str, native_interface: int) -> None:
    """Compares what jaxlib says of itself with what jax needs.

    Raises:
        ImportError: they do not fit.
    """
    facts = [
        ("jax", f"{version.__version__}, in {_folder(__file__)}"),
        ("jaxlib", f"{jaxlib_version}, in {_folder(_jaxlib_file())}"),
    ]
    found = _numbers(jaxlib_version)
    wanted = f"{version.JAXLIB_MINIMUM} or newer, below {version.JAXLIB_BELOW}"
    if not _numbers(version.JAXLIB_MINIMUM) <= found < _numbers(version.JAXLIB_BELOW):
        raise _misfit(
            f"jax {version.__version__} and jaxlib {jaxlib_version} do not fit together.",
            facts,
            f"This jax needs jaxlib {wanted}.",
        )
    if native_interface != version.NATIVE_INTERFACE:
        raise _misfit(
            f"jax {version.__version__} and jaxlib {jaxlib_version} do not fit together.",
            [
                *facts,
                ("wanted", f"native interface {version.NATIVE_INTERFACE}"),
                ("found", f"native interface {native_interface}"),
            ],
            "Both must come from one release.",
        )


def check_builds(of_jax: str | None, of_jaxlib: str | None, of_native: str) -> None:
    """Compares the digests of the native sources; None: run from a source tree.

    Raises:
        ImportError: the parts come from different builds.
    """
    built = {
        "jax": of_jax,
        "jaxlib": of_jaxlib,
        "jaxlib's extension": of_native,
    }
    known = {name: digest for name, digest in built.items() if digest}
    if of_jax and of_jaxlib and len(set(known.values())) > 1:
        raise _misfit(
            f"jax {version.__version__} and jaxlib {_jaxlib_version()} come from different builds.",
            [(name, f"build {digest}") for name, digest in known.items()],
            "Wheels that are used together must come from one build.",
        )


def _folder(file: str | None) -> str:
    return os.path.dirname(file) if file else "an unknown folder"


def _jaxlib_file() -> str | None:
    return getattr(importlib.import_module("jaxlib"), "__file__", None)


def _jaxlib_version() -> str:
    return importlib.import_module("jaxlib.version").__version__


def _digest(module: str) -> str | None:
    """The digest that the build wrote beside the sources; None in a source tree."""
    try:
        return importlib.import_module(module).BUILD_IDENTITY
    except ModuleNotFoundError:
        return None


def _import_native() -> Any:
    try:
        return importlib.import_module("jaxlib._native")
    except ModuleNotFoundError as error:
        raise ImportError(
            errors.explain(
                "jaxlib has no native extension for this Python.",
                [("jaxlib", _folder(_jaxlib_file())), ("error", str(error))],
                ways="In a source tree, build it:  python3 build/build.py build\n"
                f"Otherwise:  {mending_command()}",
            )
        ) from None


def check() -> bool:
    """Compares jax with the installed jaxlib.

    Raises:
        ImportError: jaxlib is missing or does not fit.
    """
    try:
        found = importlib.import_module("jaxlib.version")
    except ModuleNotFoundError:
        raise ImportError(
            errors.explain(
                "jax needs jaxlib, which is not installed.",
                [("jax", version.__version__)],
                ways=f"Install it:  {mending_command()}",
            )
        ) from None
    check_versions(found.__version__, getattr(found, "native_interface", 0))
    of_jax = _digest("jax._src.lib.build_identity")
    of_jaxlib = _digest("jaxlib.build_identity")
    # The wheels first, then the extension, which may be left over from an older one.
    check_builds(of_jax, of_jaxlib, of_jaxlib or "")
    native = _import_native()
    check_versions(native.version, native.interface)
    check_builds(of_jax, of_jaxlib, native.build_identity)
    return True


CHECKED = check()
JAXLIB_VERSION = _jaxlib_version()
