"""Which compiler makes programs for GPUs: that of the vendor's plugin, or this project's own."""

import os
import pathlib
from collections.abc import Iterable

from jax._src.base import errors

VARIABLE = "JAX_GPU_COMPILER"
_NAMES = ("xla", "own")


def is_own() -> bool:
    """Whether the user chose this project's compiler.

    Raises:
        ValueError: the variable names none.
    """
    name = os.environ.get(VARIABLE) or "xla"
    if name not in _NAMES:
        raise errors.value_error(
            f"There is no compiler {name!r} for GPUs.",
            [(VARIABLE, name)],
            f"It is one of {', '.join(_NAMES)}: that of XLA's plugin, or this project's own.",
            f"Set {VARIABLE}=own, or unset it for xla.",
        )
    return name == "own"


def own_library(platform: str, folders: Iterable[str]) -> str:
    """The plugin of this project's compiler for a platform.

    Args:
        platform: ``"cuda"`` or ``"rocm"``.
        folders: where it may be.

    Raises:
        RuntimeError: it is in none of them.
    """
    name = f"pjrt_c_api_{platform}_plugin.so"
    looked = [pathlib.Path(folder, name) for folder in folders]
    for path in looked:
        if path.is_file():
            return str(path)
    raise RuntimeError(
        errors.explain(
            f"{VARIABLE}=own, and the plugin of this compiler for {platform} is not installed.",
            [("looked for", ", ".join(map(str, looked)))],
            "It is in the wheel; a tree of sources has it where it was built.",
            f"pip install jax-{platform}-plugin, or bazel build //xla/pjrt/gpu:{name} and copy it there; or unset {VARIABLE}.",
        )
    )
