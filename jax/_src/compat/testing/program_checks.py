"""What tests look for in the programs of functions: equations, precisions of products, derivatives."""

import functools as ft
from collections.abc import Callable, Iterator
from typing import Any

from jax._src.core import jaxpr as jaxpr_lib
from jax._src.lax.ops import dot
from jax._src.transforms import differentiate, inspect_programs


def iter_eqns(jaxpr: Any) -> Iterator[Any]:
    """The equations of a program and of the programs inside it."""
    yield from jaxpr.eqns
    for inner in jaxpr_lib.subjaxprs(jaxpr):
        yield from iter_eqns(inner)


def _of_products(name, fun, args):
    """A parameter of each product of arrays in the program of a function."""
    closed = inspect_programs.make_jaxpr(fun)(*args)
    return [
        eqn.params[name]
        for eqn in iter_eqns(closed.jaxpr)
        if eqn.primitive is dot.dot_general_p
    ]


def assert_dot_precision(expected_precision: Any, fun: Callable, *args: Any) -> None:
    """Raises AssertionError where a product of `fun` has another precision, for either operand."""
    for precision in _of_products("precision", fun, args):
        of_operands = precision if isinstance(precision, tuple) else (precision,)
        assert all(found == expected_precision for found in of_operands), (
            f"Unexpected precision: {expected_precision} != {precision}"
        )


def assert_dot_preferred_element_type(
    expected: Any, fun: Callable, *args: Any, **kwargs: Any
) -> None:
    """Raises AssertionError where a product of `fun` requests results of another dtype."""
    given = ft.partial(fun, **kwargs)
    for found in _of_products("preferred_element_type", given, args):
        assert found == expected, (
            f"Unexpected preferred_element_type: {expected} != {found}"
        )


def fwd_bwd_jaxprs(f: Callable, *example_args: Any) -> tuple[Any, Any]:
    """The programs of a function with what it keeps for its derivative, and of the derivative."""

    def forward(*args):
        return differentiate.vjp(f, *args)

    there, (result, kept) = inspect_programs.make_jaxpr(forward, return_shape=True)(
        *example_args
    )
    back = inspect_programs.make_jaxpr(lambda vjp, ct: vjp(ct))(kept, result)
    return there, back
