"""What kernels are written with: choices, loops, small numbers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors
from jax._src.lax.control_flow.conditionals import cond as lax_cond
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas.unsupported import not_here


def when(condition: Any, /) -> Callable[[Callable[[], Any]], None]:
    """Runs a function where a condition holds; a decorator.

    Args:
        condition: Boolean, of Python or a scalar array.

    Returns:
        A decorator of a function without arguments, which runs at once, or not.

    Raises:
        TypeError: the condition is no scalar.

    Examples:
        >>> def kernel(x, out):
        ...     out[...] = x[...]
        ...     @pl.when(pl.program_id(0) == 0)
        ...     def _():
        ...         out[0] = 0.0
        >>> pl.pallas_call(kernel, jnp.ones(2), grid=1, interpret=True)(jnp.ones(2))
        Array([0., 1.], dtype=float32)
    """

    def run(f: Callable[[], Any]) -> None:
        if isinstance(condition, bool):
            if condition:
                f()
        else:
            lax_cond(condition, _without_result(f), lambda: None)

    return run


def _without_result(f):
    def call():
        f()

    return call


def loop(
    lower: Any,
    upper: Any,
    *,
    init_carry: Any = None,
    step: Any = 1,
    unroll: int | bool | None = None,
) -> Callable[[Callable[..., Any]], Any]:
    """Runs a function for each index of a range; a decorator.

    Args:
        lower: the first index.
        upper: the end of the range, not in it.
        init_carry: a tree of arrays that goes from one step to the next; None: nothing.
        step: how far indices are apart.
        unroll: how many steps are written out; all, if True.

    Returns:
        A decorator of a function of an index (and the carry, which it returns); what is
        decorated becomes the last carry.

    Raises:
        TypeError: the carry changes its type.
    """

    def run(body: Callable[..., Any]) -> Any:
        count = cdiv(upper - lower, step)

        def at(number, carry):
            index = lower + number * step
            if init_carry is None:
                body(index)
                return None
            return body(index, carry)

        return lax.fori_loop(0, count, at, init_carry, unroll=unroll)

    return run


def cdiv(a: Any, b: Any) -> Any:
    """The quotient of two integers, or arrays of them, rounded up.

    Raises:
        ZeroDivisionError: `b` is 0, in Python.
    """
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    return (a + (b - 1)) // b


def align_to(a: Any, alignment: Any) -> Any:
    """The smallest multiple of `alignment` that is not below `a`.

    Raises:
        ZeroDivisionError: `alignment` is 0, in Python.
    """
    return cdiv(a, alignment) * alignment


def next_power_of_2(x: int) -> int:
    """The smallest power of two that is not below `x`; 1 for 0.

    Raises:
        ValueError: `x` is negative.
    """
    if x < 0:
        raise errors.value_error(
            "pl.next_power_of_2: the number is negative.", [("x", str(x))]
        )
    return 1 << (x - 1).bit_length() if x else 1


def strides_from_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides along each axis in elements, rows first.

    Raises:
        Nothing.
    """
    return tuple(int(np.prod(shape[i + 1 :], dtype=int)) for i in range(len(shape)))


def broadcast_to(a: Any, shape: Sequence[int]) -> Any:
    """An array repeated to a shape, as `jnp.broadcast_to`.

    Raises:
        ValueError: it does not fit.
    """
    return jnp.broadcast_to(a, shape)


def multiple_of(x: Any, values: int | Sequence[int]) -> Any:
    """Returns integers unchanged, with a promise that they are multiples of `values`.

    Raises:
        Nothing: the promise is not checked.
    """
    return x


def reciprocal(x: Any, *, approx: bool = False, full_range: bool = True) -> Any:
    """One divided by each element.

    Args:
        x: array of floats.
        approx: whether the precision of bfloat16 is enough.
        full_range: accepted; results are right for all floats.

    Raises:
        TypeError: `x` is no array.
    """
    x = jnp.asarray(x)
    if approx:
        return jnp.reciprocal(x.astype(dtypes.bfloat16)).astype(x.dtype)
    return jnp.reciprocal(x)


def empty(shape: Sequence[int], dtype: Any, *, out_sharding: Any = None) -> Any:
    """An array of unspecified contents; here, of zeros.

    Args:
        shape: its shape.
        dtype: its dtype.
        out_sharding: its sharding over Explicit mesh axes.

    Raises:
        TypeError: as `jnp.zeros`.
    """
    return jnp.zeros(shape, dtype, out_sharding=out_sharding)


def empty_like(x: Any) -> Any:
    """Arrays of unspecified contents, of the shapes and dtypes of a tree of arrays.

    Raises:
        AttributeError: a leaf has no shape.
    """
    return tree.tree_map(lambda leaf: empty(leaf.shape, leaf.dtype), x)


def delay(nanos: Any) -> None:
    """Waits, on hardware that can.

    Raises:
        NotImplementedError: always: interpreted kernels do not wait.
    """
    raise not_here("pl.delay", "TPUs and GPUs")


def get_global(what: Any) -> Any:
    """A reference to memory that outlives a kernel.

    Raises:
        NotImplementedError: always: memory of interpreted kernels ends with the call.
    """
    raise not_here(
        "pl.get_global", "TPUs and GPUs", "Pass an array with input_output_aliases."
    )
