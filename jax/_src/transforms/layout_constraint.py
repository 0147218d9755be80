"""Constraints of the layout of intermediate values."""

import functools as ft
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter, util
from jax._src.core import avals, primitive
from jax._src.lib import client
from jax._src.runtime.arrays import layouts, relayout


@primitive.declare("layout_constraint", traits=primitive.Trait.LINEAR)
class layout_constraint_p:
    """Constrains the layout of a value where it is observed.

    That is where they are results. Inside of a program the compiler chooses layouts.
    """

    sharding = primitive.BY_TYPES

    def types(x, *, layout):
        return x

    def impl(x, *, layout):
        return relayout.lay_out(x, layout) if isinstance(x, client.Array) else x

    def transpose(ct, x, *, layout):
        return [layout_constraint_p.bind(ct, layout=layout)]

    def batch(axis, args, dims, *, layout):
        (x,), (d,) = args, dims
        order = (d, *(i + (i >= d) for i in layout.major_to_minor))
        wider = layout.update(major_to_minor=order)
        return layout_constraint_p.bind(x, layout=wider), d

    def lower(ctx, x, *, layout):
        return x

    def reference(x, *, layout):
        return x

    samples = ()


@traceback_filter.hides_frames
def with_layout_constraint(x: Any, layouts: Any) -> Any:
    """Constrains the layouts of intermediate arrays.

    Args:
        x: a tree of arrays.
        layouts: a `Layout`, or a tree prefix of such.

    Returns:
        The same values. Where they are results of a jitted function, or nothing is
        traced, they get this layout.

    Raises:
        ValueError: a layout has another number of axes, or does not name each once; or
            it is none.
        NotImplementedError: a layout has tiles.
    """
    leaves, structure = tree.tree_flatten(x)
    what = "with_layout_constraint layouts"
    wanted = tree.spread_over(what, layouts, structure, _is_layout)
    pairs = zip(leaves, wanted, strict=True)
    return tree.tree_unflatten(structure, [constrain(v, w) for v, w in pairs])


@traceback_filter.hides_frames
def explicit_layout(
    f: Callable | None = None, /, *, in_layouts: Any = None
) -> Callable:
    """A function whose arguments are laid out in memory as stated.

    Args:
        f: the function; left out, a decorator comes back.
        in_layouts: a `Layout`, or a tree of them that is a prefix of the arguments.

    Returns:
        A function with the same values: its arguments have the constraints of
        `with_layout_constraint`.

    Raises:
        TypeError: `in_layouts` is left out.
    """
    if f is None:
        return ft.partial(explicit_layout, in_layouts=in_layouts)
    if in_layouts is None:
        raise errors.type_error(
            "Missing required keyword argument: 'in_layouts'",
            [("function", util.function_name(f))],
            ways="Say how arguments are laid out: explicit_layout(f, in_layouts=Layout((1, 0))).",
        )

    @ft.wraps(f)
    def laid_out(*args: Any) -> Any:
        layouts = in_layouts if isinstance(in_layouts, tuple) else (in_layouts,)
        if len(layouts) != len(args):
            raise errors.value_error(
                "explicit_layout: in_layouts are those of another number of arguments.",
                [("layouts", str(len(layouts))), ("arguments", str(len(args)))],
                "Each positional argument has an entry.",
            )
        return f(*map(with_layout_constraint, args, layouts))

    return laid_out


def _is_layout(x):
    return isinstance(x, layouts.Layout)


def constrain(value: Any, layout: Any) -> Any:
    """One value, with the errors of `with_layout_constraint`."""
    if not _is_layout(layout):
        raise errors.value_error(
            "with_layout_constraint: a layout is none.",
            [("got", repr(layout)), ("type", type(layout).__name__)],
            "The sharding stays the compiler's choice, or is constrained by "
            "jax.lax.with_sharding_constraint.",
            "Give a Layout, or a tree of them.",
        )
    layout.check_compatible_aval(avals.get_aval(value).shape)
    layout.check()
    return layout_constraint_p.bind(value, layout=layout)
