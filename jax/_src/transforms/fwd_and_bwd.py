"""The forward and the backward pass of a function as two functions."""

from collections.abc import Callable, Sequence

from jax._src.base.traceback_filter import hides_frames
from jax._src.jit.jit import jit
from jax._src.transforms import calls, differentiate


@hides_frames
def fwd_and_bwd(
    fun: Callable,
    argnums: int | Sequence[int],
    has_aux: bool = False,
    jitted: bool = True,
) -> tuple[Callable, Callable]:
    """Splits differentiation of a function into two functions, compiled once each.

    Args:
        fun: the function of trees of arrays.
        argnums: the positional arguments to differentiate in.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        jitted: whether both functions are compiled.

    Returns:
        ``(forward, backward)``. ``forward(*args)`` returns the result and residuals, and
        with `has_aux` the auxiliary part as third; ``backward(residuals, cotangent)``
        returns the cotangents of the arguments: a tuple for a sequence of `argnums`.

    Raises:
        TypeError: `fun` is no function, or an argument no array.

    Examples:
        >>> forward, backward = jax.fwd_and_bwd(lambda x, y: x * y, argnums=(0, 1))
        >>> out, residuals = forward(2.0, 3.0)
        >>> backward(residuals, 1.0)
        (Array(3., dtype=float32, weak_type=True), Array(2., dtype=float32, weak_type=True))
    """
    calls.check_callable(fun, "fwd_and_bwd")
    is_one = isinstance(argnums, int)
    numbers = (argnums,) if is_one else tuple(argnums)

    def forward(*args):
        chosen = [n % len(args) for n in numbers]

        def of_chosen(*xs):
            full = list(args)
            for n, x in zip(chosen, xs, strict=True):
                full[n] = x
            return fun(*full)

        return differentiate.vjp(of_chosen, *[args[n] for n in chosen], has_aux=has_aux)

    def backward(residuals, cotangent):
        found = residuals(cotangent)
        return found[0] if is_one else found

    return (jit(forward), jit(backward)) if jitted else (forward, backward)
