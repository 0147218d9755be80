"""Vectorisation: a value stands for all batch elements along a new axis."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.core import (
    avals,
    concrete,
    effects,
    evaluate,
    jaxpr as jaxpr_lib,
    primitive as primitive_lib,
    references,
    slots,
    state,
    trace as trace_lib,
    wide_values,
)
from jax._src.interpreters.batching import batch_axes
from jax._src.interpreters.partial_eval import staging

# The mark for "not mapped" in rules and in the arguments of users.
not_mapped = None


@records.record
class Axis:
    """The mapped axis: its size, its name if it has one, its mesh axes.

    Batch elements are spread over the mesh axes `spmd_name`, as the user says, and over the
    Explicit ones of `mesh_axis`, as the types of the arrays say.
    """

    size: int
    name: Any = None
    spmd_name: Any = None
    mesh_axis: Any = None


class BatchTracer(trace_lib.Tracer):
    """One value out of an array of them, stacked along the axis `batch_dim`."""

    __slots__ = ("batch_dim", "val")

    _trace: "BatchTrace"

    def __init__(self, trace: "BatchTrace", val: Any, batch_dim: Any):
        self._trace = trace
        aval = avals.get_aval(val)
        self.val = val
        self.batch_dim = batch_dim_of_type(aval, batch_dim)
        self.aval = unbatched_aval(aval, self.batch_dim, trace.axis.size)

    def origin(self) -> concrete.Origin:
        if isinstance(self.val, trace_lib.Tracer):
            return self.val.origin()
        return concrete.Origin(trace="vmap")

    def __repr__(self) -> str:
        return f"VmapTracer(aval={self.aval}, batched={avals.get_aval(self.val)})"


def batch_dim_of_type(aval: Any, dim: Any) -> Any:
    """Returns a batch dimension in the form that the type uses.

    Axis 0 of hi-type values is their type's `leading_axis_spec`.
    """
    if aval.is_high and isinstance(dim, int) and dim == 0:
        return aval.leading_axis_spec()
    return dim


def is_batch_dim(dim: Any) -> bool:
    """Whether `dim` is the batch dimension of one value, or None: not batched."""
    return dim is None or isinstance(dim, int | avals.MappingSpec)


def unbatched_aval(aval: Any, dim: Any, size: int | None = None) -> Any:
    """The type of one of the values that are stacked along the axis `dim`."""
    if dim is None:
        return aval
    if isinstance(aval, avals.ShapedArray):
        return aval.without_axis(dim)
    return aval.dec_rank(size, batch_dim_of_type(aval, dim))


def batched_aval(aval: Any, dim: Any, size: int, mesh_axis: Any = None) -> Any:
    """The type of `size` values of type `aval` stacked along the axis `dim`."""
    if dim is None:
        return aval
    if isinstance(aval, avals.ShapedArray):
        return aval.with_axis(dim, size, mesh_axis)
    return aval.inc_rank(size, batch_dim_of_type(aval, dim))


class BatchTrace(trace_lib.Trace):
    """Applies each primitive to batched values, by its batching rule."""

    __slots__ = ("axis",)

    parent: trace_lib.Trace

    def __init__(self, parent: trace_lib.Trace, axis: Axis):
        super().__init__(parent, "vmap")
        self.axis = axis

    def split(self, x: Any) -> tuple[Any, Any]:
        """A value as array and the axis along which it is batched."""
        if isinstance(x, BatchTracer) and x._trace is self:
            return x.val, x.batch_dim
        return x, None

    def join(self, value: Any, dim: Any) -> Any:
        """Wraps a value whose batch dimension is `dim`."""
        return value if dim is None else BatchTracer(self, value, dim)

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        pairs = [self.split(arg) for arg in args]
        values = tuple([v for v, _ in pairs])
        dims = tuple([d for _, d in pairs])
        token = state.enter(self.parent)
        over = self.axis.mesh_axis
        is_split = over is not None or state.mesh_axis_of_rows() is not None
        rows = state.split_rows(over) if is_split else None
        try:
            if dims.count(None) == len(dims) and not self._is_named_in(
                primitive, params
            ):
                return self.parent.process(primitive, values, params)
            rule = primitive.resolved.get("batch") or resolve_batch(primitive)
            if wide_values.begun and wide_values.are_among(values):
                with wide_values.allowed():
                    values = tuple(wide_values.settled(values))
                    out, dim = rule(self.axis, values, dims, **params)
            else:
                out, dim = rule(self.axis, values, dims, **params)
        finally:
            if rows is not None:
                state.end_rows(rows)
            state.leave(token)
        if batch_axes.begun:
            _note_axis(out, dim, primitive.multiple_results)
        if primitive.multiple_results:
            if is_batch_dim(dim):
                dim = [dim] * len(out)
            return [self.join(o, d) for o, d in zip(out, dim, strict=True)]
        return self.join(out, dim)

    def refuse_to_store(self, ref: references.Ref, value: Any) -> None:
        if isinstance(value, BatchTracer) and value._trace is self:
            references.refuse_value(ref, "batched")

    def _is_named_in(self, primitive, params):
        """Whether an operation communicates along this axis, so that its rule must be called."""
        if self.axis.name is None:
            return False
        if primitive.traits & primitive_lib.Trait.COLLECTIVE:
            return self.axis.name in named_axes_of(params)
        return any(
            uses_axis(program, self.axis.name)
            for program in jaxpr_lib.jaxprs_in_params(params)
        )


def _note_axis(out, dim, is_list):
    """Notes the batch axis of a result with the equation that made it."""
    if is_list:
        out = out[0] if len(out) else None
        dim = dim if is_batch_dim(dim) else next(iter(dim), None)
    outer = 0
    while not isinstance(out, staging.DynamicJaxprTracer):
        if isinstance(out, BatchTracer):
            out, outer = out.val, outer + 1
        elif (out := getattr(out, "primal", None)) is None:
            return
    if out.eqn is not None and isinstance(dim, int):
        batch_axes.note(out.eqn, outer, dim)


def named_axes_of(params: dict) -> tuple:
    """The names of axes in the parameters of a collective."""
    names = params.get("axis_name", params.get("axes", ()))
    return tuple(names) if isinstance(names, tuple | list) else (names,)


def uses_axis(jaxpr: jaxpr_lib.Jaxpr, name: Any) -> bool:
    """Whether a program speaks along the axis `name`."""
    return effects.NamedAxisEffect(name) in jaxpr.effects


def resolve_batch(primitive: primitive_lib.Primitive) -> Callable:
    """The batching rule of a primitive, from its table or its traits.

    Raises:
        NotImplementedError: it has none.
    """
    rule = primitive.rules.get("batch")
    if not callable(rule):
        if rule is None and primitive.traits & primitive_lib.Trait.ELEMENTWISE:
            rule = _elementwise_rule(primitive)
        else:
            raise primitive_lib.missing_rule(primitive, "batch", "Batching (vmap)")
    primitive.resolved["batch"] = rule
    return rule


def _elementwise_rule(primitive):
    def batch(axis, args, dims, **params):
        values, dim = align(args, dims, axis.size)
        out = primitive.bind(*values, **params)
        return out, [dim] * len(out) if primitive.multiple_results else dim

    return batch


def align(
    args: Sequence[Any], dims: Sequence[int | None], size: int
) -> tuple[list[Any], int]:
    """Brings operands of equal shapes, or of rank 0, to one batch axis.

    Operands of rank 0 that are not batched stay as they are.

    Returns:
        The operands, and the axis.
    """
    ranks = [_rank(x) - (d is not None) for x, d in zip(args, dims, strict=True)]
    rank = max(ranks)
    batched = [
        d for d, r in zip(dims, ranks, strict=True) if d is not None and r == rank
    ]
    target = batched[0] if batched else 0
    shape = next(
        unbatched_aval(avals.get_aval(x), d).shape
        for x, d, r in zip(args, dims, ranks, strict=True)
        if r == rank
    )
    full = (*shape[:target], size, *shape[target:])
    out = []
    for x, d, r in zip(args, dims, ranks, strict=True):
        if d is None:
            out.append(x if r == 0 else slots.broadcast_axis(x, size, target))
        elif r == rank:
            out.append(x if d == target else slots.move_axis(x, d, target))
        else:
            out.append(slots.broadcast_in_dim(x, full, (target,)))
    return out, target


def _rank(x):
    return len(getattr(avals.get_aval(x), "shape", ()))


def move_to(x: Any, dim: Any, target: Any, size: int) -> Any:
    """The array with its batch axis at `target`; repeated there when it is not batched.

    Raises:
        ValueError: the value is of a hi-type and batched along another dimension.
    """
    if dim == target:
        return x
    aval = avals.get_aval(x)
    if aval.is_high or isinstance(target, avals.MappingSpec):
        return _check_batch_dim(
            x, aval, batch_dim_of_type(aval, dim), batch_dim_of_type(aval, target)
        )
    if dim is None:
        return slots.broadcast_axis(x, size, target)
    return slots.move_axis(x, dim, target)


def _check_batch_dim(x, aval, dim, target):
    """Returns a hi-type value, whose batch dimension cannot be moved."""
    if dim == target:
        return x
    raise errors.value_error(
        f"vmap: got axis spec {target!r} but output was batched on axis {dim!r}.",
        [("value", aval.str_short()), ("batched along", repr(dim))],
        "The operation that made a value of a hi-type fixed its batch dimension: "
        "it is neither moved nor repeated.",
        f"Ask for these, such as by {dim!r} in out_axes.",
    )


def bdim_at_front(x: Any, bdim: int | None, size: int, mesh_axis: Any = None) -> Any:
    """The array with its batch axis first; repeated there when it is not batched."""
    return move_to(x, bdim, 0, size)


def all_at_front(
    values: Sequence[Any], dims: Sequence[int | None], size: int
) -> list[Any]:
    """The arrays with their batch axes first; repeated there when not batched."""
    return [move_to(x, dim, 0, size) for x, dim in zip(values, dims, strict=True)]


def batch(
    fun: Callable[..., Sequence[Any]],
    axis: Axis,
    values: Sequence[Any],
    dims: Sequence[int | None],
) -> tuple[list[Any], list[int | None]]:
    """Applies a function of values to all batch elements.

    Args:
        fun: from values to a sequence of values.
        axis: the axis that is mapped.
        values: the batched arrays.
        dims: the batch dimension of each; None: not batched.

    Returns:
        The arrays of results, and the batch dimension of each.
    """
    trace = BatchTrace(state.current(), axis)
    inputs = [trace.join(x, d) for x, d in zip(values, dims, strict=True)]
    token = state.enter(trace)
    try:
        if axis.name is None:
            outs = fun(*inputs)
        else:
            with state.binding_axes({axis.name: axis.size}):
                outs = fun(*inputs)
    finally:
        state.leave(token)
    pairs = [trace.split(out) for out in outs]
    trace.finish()
    return [v for v, _ in pairs], [d for _, d in pairs]


def batch_jaxpr(
    closed: jaxpr_lib.ClosedJaxpr,
    axis: Axis,
    dims: Sequence[int | None],
    out_dims: Sequence[int | None] | bool | None = None,
) -> tuple[jaxpr_lib.ClosedJaxpr, list[int | None]]:
    """The program that applies another one to all batch elements.

    Args:
        closed: the program.
        axis: the axis that is mapped.
        dims: the batch dimension of each input.
        out_dims: the requested batch dimension of each output: an axis, or None to leave it as
            it comes out; True for axis 0 of every output.

    Returns:
        The batched program, and the batch dimension of each output.
    """
    wanted: Any = out_dims
    if wanted is True:
        wanted = (0,) * len(closed.jaxpr.outvars)
    elif wanted is None or wanted is False:
        wanted = (None,) * len(closed.jaxpr.outvars)
    key = ("batch", axis, tuple(dims), tuple(wanted))

    def make():
        found: list[int | None] = []

        def batched(*args):
            outs, dims_out = batch(
                lambda *xs: evaluate.eval_closed(closed, *xs), axis, args, dims
            )
            moved = []
            for out, dim, target in zip(outs, dims_out, wanted, strict=True):
                if target is not None:
                    out, dim = move_to(out, dim, target, axis.size), target
                moved.append(out)
                found.append(dim)
            return moved

        in_avals = [
            batched_aval(a, d, axis.size, axis.mesh_axis)
            for a, d in zip(closed.in_avals, dims, strict=True)
        ]
        program = staging.trace_to_closed(batched, in_avals, closed.debug_info)
        return program, found

    return closed.derived(key, make)
