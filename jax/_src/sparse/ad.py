"""Derivatives with respect to the stored elements of sparse arrays."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import util
from jax._src.lax import jacobians
from jax._src.sparse import arrays, bcoo, bcsr
from jax._src.transforms import calls, differentiate


def is_sparse(x: Any) -> bool:
    """Whether `x` is a sparse array."""
    return isinstance(x, arrays.JAXSparse)


class _Split:
    """Arguments, of which the values of sparse arrays alone are arguments of another."""

    def __init__(self, args: Sequence[Any], argnums: Sequence[int]):
        self.args = args
        self.argnums = argnums
        found = [tree.tree_flatten(args[i], is_leaf=is_sparse) for i in argnums]
        self.leaves = [leaves for leaves, _ in found]
        self.trees = [structure for _, structure in found]

    def values(self) -> list[list[Any]]:
        """What is differentiated: the data of sparse arrays, and dense arrays."""
        return [
            [x.data if is_sparse(x) else x for x in leaves] for leaves in self.leaves
        ]

    def filled(self, values: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
        """The arguments with other values."""
        args = list(self.args)
        for i, structure, leaves, new in zip(
            self.argnums, self.trees, self.leaves, values, strict=True
        ):
            made = [
                _with_data(x, value) if is_sparse(x) else value
                for x, value in zip(leaves, new, strict=True)
            ]
            args[i] = tree.tree_unflatten(structure, made)
        return tuple(args)

    def derivative(self, number: int, values: Sequence[Any], make: Callable) -> Any:
        """The derivative for one argument, sparse where the argument is."""
        made = [
            make(x, value) if is_sparse(x) else value
            for x, value in zip(self.leaves[number], values, strict=True)
        ]
        return tree.tree_unflatten(self.trees[number], made)


def _with_data(mat, data):
    children, structure = mat.tree_flatten()
    return type(mat).tree_unflatten(structure, (data, *children[1:]))


def _with_leading(mat, data):
    """A derivative of a result with dimensions, which are batch dimensions of it."""
    extra = data.ndim - mat.data.ndim
    lead = data.shape[:extra]
    if not extra:
        return _with_data(mat, data)
    if not isinstance(mat, bcoo.BCOO | bcsr.BCSR):
        raise NotImplementedError(
            f"Jacobians of arrays with respect to {type(mat).__name__} are not "
            "implemented: the format has no batch dimensions. Use BCOO or BCSR."
        )
    rest = [b.reshape((1,) * extra + b.shape) for b in mat._buffers[1:]]
    return type(mat)(
        (data, *rest),
        shape=(*lead, *mat.shape),
        indices_sorted=mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


def flatten_fun_for_sparse_ad(
    fun: Callable, argnums: int | Sequence[int], args: Sequence[Any]
) -> tuple[Callable, tuple[int, ...], tuple[Any, ...], Callable]:
    """A function of the values of sparse arguments, and what leads back.

    Args:
        fun: the function.
        argnums: the arguments that are differentiated.
        args: all arguments.

    Returns:
        ``(flat, numbers, values, back)``: a function of lists of values, which arguments
        of it are differentiated, the lists, and a function from a tuple of derivatives to
        those of the arguments.
    """
    numbers = calls.argnums_tuple(argnums, "sparse.grad")
    numbers = tuple(i % len(args) for i in numbers)
    split = _Split(args, numbers)

    def flat(*values):
        return fun(*split.filled(values))

    def back(derivatives):
        made = tuple(
            split.derivative(k, d, _with_data) for k, d in enumerate(derivatives)
        )
        return made[0] if isinstance(argnums, int) else made

    return flat, tuple(range(len(numbers))), tuple(split.values()), back


def value_and_grad(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    **kwargs: Any,
) -> Callable:
    """`jax.value_and_grad`, for arguments that may be sparse.

    Args:
        fun: function to a real scalar.
        argnums: the arguments that are differentiated: trees of arrays, sparse or dense.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        **kwargs: further options of `jax.value_and_grad`.

    Returns:
        A function to ``(value, derivative)``. The derivative of a sparse array has its
        format and its indices: what is not stored stays zero.
    """

    @util.wraps(fun)
    def run(*args, **params):
        flat, numbers, values, back = flatten_fun_for_sparse_ad(
            lambda *a: fun(*a, **params), argnums, args
        )
        found = differentiate.value_and_grad(
            flat, argnums=numbers, has_aux=has_aux, **kwargs
        )
        value, derivatives = found(*values)
        return value, back(derivatives)

    return run


def grad(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    **kwargs: Any,
) -> Callable:
    """`jax.grad`, for arguments that may be sparse; see `value_and_grad`.

    Examples:
        >>> from jax.experimental import sparse
        >>> x = sparse.BCOO.fromdense(jnp.array([[0., 1.], [2., 0.]]))
        >>> sparse.grad(lambda x: (x ** 2).sum())(x).data
        Array([2., 4.], dtype=float32)
    """
    both = value_and_grad(fun, argnums, has_aux, **kwargs)

    @util.wraps(fun)
    def run(*args, **params):
        value, derivative = both(*args, **params)
        return (derivative, value[1]) if has_aux else derivative

    return run


def _jacobian(transform, fun, argnums, has_aux, kwargs):
    @util.wraps(fun)
    def run(*args, **params):
        numbers = calls.argnums_tuple(argnums, "sparse.jacobian")
        numbers = tuple(i % len(args) for i in numbers)
        split = _Split(args, numbers)
        structure = None

        def flat(*values):
            nonlocal structure
            out = fun(*split.filled(values), **params)
            out, aux = out if has_aux else (out, None)
            leaves, structure = tree.tree_flatten(out)
            return (leaves, aux) if has_aux else leaves

        found = transform(
            flat, argnums=tuple(range(len(numbers))), has_aux=has_aux, **kwargs
        )
        rows, aux = (
            found(*split.values()) if has_aux else (found(*split.values()), None)
        )
        outs = [
            tuple(
                split.derivative(k, values, _with_leading)
                for k, values in enumerate(row)
            )
            for row in rows
        ]
        outs = [row[0] if isinstance(argnums, int) else row for row in outs]
        made = tree.tree_unflatten(structure, outs)
        return (made, aux) if has_aux else made

    return run


def jacfwd(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    **kwargs: Any,
) -> Callable:
    """`jax.jacfwd`, for arguments that may be sparse.

    Args:
        fun: function of trees of arrays to a tree of dense arrays.
        argnums: the arguments that are differentiated.
        has_aux: whether `fun` returns a pair whose second part is not differentiated.
        **kwargs: further options of `jax.jacfwd`.

    Returns:
        A function to the derivatives: with respect to a sparse array, an array of its
        format and indices, whose first dimensions, those of the result, are batch
        dimensions.
    """
    return _jacobian(jacobians.jacfwd, fun, argnums, has_aux, kwargs)


def jacrev(
    fun: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    **kwargs: Any,
) -> Callable:
    """`jax.jacrev`, for arguments that may be sparse; see `jacfwd`."""
    return _jacobian(jacobians.jacrev, fun, argnums, has_aux, kwargs)


jacobian = jacrev
