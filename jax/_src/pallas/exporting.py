"""Programs with kernels as text, and kernels of sizes that are not known."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from jax._src.jit import jit as jit_module
from jax._src.pallas.unsupported import not_here


def lower_as_mlir(
    f: Callable[..., Any],
    *args: Any,
    dynamic_shapes: bool = False,
    device: Any = None,
    static_argnames: Any = (),
    platforms: Sequence[str] | None = None,
    **kwargs: Any,
) -> str:
    """The program of a call, as text.

    Args:
        f: a function of trees of arrays.
        *args: its arguments, or types of them.
        dynamic_shapes: whether blocks may have sizes that are not known.
        device: the device for which it is.
        static_argnames: names of arguments that are values of Python.
        platforms: the platforms for which it is; None: TPUs.
        **kwargs: arguments by name.

    Returns:
        The module, in StableHLO.

    Raises:
        ValueError: it has a kernel that is not interpreted.
        NotImplementedError: `dynamic_shapes` is set.
    """
    jitted = jit_module.jit(f, device=device, static_argnames=static_argnames)
    with pallas_export_experimental(dynamic_shapes):
        traced = jitted.trace(*args, **kwargs)
        lowered = traced.lower(lowering_platforms=tuple(platforms or ("tpu",)))
        return lowered.as_text(debug_info=True)


def pallas_export_experimental(
    dynamic_shapes: bool,
) -> contextlib.AbstractContextManager[None]:
    """A context in which blocks may have sizes that are not known: not here.

    Args:
        dynamic_shapes: whether they may.

    Raises:
        NotImplementedError: they shall.
    """
    if dynamic_shapes:
        raise not_here("A block of a size that is not known", "TPUs")
    return contextlib.nullcontext()
