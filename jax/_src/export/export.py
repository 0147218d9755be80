"""From jitted functions to exported programs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, options, traceback_filter
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import primitive
from jax._src.core.symbols import expressions
from jax._src.export import (
    call_primitive,
    checks,
    exported,
    modules,
    placements,
)
from jax._src.interpreters import partial_eval as pe
from jax._src.interpreters.mlir import sizes
from jax._src.jit import (
    devices as jit_devices,
    jit,
    primitive as jit_primitive,
    shardings as jit_shardings,
    trace as jit_trace,
)
from jax._src.jit.options import JitOptions
from jax._src.jit.stages import Stage, Wrapped
from jax._src.numpy import elementwise, reductions
from jax._src.runtime.compilation import loading
from jax._src.runtime.devices import backends
from jax._src.transforms import (
    differentiate,
    shape_dtype_struct,
)


def default_export_platform() -> str:
    """The platform of the default device, such as ``"cpu"`` or ``"cuda"``."""
    return backends.default_device().client.platform


def export(
    fun_jit: Any,
    *,
    platforms: Sequence[str] | None = None,
    disabled_checks: Sequence[checks.DisabledSafetyCheck] = (),
    _override_lowering_rules: Any = None,
) -> Callable[..., exported.Exported]:
    """Exports a jitted function: its program for certain types, to be kept and sent.

    Args:
        fun_jit: what `jax.jit` returned.
        platforms: for which platforms, such as ``["cpu", "cuda"]``; by default that of
            the default device.
        disabled_checks: the safety checks to leave out.

    The exported program takes and returns lists of arrays where `fun_jit` has values of
    types above arrays (`jax.experimental.hijax`).

    Returns:
        A function of the arguments of `fun_jit`, arrays or objects with `shape` and
        `dtype` such as `jax.ShapeDtypeStruct`; it returns an `Exported`, and raises
        ValueError for custom calls without guarantees and arguments that are not sharded
        together, NotImplementedError for effects, callbacks, and what a platform lacks.

    Raises:
        ValueError: `fun_jit` is not the result of `jit`.
        TypeError: `platforms` is one string, or `disabled_checks` are none.
        RuntimeError: a platform is a family of several.
        NotImplementedError: other lowering rules are requested.

    Examples:
        >>> from jax import export
        >>> double = jax.jit(lambda x: 2 * x)
        >>> exported = export.export(double)(jax.ShapeDtypeStruct((3,), "float32"))
        >>> export.deserialize(exported.serialize()).call(jnp.arange(3.0))
        Array([0., 2., 4.], dtype=float32)
    """
    if not isinstance(fun_jit, Wrapped):
        raise errors.value_error(
            "Function to be exported must be the result of `jit`.",
            [("got", repr(fun_jit))],
            ways="Write export(jax.jit(f))(...).",
        )
    if _override_lowering_rules is not None:
        raise errors.not_implemented(
            "export: _override_lowering_rules is not offered.",
            [],
            "A primitive is lowered by its own rules.",
        )
    names = _checked_platforms(platforms)
    disabled = tuple(disabled_checks)
    for check in disabled:
        if not isinstance(check, checks.DisabledSafetyCheck):
            raise errors.type_error(
                "export: disabled_checks has what is no DisabledSafetyCheck.",
                [("got", repr(check))],
                ways="Use jax.export.DisabledSafetyCheck.platform() or "
                ".custom_call(name).",
            )

    @api_boundary
    def do_export(*args: Any, **kwargs: Any) -> exported.Exported:
        traced = fun_jit.trace(*args, **kwargs)
        chosen = names or (default_export_platform(),)
        program = jit_trace.low_program(traced)
        resolved = jit_shardings.resolve(program)
        assignment = jit_devices.assignment_of_types(
            program, resolved, program.inputs, chosen
        )
        return _export_program(program, chosen, disabled, assignment)

    return do_export


def _checked_platforms(platforms):
    if isinstance(platforms, str):
        raise errors.type_error(
            "export: platforms is one string.",
            [("platforms", repr(platforms))],
            ways=f"Write platforms=[{platforms!r}].",
        )
    names = tuple(dict.fromkeys(platforms or ()))
    if "gpu" in names:
        raise errors.runtime_error(
            "export: 'gpu' names a family of platforms.",
            [("platforms", repr(names))],
            ways="Say which: 'cuda' or 'rocm'.",
        )
    return names


def _export_program(
    program: Stage, platforms, disabled, assignment
) -> exported.Exported:
    if program.links:
        raise errors.not_implemented(
            "Functions of references cannot be exported.",
            [("function", program.fun_name)],
            "An exported program takes arrays and returns arrays.",
            "Read the reference before, and write it after the call.",
        )
    if program.lifted:
        raise errors.not_implemented(
            "Functions that close over traced values cannot be exported.",
            [("function", program.fun_name), ("values", str(program.lifted))],
            "What is being traced has no value in a program of its own.",
            "Make these values arguments of the function.",
        )
    symbols = sizes.names_in(program.argument_avals)
    _check_one_scope(program)
    module, kept = modules.lower(program, platforms, disabled, assignment)
    inputs, results = _placements(program, kept, assignment)
    return exported.make_exported(
        lambda primal: _vjp(program, primal),
        inputs,
        results,
        fun_name=program.fun_name,
        in_tree=program.in_tree,
        in_avals=tuple(program.argument_avals),
        out_tree=program.out_tree,
        out_avals=tuple(program.result_avals),
        nr_devices=len(assignment.devices),
        platforms=tuple(platforms),
        disabled_safety_checks=disabled,
        mlir_module_serialized=module,
        calling_convention_version=_convention(),
        module_kept_var_idx=kept,
        uses_global_constants=len(platforms) > 1 or bool(symbols),
    )


def _check_one_scope(program):
    found = list(
        dict.fromkeys(
            size.scope
            for aval in program.argument_avals
            for size in aval.shape
            if expressions.is_dimension(size)
        )
    )
    if len(found) > 1:
        raise errors.value_error(
            "Invalid mixing of symbolic scopes when exporting.",
            [("function", program.fun_name)] + [("scope", str(s)) for s in found],
            "The symbols of one program belong to one scope.",
            "Make all shapes with symbolic_shape(..., scope=scope).",
        )


def _convention():
    """The requested calling convention: 10 differs from 9 in shardings alone.

    Raises:
        ValueError: there is no such convention.
    """
    version = options.export_calling_convention_version.value
    first = exported.minimum_supported_calling_convention_version
    last = exported.maximum_supported_calling_convention_version
    if not first <= version <= last:
        raise errors.value_error(
            f"The requested export calling convention version {version} is outside the "
            f"range of supported versions [{first}..{last}].",
            [("option", "jax_export_calling_convention_version")],
            f"Versions {first} to {last} are supported.",
        )
    return version


def _placements(program, kept, assignment):
    """Shardings of the arguments and the results of a program, without devices."""
    inputs = [p if i in kept else None for i, p in enumerate(assignment.inputs)]
    resolved = jit_shardings.resolve(program)
    by_type = loading.shardings_of_types(resolved.closed.out_avals, assignment)
    results = [a or b for a, b in zip(resolved.results, by_type, strict=True)]
    mesh = placements.first_mesh([*inputs, *results])
    return (
        placements.without_devices(inputs, program.argument_avals, mesh),
        placements.without_devices(results, program.result_avals, mesh),
    )


def _vjp(program: Stage, primal: exported.Exported) -> exported.Exported:
    """The exported derivative of an exported program."""
    n_in = len(primal.in_avals)

    def fun_vjp(*args_and_cotangents):
        primals, cotangents = args_and_cotangents[:n_in], args_and_cotangents[n_in:]
        _, pullback = differentiate.vjp(
            lambda *xs: jit_primitive.call(program.jaxpr, xs, program.fun_name),
            *primals,
        )
        return list(pullback(list(cotangents)))

    avals = [*primal.in_avals, *[a.to_cotangent_aval() for a in primal.out_avals]]
    closed = pe.trace_to_closed(fun_vjp, avals, program.jaxpr.debug_info)
    inputs = (*primal._in_named_shardings, *primal._out_named_shardings)
    results = tuple(
        None if assignment is None or assignment.mesh.empty else assignment
        for assignment in primal._in_named_shardings
    )
    opts = JitOptions(out_shardings=results) if any(results) else JitOptions()
    derivative = jit_trace.of_program(
        closed,
        "fun_vjp",
        tree.tree_structure(((0,) * len(avals), {})),
        tree.tree_structure((0,) * n_in),
        (False,) * len(avals),
        opts,
    )
    assignment = placements.on_absent_devices(
        primal.nr_devices,
        primal.platforms[0],
        inputs,
        avals,
        jit_shardings.resolve(derivative).kept,
    )
    return _export_program(
        derivative, primal.platforms, tuple(primal.disabled_safety_checks), assignment
    )


def _samples():
    """Exported programs and arguments, for the laws of `call_exported`."""

    def sample_scaled(x):
        return 2 * elementwise.sin(x)

    def sample_parts(x):
        return elementwise.abs(x), reductions.max(x, axis=0)

    x = np.linspace(-1, 2, 6, dtype=np.float32).reshape(3, 2)
    aval = shape_dtype_struct.ShapeDtypeStruct(x.shape, x.dtype)
    return [
        primitive.Sample((x,), {"exported": export(jit.jit(function))(aval)})
        for function in (sample_scaled, sample_parts)
    ]


call_primitive.call_exported_p.set_rule("samples", _samples)
traceback_filter.hide_frames(globals())
