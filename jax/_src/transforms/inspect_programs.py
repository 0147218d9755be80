"""Looking at what a function would do: `make_jaxpr`, `eval_shape`."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, releases, util
from jax._src.base.traceback_filter import api_boundary, hides_frames
from jax._src.core import (
    avals as av,
    jaxpr as jx,
    mesh_context,
    partition_spec as ps,
    reference_links as rl,
    shardings as sh,
    state,
    vma,
)
from jax._src.interpreters import partial_eval as pe
from jax._src.jit import (
    arguments as jit_arguments,
    options as jit_options,
    trace as jit_trace,
)
from jax._src.jit.arguments import Arguments
from jax._src.jit.options import JitOptions
from jax._src.lib import client, fastpath
from jax._src.runtime import layouts
from jax._src.transforms import calls, differentiate


def _sharding_and_layout(sharding, shape):
    """A sharding with its mesh, and the layout where a `Format` says one."""
    layout = None
    if isinstance(sharding, layouts.Format):
        sharding, layout = sharding.sharding, sharding.layout
        if layout is layouts.AUTO:
            raise TypeError(
                errors.explain(
                    "ShapeDtypeStruct: the layout is left to a compiler.",
                    [("sharding", f"Format({layout!r}, {sharding!r})")],
                    "A described array has one layout, or the default one.",
                    "Give a Layout, or Layout.AUTO in in_shardings of jax.jit.",
                )
            )
        if layout is not None:
            layout.check_compatible_aval(shape)
    if isinstance(sharding, ps.PartitionSpec):
        sharding = sh.NamedSharding(_current_mesh(sharding), sharding)
    elif not isinstance(sharding, sh.Sharding | None):
        raise ValueError(
            errors.explain(
                "sharding should be an instance of `jax.sharding.Sharding`, "
                "`jax.sharding.PartitionSpec` or `jax.experimental.layout.Format`. Got "
                f"{sharding} of type {type(sharding)}.",
                [],
                ways="Write NamedSharding(mesh, P('x')), or P('x') on the current mesh.",
            )
        )
    if isinstance(sharding, sh.NamedSharding) and len(sharding.spec) > len(shape):
        raise ValueError(
            errors.explain(
                "ShapeDtypeStruct: the sharding speaks of more axes than there are.",
                [("shape", repr(shape)), ("sharding", repr(sharding))],
                "A PartitionSpec has at most one entry for each axis.",
            )
        )
    return sharding, layout


def _current_mesh(spec):
    mesh = mesh_context.concrete_mesh()
    if mesh is None:
        raise TypeError(
            errors.explain(
                "ShapeDtypeStruct: sharding is a PartitionSpec where no mesh is set.",
                [("sharding", repr(spec))],
                "A PartitionSpec names axes of the current mesh.",
                "Set one with jax.set_mesh(mesh), or pass NamedSharding(mesh, spec).",
            )
        )
    return mesh


class ShapeDtypeStruct:
    """The type of an array, without the array.

    Args:
        shape: sequence of sizes.
        dtype: anything that names a dtype.
        sharding: how it is spread over devices: a sharding, a `PartitionSpec` on the mesh
            that is set, or a `Format`.
        weak_type: whether its dtype gives way to others.
        manual_axis_type: a `jax.sharding.ManualAxisType`: in `jax.shard_map`, along
            which mesh axes it varies.
        is_ref: whether a reference to such an array is meant.

    Raises:
        TypeError: `manual_axis_type` is none, or no mesh is set for a `PartitionSpec`.
        ValueError: there is no dtype, `sharding` is no sharding or has too many axes.
    """

    __slots__ = (
        "__weakref__",
        "_layout",
        "dtype",
        "is_ref",
        "manual_axis_type",
        "shape",
        "sharding",
        "weak_type",
    )

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        sharding: Any = None,
        weak_type: bool = False,
        manual_axis_type: Any = None,
        is_ref: bool = False,
        _memory_space: Any = None,
    ):
        if dtype is None:
            raise ValueError("ShapeDtypeStruct: dtype must be specified.")
        if not isinstance(manual_axis_type, vma.ManualAxisType | None):
            raise TypeError(
                errors.explain(
                    "ShapeDtypeStruct: manual_axis_type is of another type.",
                    [
                        ("manual_axis_type", repr(manual_axis_type)),
                        ("type", type(manual_axis_type).__name__),
                    ],
                    ways="Write jax.sharding.ManualAxisType(varying={'x'}).",
                )
            )
        if isinstance(shape, tuple | list) and None in shape:
            raise releases.rule("shapes_with_none")(
                errors.explain(
                    f"Shapes must be 1D sequences of concrete values of integer type, got "
                    f"{shape}.",
                    [],
                    "None is no size.",
                    "For sizes that are not known: jax.export.symbolic_shape.",
                )
            )
        aval = av.ShapedArray(shape, dtype)
        self.shape = aval.shape
        self.dtype = aval.dtype
        self.sharding, self._layout = _sharding_and_layout(sharding, aval.shape)
        self.weak_type = weak_type
        self.manual_axis_type = manual_axis_type
        self.is_ref = is_ref

    @classmethod
    def like(cls, x: Any) -> "ShapeDtypeStruct":
        """The description of an array, or of anything with `shape` and `dtype`."""
        sharding = x.sharding if isinstance(x, ShapeDtypeStruct) else None
        if isinstance(x, client.Array) and x.committed:
            sharding = x.sharding
        weak_type = bool(getattr(x, "weak_type", False))
        return cls(x.shape, x.dtype, sharding=sharding, weak_type=weak_type)

    @property
    def format(self) -> layouts.Format:
        """The format of the array: its sharding, and a layout, None where that is open."""
        return layouts.Format(self._layout, self.sharding)

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
        fields = {
            "sharding": self.sharding if self._layout is None else self.format,
            "weak_type": self.weak_type,
            "manual_axis_type": self.manual_axis_type,
            "is_ref": self.is_ref,
        }
        shape = changes.pop("shape", self.shape)
        dtype = changes.pop("dtype", self.dtype)
        return ShapeDtypeStruct(shape, dtype, **{**fields, **changes})

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def _key(self) -> tuple:
        return (
            self.shape,
            self.dtype,
            self.sharding,
            self._layout,
            self.weak_type,
            self.manual_axis_type,
            self.is_ref,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        said = {
            "shape": self.shape,
            "dtype": self.dtype.name,
            "sharding": self.sharding,
            "format": self._layout,
            "weak_type": self.weak_type or None,
            "manual_axis_type": self.manual_axis_type,
            "is_ref": self.is_ref or None,
        }
        listed = [f"{k}={v}" for k, v in said.items() if v is not None]
        return f"ShapeDtypeStruct({', '.join(listed)})"


ShapeDtypeStruct.__module__ = "jax"
av.register_description(ShapeDtypeStruct, differentiate.shaped_aval)


def _struct_of(aval):
    if aval.is_high:
        return aval
    # An aval's fields are in their final form already.
    struct = object.__new__(ShapeDtypeStruct)
    struct.shape, struct.dtype = aval.shape, aval.dtype
    # Of Auto axes types say nothing.
    struct.sharding = aval.sharding if aval.sharding.mesh.explicit_axes else None
    struct.weak_type = aval.weak_type
    struct._layout, struct.is_ref = None, False
    manual = vma.of_type(aval)
    struct.manual_axis_type = None if manual is vma.NONE else manual
    return struct


def _structs_of(closed, out_tree):
    """The types of the results, without those of references."""
    return [_struct_of(a) for a in closed.out_avals[: out_tree.num_leaves]]


def struct_of(aval: av.ShapedArray, sharding: Any = None) -> ShapeDtypeStruct:
    """Returns the public description of a type, with its sharding if that is known."""
    struct = _struct_of(aval)
    if sharding is not None and not aval.is_high:
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
    arguments = Arguments(fun, JitOptions(), args, kwargs)
    arguments.hold_objects()
    avals = tuple(_types_of(fun, arguments.leaves, arguments.names))
    flat = _MayReturnTypes(fun, arguments.in_tree, "eval_shape", arguments.held)
    traced, _ = jit_trace.trace_of(fun, arguments, avals, flat)
    outs = traced.closed.out_avals[: traced.out_tree.num_leaves]
    return tree.tree_unflatten(traced.out_tree, [_struct_of(aval) for aval in outs])


class _MayReturnTypes(calls.FlatFunction):
    """A function whose results may be types: no program needs their values."""

    def value_of(self, out, path):
        if isinstance(out, ShapeDtypeStruct):
            self.is_program = False
            return state.current().new_input(differentiate.shaped_aval(out))
        return super().value_of(out, path)


def _types_of(fun, leaves, names):
    """The types of arguments, which may be types themselves."""
    try:
        return [differentiate.shaped_aval(leaf) for leaf in leaves]
    except TypeError:
        for leaf, name in zip(leaves, calls.arg_names(*names), strict=False):
            is_type = hasattr(leaf, "shape") and hasattr(leaf, "dtype")
            if not (av.is_value(leaf) or is_type):
                raise jit_arguments.not_a_jit_argument(fun, leaf, name) from None
        raise


def trace_call(fun: Callable, args: tuple, kwargs: dict, what: str) -> tuple[Any, Any]:
    """The program of a call, and the tree of its results.

    Behind these, the program returns the new arrays of the references that it writes.
    """
    leaves, in_tree = tree.tree_flatten((args, kwargs))
    leaves, held = rl.hold_objects(leaves)
    avals = _types_of(fun, leaves, (fun, args, kwargs))
    flat = calls.FlatFunction(fun, in_tree, what, held)
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
    opts = jit_options.make_options(fun, static_argnums, None, None, None, None)

    @util.wraps(fun, name="make_jaxpr({fun})")
    @api_boundary
    def jaxpr_of(*args, **kwargs):
        arguments = Arguments(fun, opts, args, kwargs)
        with state.binding_axes(dict(axis_env or ())):
            closed, out_tree = trace_call(
                arguments.fun, *arguments.traced, "make_jaxpr"
            )
        if not return_shape:
            return closed
        return closed, tree.tree_unflatten(out_tree, _structs_of(closed, out_tree))

    return jaxpr_of
