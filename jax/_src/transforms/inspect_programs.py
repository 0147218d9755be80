"""Looking at what a function would do: `make_jaxpr`, `eval_shape`."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals as av,
    jaxpr as jx,
    partition_spec as ps,
    shardings as sh,
    state,
)
from jax._src.interpreters import partial_eval as pe
from jax._src.lib import fastpath
from jax._src.runtime import layouts
from jax._src.transforms import calls, differentiate, jit_call as jc

_SAYS_PLACE = (sh.Sharding, ps.PartitionSpec, layouts.Format, type(None))


def _check_says_place(sharding):
    if not isinstance(sharding, _SAYS_PLACE):
        raise ValueError(
            errors.explain(
                "ShapeDtypeStruct: sharding is no sharding.",
                [("sharding", repr(sharding)), ("type", type(sharding).__name__)],
                ways="Write NamedSharding(mesh, P('x')), or P('x') on the current mesh.",
            )
        )


class ShapeDtypeStruct:
    """The type of an array, without the array.

    Args:
        shape: sequence of sizes.
        dtype: anything that names a dtype.
        sharding: how it is spread over devices.
        weak_type: whether its dtype gives way to others.
    """

    __slots__ = ("__weakref__", "dtype", "shape", "sharding", "weak_type")

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        sharding: Any = None,
        weak_type: bool = False,
        manual_axis_type: Any = None,
        is_ref: bool = False,
    ):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        if is_ref or manual_axis_type is not None:
            raise NotImplementedError("ShapeDtypeStruct: references and manual axes.")
        _check_says_place(sharding)
        aval = av.ShapedArray(shape, dtype)
        self.shape = aval.shape
        self.dtype = aval.dtype
        self.sharding = sharding
        self.weak_type = weak_type

    # Neither references nor values that vary along mesh axes are described yet.
    is_ref = False
    manual_axis_type = None

    @classmethod
    def like(cls, x: Any) -> "ShapeDtypeStruct":
        """The description of an array, or of anything with `shape` and `dtype`."""
        sharding = x.sharding if isinstance(x, ShapeDtypeStruct) else None
        weak_type = bool(getattr(x, "weak_type", False))
        return cls(x.shape, x.dtype, sharding=sharding, weak_type=weak_type)

    @property
    def format(self) -> layouts.Format:
        """How the array lies: its sharding, and a layout that is left open."""
        return layouts.Format(None, self.sharding)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return av.ShapedArray(self.shape, self.dtype).size

    def update(self, **changes: Any) -> "ShapeDtypeStruct":
        """A copy with some fields changed."""
        fields = {name: getattr(self, name) for name in ("sharding", "weak_type")}
        shape = changes.pop("shape", self.shape)
        dtype = changes.pop("dtype", self.dtype)
        return ShapeDtypeStruct(shape, dtype, **{**fields, **changes})

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def _key(self) -> tuple:
        return self.shape, self.dtype, self.sharding, self.weak_type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        sharding = "" if self.sharding is None else f", sharding={self.sharding}"
        weak = ", weak_type=True" if self.weak_type else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name}{sharding}{weak})"


ShapeDtypeStruct.__module__ = "jax"


def _struct_of(aval):
    # An aval's fields are in their final form already.
    struct = object.__new__(ShapeDtypeStruct)
    struct.shape, struct.dtype = aval.shape, aval.dtype
    # Of Auto axes types say nothing.
    struct.sharding = aval.sharding if aval.sharding.mesh.explicit_axes else None
    struct.weak_type = aval.weak_type
    return struct


def _structs_of(closed, out_tree):
    """The types of the results, without those of references."""
    return [_struct_of(a) for a in closed.out_avals[: out_tree.num_leaves]]


def struct_of(aval: av.ShapedArray, sharding: Any = None) -> ShapeDtypeStruct:
    """The public description of a type, and of where values lie if that is known."""
    struct = _struct_of(aval)
    if sharding is not None:
        struct.sharding = sharding
    return struct


@api_boundary
def eval_shape(fun: Callable, *args: Any, **kwargs: Any) -> Any:
    """The types of the results of ``fun(*args, **kwargs)``, without computing them.

    Args:
        fun: the function of trees of arrays.
        *args: arguments, or anything with `shape` and `dtype`.
        **kwargs: keyword arguments, likewise.

    Returns:
        A tree like the result, with `jax.ShapeDtypeStruct` leaves.

    Raises:
        TypeError: an argument is no array and has no shape; and what `fun` raises.

    Examples:
        >>> jax.eval_shape(lambda a, b: a @ b, jnp.ones((2, 3)), jnp.ones((3, 4)))
        ShapeDtypeStruct(shape=(2, 4), dtype=float32)
    """
    calls.check_callable(fun, "eval_shape")
    if isinstance(fun, fastpath.Function):
        return fun.eval_shape(*args, **kwargs)
    arguments = jc.Arguments(fun, jc.JitOptions(), args, kwargs)
    avals = tuple([differentiate.shaped_aval(leaf) for leaf in arguments.leaves])
    flat = _MayReturnTypes(fun, arguments.in_tree, "eval_shape")
    traced, _ = jc.trace_of(fun, arguments, avals, flat)
    outs = traced.closed.out_avals[: traced.out_tree.num_leaves]
    return tree.tree_unflatten(traced.out_tree, [_struct_of(aval) for aval in outs])


class _MayReturnTypes(calls.FlatFunction):
    """A function whose results may be types: no program needs their values."""

    def value_of(self, out):
        if isinstance(out, ShapeDtypeStruct):
            self.is_program = False
            return state.current().new_input(differentiate.shaped_aval(out))
        return super().value_of(out)


def trace_call(fun: Callable, args: tuple, kwargs: dict, what: str) -> tuple[Any, Any]:
    """The program of a call, and the tree of its results.

    Behind these, the program returns the new arrays of the references that it writes.
    """
    leaves, in_tree = tree.tree_flatten((args, kwargs))
    avals = [differentiate.shaped_aval(leaf) for leaf in leaves]
    flat = calls.FlatFunction(fun, in_tree, what)
    debug = calls.debug_info(what, fun, args, kwargs)
    jaxpr, consts, _ = pe.trace_with_references(flat, avals, debug)
    return jx.ClosedJaxpr(jaxpr, consts), flat.out_tree


@hides_frames
def make_jaxpr(
    fun: Callable,
    static_argnums: int | Sequence[int] = (),
    axis_env: Sequence[tuple[Any, int]] | None = None,
    return_shape: bool = False,
) -> Callable:
    """A function that returns the program of `fun` instead of running it.

    Args:
        fun: the function of trees of arrays.
        static_argnums: positions of arguments that are Python values, hashable and not
            traced.
        axis_env: names and sizes of axes that `fun` may use.
        return_shape: whether to return the types of the results too.

    Returns:
        A function with the arguments of `fun` that returns a `ClosedJaxpr`, or a pair of
        it and a tree of `jax.ShapeDtypeStruct`.

    Raises:
        ValueError: a static argument does not exist or is not hashable.

    Examples:
        >>> jax.make_jaxpr(lambda x: jnp.sin(x) * 2)(1.0)
        { lambda ; a:f32[]. let b:f32[] = sin a; c:f32[] = mul b 2.0:f32[] in (c,) }
    """
    calls.check_callable(fun, "make_jaxpr")
    opts = jc.make_options(fun, static_argnums, None, None, None, None)

    @util.wraps(fun, name="make_jaxpr({fun})")
    @api_boundary
    def jaxpr_of(*args, **kwargs):
        arguments = jc.Arguments(fun, opts, args, kwargs)
        with state.binding_axes(dict(axis_env or ())):
            closed, out_tree = trace_call(
                arguments.fun, *arguments.traced, "make_jaxpr"
            )
        if not return_shape:
            return closed
        return closed, tree.tree_unflatten(out_tree, _structs_of(closed, out_tree))

    return jaxpr_of
