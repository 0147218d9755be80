"""Parameters that equations had before 0.10: traces of libraries get them, and may bind with them.

Importing this module changes the primitives.
"""

import functools as ft
from collections.abc import Callable

from jax._src.compat import custom_calls, linear_util
from jax._src.core import avals, jaxpr as jaxpr_lib, primitive as primitive_lib, state
from jax._src.interpreters import partial_eval as pe
from jax._src.jit.primitive import jit_p
from jax._src.lax.control_flow.scan_primitive import scan_p
from jax._src.transforms import checkpoint, custom_jvp, custom_vjp


def _adapt(
    primitive: primitive_lib.Primitive,
    outward: Callable[[list, dict], tuple[list, dict]],
    inward: Callable[[dict], dict],
) -> None:
    """Changes what traces of libraries get of a primitive, and what it may be bound with.

    Args:
        primitive: the primitive.
        outward: from operands and parameters to those for traces of libraries.
        inward: from parameters that it is bound with to its own.
    """
    kind = type(primitive)

    def hand_over(trace, operands, params):
        return trace.process_primitive(primitive, *outward(list(operands), params))

    def bind(*args, **params):
        return kind.bind(primitive, *args, **inward(params))

    custom_calls.HANDED_AS_CALLS[primitive] = hand_over
    vars(primitive).update(bind=bind)


def _without(*names: str) -> Callable[[dict], dict]:
    return lambda params: {k: v for k, v in params.items() if k not in names}


def _scan_outward(operands, params):
    more = {"linear": (False,) * len(operands), "_split_transpose": False}
    return operands, {**params, **more}


def _jit_inward(params):
    more = {
        "in_layouts": (None,) * len(params["in_shardings"]),
        "out_layouts": (None,) * len(params["out_shardings"]),
    }
    return {**params, **more}


def _remat_outward(operands, params):
    closed = params["jaxpr"]
    opened = pe.consts_to_inputs(closed.jaxpr)
    return [*closed.consts, *operands], {**params, "jaxpr": opened}


def _remat_inward(params):
    program = params["jaxpr"]
    if isinstance(program, jaxpr_lib.ClosedJaxpr):
        return params
    return {**params, "jaxpr": jaxpr_lib.ClosedJaxpr(program, ())}


def _bind_with_trace(self, trace, args, *rest):
    """Applies the primitive in a trace: types of the arguments may be left out."""
    params = dict(rest[-1])
    functions = _FUNCTIONS.get(self.name, 0)
    if functions and "subfuns" not in params:
        given, args = args[:functions], args[functions:]
        params["subfuns"] = tuple(
            f if isinstance(f, linear_util.WrappedFun) else linear_util.wrap_init(f)
            for f in given
        )
    with state.tracing(trace):
        return self.bind(*args, **params)


# How many functions come before the operands of a primitive.
_FUNCTIONS = {
    custom_jvp.custom_jvp_call_p.name: 2,
    custom_vjp.custom_vjp_call_p.name: 3,
}


def _make_optional(primitive: primitive_lib.Primitive, name: str) -> None:
    """Leaves a parameter that is None out of equations, where a primitive has it."""
    if name not in _parameters(primitive.rules.get("lower")):
        return
    kind = type(primitive)

    def bind(*args, **params):
        if params.get(name, ()) is None:
            del params[name]
        return kind.bind(primitive, *args, **params)

    def with_default(rule):
        if not callable(rule):
            return rule

        @ft.wraps(rule)  # Which parameters a rule has says what it is given.
        def with_name(*args, **params):
            return rule(*args, **{name: None, **params})

        return with_name

    for what, rule in list(primitive.rules.items()):
        many = isinstance(rule, tuple)
        primitive.set_rule(
            what, tuple(map(with_default, rule)) if many else with_default(rule)
        )
    vars(primitive).update(bind=bind)


def _parameters(function):
    code = getattr(function, "__code__", None)
    if code is None:
        return ()
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


_adapt(scan_p, _scan_outward, _without("linear", "_split_transpose"))
_adapt(jit_p, lambda operands, params: (operands, params), _jit_inward)
_adapt(checkpoint.remat_p, _remat_outward, _remat_inward)
for _primitive in primitive_lib.declared_primitives().values():
    for _name in ("accuracy", "out_sharding"):
        _make_optional(_primitive, _name)
# Libraries ask for it before they take a part of a value.
avals.ShapedArray._getitem = staticmethod(lambda x, index: x[index])  # type: ignore[attr-defined]
primitive_lib.Primitive.bind_with_trace = _bind_with_trace  # type: ignore[method-assign]
for _primitive in (custom_jvp.custom_jvp_call_p, custom_vjp.custom_vjp_call_p):
    vars(_primitive).pop("bind_with_trace", None)
