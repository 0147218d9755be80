"""The transpose of a linear function."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, scalars
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import avals, state
from jax._src.interpreters import ad
from jax._src.transforms import calls, vjp_function
from jax._src.transforms.differentiate import no_reduce_axes, shaped_aval


@hides_frames
def linear_transpose(
    fun: Callable, *primals: Any, reduce_axes: Sequence[Any] = ()
) -> Callable:
    """The transpose of a function that is linear in its arguments.

    Args:
        fun: a linear function of trees of arrays.
        *primals: arguments, or their types (`jax.ShapeDtypeStruct`); values are not used.
        reduce_axes: must be empty.

    Returns:
        A function from a tree like the result of `fun` to a tuple of trees like its
        arguments: a `Partial`, whose leaves are the arrays that it uses.

    Raises:
        TypeError: arguments and results are neither all inexact nor all integers.
    """
    no_reduce_axes(reduce_axes)
    calls.check_callable(fun, "linear_transpose")
    leaves, in_tree = tree.tree_flatten((primals, {}))
    in_avals = [shaped_aval(leaf) for leaf in leaves]
    flat = calls.FlatFunction(fun, in_tree, "linear_transpose")
    debug = calls.debug_info("linear_transpose", fun)
    closed = ad.trace_linear(flat, in_avals, debug)
    _check_linear(fun, in_avals, closed.out_avals)

    @api_boundary
    def transposed(consts, cotangent):
        cts, ct_tree = tree.tree_flatten(cotangent)
        if ct_tree != flat.out_tree:
            raise errors.type_error(
                "cotangent tree does not match function output, expected "
                f"{flat.out_tree} but got {ct_tree}.",
                [("function", calls.describe(fun))],
            )
        for ct, aval in zip(cts, closed.out_avals, strict=True):
            given = avals.get_aval(ct)
            if not avals.same_form(given, aval):
                raise TypeError(
                    "cotangent type does not match function output, expected "
                    f"{aval.str_short()} but got {given.str_short()}."
                )
        inputs = [ad.UndefinedPrimal(a) for a in in_avals]
        backward = state.within(ad.TRANSPOSE, ad.backward_pass)
        found = backward(closed.jaxpr, consts, inputs, cts)
        args, _ = tree.tree_unflatten(
            in_tree, [vjp_function.without_zero(f) for f in found]
        )
        return args

    return tree.Partial(transposed, closed.consts)


def _kind_of_numbers(aval):
    if scalars.is_inexact(aval.dtype):
        return "inexact"
    is_number = not isinstance(aval.dtype, scalars.ExtendedDType)
    return "integer" if is_number and aval.dtype.kind in "iu" else "other"


def _check_linear(fun, in_avals, out_avals):
    kinds = {_kind_of_numbers(aval) for aval in (*in_avals, *out_avals)}
    if len(kinds) > 1 or "other" in kinds:
        raise errors.type_error(
            "linear_transpose only supports [float or complex] -> [float or complex], "
            "and integer -> integer functions, but got "
            f"{[a.dtype for a in in_avals]} -> {[a.dtype for a in out_avals]}.",
            [
                ("function", calls.describe(fun)),
                ("takes", ", ".join(aval.str_short() for aval in in_avals)),
                ("returns", ", ".join(aval.str_short() for aval in out_avals)),
            ],
            "It maps floating-point and complex numbers to such, or integers to "
            "integers.",
        )
