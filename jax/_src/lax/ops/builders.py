"""Builders for families of primitives whose rules follow a pattern.

Each returns a pair: the primitive and the public function that applies it. Operands of
one operation have equal shapes, except that a size of 1 and a scalar are repeated.
"""

import inspect
import itertools
from collections.abc import Callable, Sequence

import numpy as np

from jax._src.base import traceback_filter
from jax._src.core import wide_values
from jax._src.core.avals import ShapedArray
from jax._src.core.primitive import Sample, Trait, Unsupported, declare_table, wants_out
from jax._src.interpreters import ad
from jax._src.lax.ops import emit, splitting
from jax._src.lax.ops.accuracy import check_accuracy
from jax._src.lax.ops.broadcast_and_reduce_sum import (
    broadcast_to,
    expand_dims,
    unbroadcast,
)
from jax._src.lax.ops.checks import (
    FLOATING,
    Accepts,
    check_kind,
    check_same_dtypes,
)
from jax._src.lax.ops.messages import positions, type_error
from jax._src.lax.ops.reshaping import move_axis


def broadcast_operands(name: str, avals: Sequence[ShapedArray]) -> tuple[int, ...]:
    """The common shape of operands; scalars and sizes of 1 are repeated.

    Raises:
        TypeError: the shapes do not fit.
    """
    shapes = {aval.shape for aval in avals if aval.shape}
    if len(shapes) <= 1:
        return shapes.pop() if shapes else ()
    if len({len(shape) for shape in shapes}) > 1:
        raise type_error(
            f"lax.{name}: the operands differ in their number of dimensions.",
            positions(aval.str_short() for aval in avals),
            "All operands but scalars have the same number of dimensions.",
            f"To align trailing axes: jnp.{name}.",
            "Explicitly: lax.expand_dims(x, axes).",
        )
    result = []
    for sizes in zip(*shapes, strict=True):
        distinct = set(sizes) - {1}
        if len(distinct) > 1:
            raise type_error(
                f"lax.{name} got incompatible shapes for broadcasting: "
                f"{', '.join(str(aval.shape) for aval in avals)}.",
                positions(aval.str_short() for aval in avals),
                "On each axis the sizes are equal or 1.",
            )
        result.append(distinct.pop() if distinct else 1)
    return tuple(result)


def batch_broadcasting(bind: Callable) -> Callable:
    """The batch rule of an operation on operands that are repeated to one shape."""

    def batch(axis, args, dims, **params):
        ranks = [
            np.ndim(x) - (dim is not None) for x, dim in zip(args, dims, strict=True)
        ]
        rank = max(ranks)
        batched = {dim for dim in dims if dim is not None}
        aligned = all(
            n == rank if dim is not None else n == 0
            for n, dim in zip(ranks, dims, strict=True)
        )
        if len(batched) == 1 and aligned:
            return bind(*args, **params), batched.pop()
        moved = [
            _batch_operand(x, dim, n, rank)
            for x, dim, n in zip(args, dims, ranks, strict=True)
        ]
        return bind(*moved, **params), 0

    return batch


def _batch_operand(x, dim, ndim, rank):
    """Puts the batch axis first, so that all operands have it, or none for a scalar."""
    if dim is None:
        return expand_dims(x, (0,)) if ndim else x
    x = move_axis(x, dim, 0)
    if ndim == rank:
        return x
    return expand_dims(x, range(1, rank + 1))


def _rule_ignoring(jvp, ignored):
    """The derivative rule without the parameters in which it has no interest."""
    if not ignored or isinstance(jvp, Unsupported):
        return jvp
    takes_out = wants_out(jvp)

    def rule(*args, out, **params):
        kept = {key: value for key, value in params.items() if key not in ignored}
        return jvp(*args, **kept, **({"out": out} if takes_out else {}))

    return rule


def unary_op(
    name: str,
    *,
    accepts: Accepts,
    reference: Callable | str,
    lower: str | Callable,
    jvp=None,
    result: Callable | None = None,
    has_accuracy: bool = False,
    linear_transpose: Callable | None = None,
    samples: Sequence | None = None,
    doc: str,
    **rules,
):
    """An operation on each element of one operand.

    Args:
        name: the name of the primitive, and of the function unless it is taken.
        accepts: the kinds of element types.
        reference: the NumPy version, or the dotted name of one that takes float64 and is
            imported only by tests; `rules` may hold its `ulp` and `domain`.
        lower: the StableHLO operation, or a lowering rule.
        jvp: derivative rule ``(tangent, x, *, out)``; none: the derivative is zero.
        result: from the dtype of the operand to that of the result.
        has_accuracy: whether the function has the keyword `accuracy`.
        linear_transpose: cotangent rule ``(ct, x)`` of a linear operation.
        samples: arrays for the law tests; default: a spread over the domain.
        doc: the first line of the docstring.
    """
    keep = ("accuracy",) if has_accuracy else ()

    def types(x, **params):
        check_kind(name, x, accepts)
        return x if result is None else x.update(dtype=result(x.dtype))

    def batch(axis, args, dims, **params):
        return primitive.bind(*args, **params), dims[0]

    def reference_rule(x, **params):
        with np.errstate(all="ignore"):
            return np.asarray(reference(x))

    if isinstance(reference, str):
        reference_rule = reference

    def show(*, accuracy=None):
        return {} if accuracy is None else {"accuracy": accuracy}

    params = {"accuracy": None} if has_accuracy else {}
    rules = {
        "types": types,
        "sharding": splitting.like_first,
        "batch": batch,
        "lower": _unary_lowering(lower, has_accuracy),
        "reference": reference_rule,
        "show": show if has_accuracy else None,
        "samples": [
            Sample((x,), params)
            for x in (_spread(accepts, **rules) if samples is None else samples)
        ],
        **rules,
    }
    traits = Trait.ELEMENTWISE
    if linear_transpose is not None:
        traits |= Trait.LINEAR
        rules["transpose"] = lambda ct, x, **params: [linear_transpose(ct, x)]
    elif jvp is None:
        traits |= Trait.NOT_DIFFERENTIABLE
    else:
        rules["jvp"] = (_rule_ignoring(jvp, keep),)
    primitive = declare_table(name, rules, traits=traits, doc=doc)

    if has_accuracy:

        @traceback_filter.hides_frames
        def function(x, *, accuracy=None):
            return primitive.bind(x, accuracy=check_accuracy(name, accuracy))

    else:

        def function(x):
            try:
                return primitive.bind(x)
            except Exception as error:
                traceback_filter.hide(error)
                raise

    return primitive, _named(function, name, doc, accepts, ("x",), has_accuracy)


def _named(function, name, doc, accepts, operands, has_accuracy=False):
    function.__name__ = function.__qualname__ = name
    # Where users and pickles find it.
    function.__module__ = "jax.lax"
    lines = "\n".join(
        f"    {x}: array of any shape and {accepts.describe()} dtype." for x in operands
    )
    if len(operands) == 1:
        result = "Array of the same shape."
        error = "the operand has another dtype."
    else:
        result = (
            "Array of the shape of the operands, which is one, or that of a scalar."
        )
        error = "the operands differ in shape or dtype, or have another dtype."
    if has_accuracy:
        lines += (
            "\n    accuracy: a `jax.lax.Tolerance`, a `jax.lax.AccuracyMode` or None."
        )
        error += " NotImplementedError: `accuracy` is something else."
    function.__doc__ = (
        f"{doc}\n\nArgs:\n{lines}\n\nReturns:\n    {result}\n\n"
        f"Raises:\n    TypeError: {error}\n"
    )
    return function


def _unary_lowering(lower, has_accuracy):
    if not isinstance(lower, str):
        return lower
    if has_accuracy:
        return lambda ctx, x, accuracy=None: emit.unary(lower, x, accuracy=accuracy)
    return lambda ctx, x: emit.unary(lower, x)


def nary_lowering(operation: str | Callable) -> Callable:
    """Lowers to an operation that wants operands of equal shape."""
    apply = operation if callable(operation) else emit.operation(operation)

    def lower(ctx, *values, **params):
        shape = ctx.avals_out[0].shape
        return apply(
            *(
                value if aval.shape == shape else emit.broadcast_to(value, aval, shape)
                for value, aval in zip(values, ctx.avals_in, strict=True)
            )
        )

    return lower


def _caller(primitive, operands):
    """The function that applies a primitive to operands of these names."""
    if tuple(operands) == ("x", "y"):

        def function(x, y):
            try:
                return primitive.bind(x, y)
            except Exception as error:
                again = wide_values.matched((x, y))
                if again is None or not isinstance(error, TypeError):
                    traceback_filter.hide(error)
                    raise
            return primitive.bind(*again)

    else:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature([inspect.Parameter(n, kind) for n in operands])

        def function(*args, **named):
            values: tuple = ()
            try:
                values = signature.bind(*args, **named).args
                return primitive.bind(*values)
            except Exception as error:
                again = wide_values.matched(values)
                if again is None or not isinstance(error, TypeError):
                    traceback_filter.hide(error)
                    raise
            return primitive.bind(*again)

        function.__signature__ = signature

    return function


def nary_op(
    name: str,
    *,
    accepts: Sequence[Accepts],
    reference: Callable | str,
    lower: str | Callable,
    jvp: Sequence | None = None,
    transpose: Callable | None = None,
    result: Callable | None = None,
    traits: Trait | None = None,
    same_dtypes: bool = True,
    also_check: Callable | None = None,
    tip: str = "",
    samples: Sequence | None = None,
    operands: Sequence[str] = ("x", "y"),
    doc: str,
    **rules,
):
    """An operation on corresponding elements of several operands.

    Args:
        accepts: the kinds of element types, per operand.
        jvp: per operand a derivative rule ``(tangent, *operands, out)``.
        transpose: the rule of a linear or multilinear operation.
        result: from the dtypes of the operands to that of the result.
        same_dtypes: whether the operands share one dtype.
        also_check: raises for further types that do not fit.
        tip: the function that promotes, for error messages.
        operands: their names.

    The rest is as in `unary_op`.
    """

    def types(*avals, **params):
        for i, (aval, kind) in enumerate(zip(avals, accepts, strict=True)):
            check_kind(name, aval, kind, operands[i])
        if also_check is not None:
            also_check(name, *avals)
        if same_dtypes:
            check_same_dtypes(name, avals, tip)
        shape = broadcast_operands(name, avals)
        dtype = result(*[aval.dtype for aval in avals]) if result else avals[0].dtype
        weak = all(aval.weak_type for aval in avals)
        return ShapedArray(shape, dtype, weak)

    def bind(*args, **params):
        return primitive.bind(*args, **params)

    def reference_rule(*arrays, **params):
        with np.errstate(all="ignore"):
            return np.asarray(reference(*arrays))

    if isinstance(reference, str):
        reference_rule = reference

    rules = {
        "types": types,
        "sharding": splitting.elementwise(name),
        "batch": batch_broadcasting(bind),
        "lower": nary_lowering(lower),
        "reference": reference_rule,
        "samples": samples if samples is not None else _nary_samples(accepts, **rules),
        "transpose": transpose,
        **rules,
    }
    if jvp is not None:
        rules["jvp"] = tuple(_filling(rule) for rule in jvp)
    elif traits is None:
        traits = Trait.NOT_DIFFERENTIABLE
    traits = (traits or Trait.NONE) | Trait.ELEMENTWISE
    primitive = declare_table(name, rules, traits=traits, doc=doc)

    function = _caller(primitive, operands)

    union = Accepts(0)
    for kind in accepts:
        union |= kind
    return primitive, _named(function, name, doc, union, operands)


def binary_op(name: str, *, accepts: Accepts, **options):
    """An operation on corresponding elements of two operands of one dtype."""
    return nary_op(name, accepts=(accepts, accepts), **options)


def _filling(jvp):
    """The derivative rule, its result repeated to the shape of the operation's."""
    if jvp is None or isinstance(jvp, Unsupported):
        return jvp
    takes_out = wants_out(jvp)

    def rule(tangent, *primals, out, **params):
        if takes_out:
            params["out"] = out
        return broadcast_to(jvp(tangent, *primals, **params), np.shape(out))

    return rule


def _boolean(*dtypes_in):
    return np.dtype(np.bool_)


def comparison_op(name: str, *, accepts: Accepts, direction: str, **options):
    """A comparison of corresponding elements, with a boolean result."""
    total_order = options.pop("total_order", False)

    def lower(x, y):
        return emit.compare(x, y, direction, total_order=total_order)

    return binary_op(name, accepts=accepts, lower=lower, result=_boolean, **options)


def unbroadcast_to(x, ct):
    """The cotangent of operand `x` from that of the result, or `None` if it is not needed."""
    return unbroadcast(ct, x.aval) if ad.is_undefined_primal(x) else None


_SPREAD = {
    Accepts.BOOL: [False, True],
    Accepts.SIGNED: [-100, -3, -1, 0, 1, 2, 7, 100],
    Accepts.UNSIGNED: [0, 1, 2, 3, 7, 100, 200],
    Accepts.COMPLEX: [1 + 2j, -0.5 + 0.25j, 0.3 - 0.7j, -1.5 - 2j],
}
_DTYPES = {
    Accepts.BOOL: (np.bool_,),
    Accepts.SIGNED: (np.int32, np.int8),
    Accepts.UNSIGNED: (np.uint32,),
    Accepts.FLOATING: (np.float32,),
    Accepts.COMPLEX: (np.complex64,),
}


def _spread(accepts, domain=(-3.0, 3.0), **_):
    """Arrays over the accepted kinds; floats stay inside `domain`."""
    arrays = []
    for kind, kinds in _DTYPES.items():
        if not kind & accepts:
            continue
        if kind is FLOATING:
            low, high = (max(domain[0], -30.0), min(domain[1], 30.0))
            values = np.linspace(low, high, 9)[1:-1] + (high - low) * 0.013
        else:
            values = _SPREAD[kind]
        arrays += [np.array(values, dtype) for dtype in kinds]
    if FLOATING & accepts:
        arrays.append(np.zeros((0, 2), np.float32))
    return arrays


def _nary_samples(accepts, domain=(-3.0, 3.0), **_):
    """Operands of equal shapes, and a scalar beside an array, per accepted kind."""
    common = accepts[0]
    for kind in accepts[1:]:
        common &= kind
    samples = []
    for array in _spread(common, domain):
        if array.size:
            turned = [np.roll(array, 2 * i) for i in range(len(accepts))]
            samples.append(Sample(tuple(turned), {}))
            samples.append(Sample((array, *[t[1] for t in turned[1:]]), {}))
    column = np.array([[0.5], [1.5]], np.float32)
    if common & FLOATING and domain[0] <= 0.5 and domain[1] >= 2.3:
        rows = np.array([[0.7, 1.1, 2.3]], np.float32)
        operands = itertools.islice(itertools.cycle([column, rows]), len(accepts))
        samples.append(Sample(tuple(operands), {}))
    return samples
