"""Operations with a name and a decomposition: a compiler that knows the name may do better."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import tree as trees
from jax._src.base import errors, traceback_filter, util
from jax._src.core import evaluate
from jax._src.core.avals import get_aval
from jax._src.core.primitive import Sample, Unsupported, declare
from jax._src.interpreters import mlir, partial_eval as pe
from jax._src.lax.ops.arithmetic import mul
from jax._src.lax.ops.messages import explain, type_error
from jax._src.lax.ops.reference_programs import run_closed_by_reference
from jax._src.lax.ops.reshaping import counting
from jax._src.transforms import calls

ir = mlir.ir


@declare("composite", multiple_results=True, runs="jaxpr")
class composite_p:
    """Computes the program `jaxpr` under the name `name`."""

    def impl(*args, jaxpr, **params):
        return evaluate.eval_closed(jaxpr, *args)

    jvp = Unsupported(
        "a compiler that knows the operation need not know its derivative"
    )
    transpose = Unsupported("it is not differentiable")
    batch = Unsupported("a compiler that knows the operation need not know it in rows")

    def lower(ctx, *operands, name, attributes, version, jaxpr):
        entry = mlir.function_of(ctx, name, jaxpr)
        config = {key: mlir.ir_attribute(value) for key, value in attributes}
        return list(
            ir.Operation.create(
                "stablehlo.composite",
                results=entry.result_types,
                operands=list(operands),
                attributes={
                    "name": ir.StringAttr.get(name),
                    "decomposition": ir.FlatSymbolRefAttr.get(entry.name),
                    "composite_attributes": ir.DictAttr.get(config),
                    "version": mlir.i32_attr(version),
                },
            ).results
        )

    def reference(*args, jaxpr, **params):
        return run_closed_by_reference(jaxpr, *args)

    exempt = {
        "jvp": "it has no derivative",
        "transpose": "it has no derivative",
        "batch": "it has no batching rule",
    }

    def samples():
        values = counting(2, 3)
        closed = pe.trace_to_closed(lambda x: [mul(x, x)], [get_aval(values)])
        return [
            Sample(
                (values,),
                {
                    "name": "test.square",
                    "attributes": (("power", 2),),
                    "version": 1,
                    "jaxpr": closed,
                },
            )
        ]


class _FrozenArray(util.KeyedValue):
    """An array as an attribute of an equation: compared by its elements."""

    __slots__ = ()

    def __init__(self, value: np.ndarray):
        super().__init__(value, (value.shape, value.dtype, value.tobytes()))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.value


def _frozen(name, key, value):
    if isinstance(value, list | tuple):
        return tuple(_frozen(name, key, v) for v in value)
    if isinstance(value, bool | int | float | str | np.generic):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return _FrozenArray(value)
    raise type_error(
        f"lax.composite: {key!r} cannot be an attribute of {name!r}.",
        [("value", repr(value)), ("type", type(value).__name__)],
        "Attributes are numbers, strings, NumPy arrays, and sequences of those.",
        "Pass arrays as positional arguments; close over other settings.",
    )


def composite(decomposition: Callable, name: str, version: int = 0) -> Callable:
    """Makes a function one operation of the program, with a name that a compiler may know.

    Args:
        decomposition: the function; what it computes where the name is not known.
        name: the operation's name, such as ``"my.square"``.
        version: the version of the operation's meaning.

    Returns:
        A function of trees of arrays of any dtype; its keyword arguments become
        attributes of the operation. It can be compiled and evaluated, not
        differentiated or batched.

    Raises:
        TypeError: a keyword argument cannot be an attribute.
        UnexpectedTracerError: the decomposition closes over a traced value.
    """
    calls.check_callable(decomposition, "composite")

    @traceback_filter.api_boundary
    def apply(*args: Any, **attributes: Any) -> Any:
        fixed = tuple((k, _frozen(name, k, v)) for k, v in sorted(attributes.items()))
        leaves, in_tree = trees.tree_flatten((args, {}))
        calls.check_values(leaves, "composite")

        def decomposed(*xs):
            return decomposition(*xs, **attributes)

        flat = calls.FlatFunction(decomposed, in_tree, "composite")
        debug = calls.debug_info("composite", decomposition, args)
        closed = pe.trace_to_closed(flat, [get_aval(x) for x in leaves], debug)
        closed, captured = pe.split_traced_consts(closed)
        if captured:
            raise errors.UnexpectedTracerError(
                explain(
                    f"lax.composite: the decomposition of {name!r} closes over a traced "
                    "value.",
                    [("value", captured[0].aval.str_short())],
                    "A decomposition computes with its arguments and with constants.",
                    "Pass the value as an argument of the composite.",
                )
            )
        outs = composite_p.bind(
            *leaves, name=name, attributes=fixed, version=int(version), jaxpr=closed
        )
        return trees.tree_unflatten(flat.out_tree, outs)

    return apply


traceback_filter.hide_frames(globals())
