"""Calls of compiled programs, by users and by the primitive `jit`."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors, options
from jax._src.core import evaluate, jaxpr as jaxpr_lib, slots
from jax._src.interpreters import hijax
from jax._src.jit import (
    compile,
    devices,
    lower,
    primitive as jit_primitive,
    requests,
    shardings as jit_shardings,
    trace as jit_trace,
)
from jax._src.jit.options import JitOptions
from jax._src.runtime import checks
from jax._src.runtime.compilation import compilations


def compiled_for(program: jit_trace.Traced, leaves: Sequence[Any]) -> compile.Compiled:
    """The executable of a program for a call with these leaves; made once per assignment."""
    resolved = jit_shardings.resolve(program)
    assignment = devices.assignment_of(program, resolved, leaves)
    key = _key_of(assignment)
    found = program.executables.get(key)
    if found is None:
        if not assignment.can_run:
            raise errors.runtime_error(
                "A function was called on devices that do not exist.",
                [
                    ("function", program.fun_name),
                    ("devices", str(len(assignment.devices))),
                ],
                "Its shardings are over devices of a described machine.",
                "To see what a call would need: jit(f).lower(types).compile().plan().",
            )
        compilations.refuse_if_unexpected(
            lambda: requests.request_of(program, assignment, ())
        )
        found = lower.compile_for_calls(
            lower.lower(program, program, resolved, assignment)
        )
        program.executables[key] = found
    return found


def _key_of(assignment):
    """What an executable is made for: programs may be older than the memory budget."""
    budget = options.memory_budget.value
    return (assignment, budget) if budget else assignment


def evaluate_jit(*args: Any, jaxpr: jaxpr_lib.ClosedJaxpr, **params: Any) -> list[Any]:
    """Evaluates the primitive `jit` outside every trace."""
    name = params["name"]
    if options.disable_jit.value:
        return evaluate.eval_closed(jaxpr, *args)
    if hijax.is_high_program(jaxpr):
        return hijax.evaluate_high(
            jit_primitive.jit_p, args, {"jaxpr": jaxpr, **params}
        )
    key = ("program", name, params["keep_unused"], params["compiler_options_kvs"])

    def make():
        opts = JitOptions(
            keep_unused=params["keep_unused"],
            compiler_options=params["compiler_options_kvs"],
        )
        donated = (False,) * len(args)
        return jit_trace.of_program(jaxpr, name, None, None, donated, opts)

    program = jaxpr.derived(key, make)
    outs = compiled_for(program, args).run(args)
    if checks.is_requested():
        bad = checks.find_bad_value(outs)
        if bad is not None:
            slots.explain_bad_value(jaxpr, args, outs, name, bad)
    return outs


jit_primitive.jit_p.set_rule("impl", evaluate_jit)
