"""Where intermediate values shall lie."""

from collections.abc import Callable
from typing import Any

from jax._src.base import traceback_filter
from jax._src.transforms import sharding_constraint


def reshard(xs: Any, out_shardings: Any) -> Any:
    """The same arrays, lying as `out_shardings` says.

    Args:
        xs: a tree of arrays of any dtype.
        out_shardings: as the second argument of `jax.lax.with_sharding_constraint`; so
            are errors.

    Raises:
        TypeError: a leaf of `out_shardings` says no place.
    """
    return sharding_constraint.with_sharding_constraint(xs, out_shardings)


def auto_axes(
    f: Callable | None = None, /, *, axes: Any = None, out_sharding: Any = None
) -> Callable:
    """Decorates a function in which the compiler decides about mesh axes.

    Args:
        f: the function; None: the decorator is returned.
        axes: the axes; None: all.
        out_sharding: how the results lie.
    """
    return _between_modes(f, out_sharding)


def explicit_axes(
    f: Callable | None = None, /, *, axes: Any = None, in_sharding: Any = None
) -> Callable:
    """Decorates a function in which the types decide about mesh axes.

    Args:
        f: the function; None: the decorator is returned.
        axes: the axes; None: all.
        in_sharding: how the arguments lie.
    """
    return _between_modes(f, None)


def _between_modes(f, out_sharding):
    def decorate(fun):
        def run(*args, out_sharding=out_sharding, **kwargs):
            out = fun(*args, **kwargs)
            if out_sharding is None:
                return out
            return sharding_constraint.with_sharding_constraint(out, out_sharding)

        return run

    return decorate if f is None else decorate(f)


traceback_filter.hide_frames(globals())
