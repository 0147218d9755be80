"""Types, sizes and programs, as libraries that walk through programs handle them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.core import avals, evaluate, jaxpr as jaxpr_lib
from jax._src.core.symbols import expressions
from jax._src.dtypes import canonical

# Types in annotations of libraries.
DimSize = int | Any
Shape = Sequence[DimSize]
Index = tuple[slice, ...]
# Types of Python scalars that a program may hold as constants of equations.
literalable_types = {bool, int, float, complex}


def last_used(jaxpr: jaxpr_lib.Jaxpr) -> dict[jaxpr_lib.Var, jaxpr_lib.JaxprEqn | None]:
    """For each variable, the last equation that uses it; None for outputs of the program."""
    last: dict[jaxpr_lib.Var, jaxpr_lib.JaxprEqn | None] = {
        v: None for v in jaxpr.outvars if isinstance(v, jaxpr_lib.Var)
    }
    for eqn in reversed(jaxpr.eqns):
        for v in eqn.invars:
            if isinstance(v, jaxpr_lib.Var):
                last.setdefault(v, eqn)
    return last


def clean_up_dead_vars(
    eqn: jaxpr_lib.JaxprEqn,
    env: dict[jaxpr_lib.Var, Any],
    last_used: dict[jaxpr_lib.Var, Any],
) -> None:
    """Removes from `env` the variables that no equation after `eqn` uses.

    Args:
        eqn: an equation of which the operands may have been used for the last time.
        env: values by variable.
        last_used: what the function `last_used` returned for the program.
    """
    for v in {v for v in eqn.invars if isinstance(v, jaxpr_lib.Var)}:
        if last_used[v] is eqn:
            env.pop(v, None)


def typematch(t1: Any, t2: Any) -> bool:
    """Whether two types are equal, whatever their weak types are."""
    return evaluate.same_type(t1.strip_weak_type(), t2.strip_weak_type())


def typecheck(aval: Any, x: Any) -> bool:
    """Whether a value has a type, whatever its weak type is."""
    return typematch(aval, avals.get_aval(x))


def typecompat(aval_ref: Any, aval: Any) -> bool:
    """Whether a value of the type `aval` may stand where `aval_ref` is expected."""
    return typematch(aval_ref, aval)


def definitely_equal(x: Any, y: Any) -> bool:
    """Whether two sizes or values are equal for certain."""
    return x is y or expressions.is_certain(lambda: bool(x == y))


def definitely_equal_shape(s1: Shape, s2: Shape) -> bool:
    """Whether two shapes are equal for certain."""
    return len(s1) == len(s2) and all(map(definitely_equal, s1, s2))


def definitely_equal_one_of_dim(d1: DimSize, dlist: Sequence[DimSize]) -> bool:
    """Whether a size is equal to one of others for certain."""
    return any(definitely_equal(d1, d) for d in dlist)


def divide_shape_sizes(s1: Shape, s2: Shape) -> DimSize:
    """The number of elements of one shape divided by that of another one.

    Raises:
        InconclusiveDimensionOperation: the quotient is not whole.
    """
    first, second = _product(s1), _product(s2)
    if definitely_equal(first, second):
        return 1
    quotient, rest = divmod(first, second)
    if not definitely_equal(rest, 0):
        raise expressions.InconclusiveDimensionOperation(
            f"Cannot divide evenly the sizes of shapes {tuple(s1)} and {tuple(s2)}"
        )
    return quotient


def _product(shape):
    size: Any = 1
    for d in shape:
        size = size * d
    return size


def is_empty_shape(s: Shape) -> bool:
    """Whether an axis has the size 0 for certain."""
    return any(definitely_equal(d, 0) for d in s)


def dilate_dim(d: DimSize, dilation: DimSize) -> DimSize:
    """The size of an axis after ``dilation - 1`` entries were put between neighbours."""
    if definitely_equal(dilation, 1):
        return d
    return expressions.max_dim(1 + dilation * (d - 1), 0)


def stride_dim(d: DimSize, window_size: DimSize, window_stride: DimSize) -> DimSize:
    """The number of windows along an axis: 0 where none fits."""
    return expressions.max_dim((d - window_size) // window_stride + 1, 0)


def canonicalize_dim(d: DimSize, context: str = "") -> DimSize:
    """A size as an integer or a symbol.

    Raises:
        TypeError: it is neither.
    """
    return avals.canonical_shape((d,))[0]


def dim_value_dtype() -> np.dtype:
    """The dtype of sizes as values of programs."""
    return canonical.default_int_dtype()


def dim_constant(ct: int) -> np.generic:
    """A size as a constant of a program."""
    return dim_value_dtype().type(ct)


def dim_value_aval() -> avals.ShapedArray:
    """The type of sizes as values of programs."""
    return avals.ShapedArray((), dim_value_dtype(), weak_type=True)


def evaluate_shape(shape: Shape, dim_vars: Sequence[str], *dim_values: Any) -> tuple:
    """A shape with values in place of its symbols.

    Args:
        shape: the shape.
        dim_vars: the names of the symbols.
        *dim_values: their values.
    """
    values = dict(zip(dim_vars, dim_values, strict=True))
    return tuple(expressions.substitute(d, values) for d in shape)


def is_literalable(x: Any) -> bool:
    """Whether an equation may hold a value as a constant of its own."""
    return type(x) in literalable_types or (
        isinstance(x, np.generic | np.ndarray) and x.shape == ()
    )


def identity(x: Any) -> Any:
    """The argument."""
    return x


def update_aval_with_sharding(aval: Any, sharding: Any, **_: Any) -> Any:
    """A type with the sharding of a value; without one, the type as it is."""
    return aval if sharding is None else avals.placed(aval, sharding)


def replace_jaxpr_effects(
    jaxpr: jaxpr_lib.ClosedJaxpr, effects: Any
) -> jaxpr_lib.ClosedJaxpr:
    """A closed program said to have other effects."""
    return jaxpr.replace(jaxpr=jaxpr.jaxpr.replace(effects=frozenset(effects)))
