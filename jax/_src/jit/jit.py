"""`jit`: compile a function and call the compiled version."""

import copyreg
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, options, records, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import slots, state, trace as trace_lib
from jax._src.interpreters import hijax, partial_eval as pe
from jax._src.jit import (
    execute,
    inlining,
    options as jit_options,
    primitive as jit_primitive,
    slow_calls,
    trace as jit_trace,
)
from jax._src.jit.arguments import Arguments
from jax._src.jit.options import JitOptions
from jax._src.lib import fastpath
from jax._src.runtime import checks
from jax._src.transforms import (
    calls,
    differentiate,
    sharding_constraint,
)

_NO_FUNCTION = object()


@api_boundary
def jit(
    fun: Any = _NO_FUNCTION,
    /,
    *,
    in_shardings: Any = jit_primitive.UNSPECIFIED,
    out_shardings: Any = jit_primitive.UNSPECIFIED,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    device: Any = None,
    backend: str | None = None,
    inline: bool | inlining.Inline = False,
    compiler_options: dict[str, Any] | None = None,
) -> Any:
    """Compiles a function, once per types of its arguments, and calls the compiled version.

    The function is traced: it runs in Python with stand-ins for its arrays, and what it
    does to them is compiled. Without `fun`, returns a decorator with these options.

    Args:
        fun: the function of trees of arrays; pure.
        in_shardings: the shardings of the arguments, a tree prefix of them.
        out_shardings: the shardings of the results, a tree prefix of them.
        static_argnums: positions of arguments that are Python values, hashable; the
            function is compiled once per value.
        static_argnames: the same by name. Where only one of both is given, the other
            follows from the signature.
        donate_argnums: positions of arguments whose memory may be taken for results;
            they are deleted by the call.
        donate_argnames: the same by name.
        keep_unused: whether arguments that do not matter are passed all the same.
        device: the device to run on; deprecated, see `jax.device_put`.
        backend: the platform to run on; deprecated likewise.
        inline: when a call inside another traced function becomes part of it, a
            `jax.Inline`. True: at once, and leaves no equation; from 0.12 on, when the
            program is lowered.
        compiler_options: options for the compiler, by name.

    Returns:
        A function with the arguments of `fun`, and the methods `trace`, `lower`,
        `eval_shape` and `clear_cache`.

    Raises:
        TypeError: an argument is no array and not static.
        ValueError: a static argument has no hash.

    Examples:
        >>> @jax.jit
        ... def selu(x, alpha=1.67, scale=1.05):
        ...     return scale * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)
    """
    given = {name: value for name, value in locals().items() if name != "fun"}
    if fun is _NO_FUNCTION:
        return lambda function: jit(function, **given)
    calls.check_callable(fun, "jit")
    if device is not None or backend is not None:
        _check_device_and_backend(fun, given)
        warnings.warn(
            "backend and device argument on jit is deprecated: a program runs where its "
            "arguments are. Put them there with jax.device_put.",
            DeprecationWarning,
            stacklevel=3,
        )
    opts = jit_options.make_options(fun, **given)
    return make_jitted(fun, opts)


def jit_outermost(
    fun: Callable, *, static_argnums: Sequence[int], static_argnames: Sequence[str]
) -> Any:
    """`fun` compiled where nothing is traced, and `fun` itself inside of a trace.

    Such a function must take Python numbers as it takes arrays. One that users wrote is
    traced instead, its operations inlined: it may ask its arguments for their dtype.
    """
    opts = jit_options.make_options(
        fun,
        static_argnums=static_argnums,
        static_argnames=static_argnames,
        inline=inlining.Inline.JAX_EARLY,
        is_itself_inside=True,
    )
    return make_jitted(fun, opts)


def _check_device_and_backend(fun, given):
    """Raises an error if both `device` and `backend` are given."""
    device, backend = given["device"], given["backend"]
    if device is not None and backend is not None:
        raise errors.value_error(
            "can't specify both a device and a backend for jit, got "
            f"device={device!r} and backend={backend!r}.",
            [("function", calls.describe(fun))],
            "Both say where the program runs.",
            "Put the arguments there instead: jax.device_put(x, device).",
        )
    for name in ("in_shardings", "out_shardings"):
        sharding = given[name]
        if sharding is not None and sharding is not jit_primitive.UNSPECIFIED:
            raise errors.value_error(
                "If backend or device is specified on jit, then "
                f"{name} should not be specified.",
                [("function", calls.describe(fun)), (name, repr(sharding))],
                "Both say where the program runs.",
                f"Leave out the deprecated one and keep {name}.",
            )


def make_jitted(fun: Callable, opts: JitOptions) -> Any:
    """The callable that `jit` returns, with its methods."""

    @api_boundary
    def cache_miss(*args, **kwargs):
        if options.explain_slow_calls.value:
            return slow_calls.call_explained(call, fun, opts, args, kwargs)
        return call(fun, opts, args, kwargs)

    def inside(*args, **kwargs):
        # Within one program the branch that a selection leaves out may have a NaN; what is
        # staged becomes part of one in any case.
        if checks.is_requested() and not _is_staged():
            return call(fun, opts, args, kwargs)[0]
        return fun(*args, **kwargs)

    jitted = fastpath.Function(
        inside if opts.is_itself_inside else fun,
        cache_miss,
        static_argnums=opts.static_argnums,
        static_argnames=opts.static_argnames,
        inline=opts.is_itself_inside,
    )
    util.wraps(fun)(jitted)
    # The texts of pytrees of functions show the name.
    inside.__qualname__ = getattr(fun, "__qualname__", inside.__qualname__)

    @api_boundary
    def trace(*args, **kwargs):
        return _traced(fun, opts, args, kwargs)

    @api_boundary
    def lower(*args, **kwargs):
        return trace(*args, **kwargs).lower()

    @api_boundary
    def eval_shape(*args, **kwargs):
        return trace(*args, **kwargs).out_info

    jitted.jit_options = opts
    jitted.trace = trace
    jitted.lower = lower
    jitted.eval_shape = eval_shape
    return jitted


def _is_staged():
    """Whether operations that are traced now become part of a program."""
    trace: Any = state.current()
    while trace is not None and not isinstance(trace, pe.StagingTrace):
        trace = trace.parent
    return trace is not None


def _reduced(jitted):
    """A jitted function in a pickle: its own name, or its function and its options."""
    module = sys.modules.get(jitted.__module__)
    if getattr(module, jitted.__qualname__, None) is jitted:
        return jitted.__qualname__
    return make_jitted, (jitted.__wrapped__, jitted.jit_options)


copyreg.pickle(fastpath.Function, _reduced)
fastpath.Function.__signature__ = util.WrappedSignature()
# By this name libraries recognise compiled functions (`chex.is_traceable`).
fastpath.Function.__name__ = fastpath.Function.__qualname__ = "PjitFunction"


def _traced(fun, opts, args, kwargs):
    """Traces a call whose arguments may be types, and returns the program and its inputs."""
    arguments = Arguments(fun, opts, args, kwargs)
    arguments.hold_objects()
    avals = tuple([differentiate.shaped_aval(leaf) for leaf in arguments.leaves])
    program, consts = jit_trace.program_of(fun, opts, arguments, avals)
    inputs = (*consts, *arguments.leaves)
    # References from outside are inputs behind the arguments; their types have the shardings.
    missing = len(program.jaxpr.in_avals) - len(inputs)
    inputs += tuple(program.jaxpr.in_avals[-missing:]) * bool(missing)
    return records.replace(program, inputs=inputs)


def call(fun: Callable, opts: JitOptions, args: tuple, kwargs: dict) -> tuple[Any, Any]:
    """Calls a jitted function where the native path does not know the call.

    Returns:
        The result, and what the native path shall remember, or None.
    """
    if options.disable_jit.value:
        return fun(*args, **kwargs), None
    arguments = Arguments(fun, opts, args, kwargs)
    is_evaluating = state.current() is trace_lib.evaluation
    if is_evaluating:
        arguments.hold_objects()
    else:
        arguments.hold_references()
    program, consts = jit_trace.program_of(fun, opts, arguments)
    if arguments.types:
        arguments.leaves = jit_trace.with_stand_ins(program, arguments)
    leaves, given = arguments.leaves, arguments.leaves
    if program.links:
        leaves = program.operands(given, lambda: calls.describe(fun))
    is_traced = (
        not is_evaluating or trace_lib.find_tracer((*consts, *leaves)) is not None
    )
    is_high = hijax.is_high_program(program.jaxpr)
    if is_traced or is_high or checks.is_requested():
        outs = sharding_constraint.call_constrained(
            program,
            lambda *xs: jit_primitive.jit_p.bind(*consts, *xs, **program.params()),
            leaves,
        )
        if program.links:
            outs = program.links.take(outs, given)
        return tree.tree_unflatten(program.out_tree, outs), None
    compiled = execute.compiled_for(program, leaves)
    outs = compiled.run(leaves)
    if program.links:
        outs = program.links.take(outs, given)
        return tree.tree_unflatten(program.out_tree, outs), None
    if options.debug_key_reuse.value and compiled.has_keys:
        slots.follow_keys_in_call(program.jaxpr, leaves, outs)
        return tree.tree_unflatten(program.out_tree, outs), None
    data = None if arguments.types else compiled.native_data(leaves)
    return tree.tree_unflatten(program.out_tree, outs), data
