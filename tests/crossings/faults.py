"""Faults to plant: each makes one rule wrong for a block, as a mistake in the source would.

A crossing that `search` finds unexplained while a fault is planted, and not without it, shows that the generator
sees faults of this kind.
"""

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from unittest import mock

import jax
from jax._src.base import options
from jax._src.core import state, wide_values
from jax._src.interpreters.ad import zeros
from jax._src.lax.control_flow import python_control_flow
from jax._src.lax.ops import arithmetic, creation, trigonometric
from jax._src.numpy import operands
from jax._src.runtime import checks
from jax._src.shard_map import primitive as shard_map_primitive, stepwise
from jax._src.transforms import calls


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """A mistake, and the crossing that meets it: a sample's body, wrappers, end, settings."""

    plant: Callable[[], contextlib.AbstractContextManager]
    body: str
    wrappers: tuple[str, ...]
    end: str
    settings: tuple[str, ...]


FAULTS: dict[str, Fault] = {}


def fault(body: str, wrappers=(), end="call", settings=()):
    def add(plant):
        made = contextlib.contextmanager(plant)
        FAULTS[plant.__name__] = Fault(
            made, body, tuple(wrappers), end, tuple(settings)
        )
        return plant

    return add


@contextlib.contextmanager
def _rule(primitive, kind: str, rule) -> Iterator[None]:
    """A rule of a primitive replaced; programs that were traced with it are forgotten."""
    old = primitive.rules.get(kind)
    primitive.rules.pop(kind, None) if rule is None else primitive.set_rule(kind, rule)
    primitive.resolved.clear()
    jax.clear_caches()
    try:
        yield
    finally:
        if old is None:
            primitive.rules.pop(kind, None)
        else:
            primitive.set_rule(kind, old)
        primitive.resolved.clear()
        jax.clear_caches()


@contextlib.contextmanager
def _replaced(module, name: str, value) -> Iterator[None]:
    jax.clear_caches()
    with mock.patch.object(module, name, value):
        yield
    jax.clear_caches()


CHECKED = ("jax_enable_checks=True",)
OUTSIDE = ("64-bit arguments outside",)


@fault("jnp.sin(x)", ["jit_of_shard_map"], "value_and_grad_compiled", CHECKED)
def axes_are_unknown_to_checks():
    with _rule(shard_map_primitive.shard_map_p, "inside", None):
        yield


@fault("jnp.sin(x)", ["shard_map"], settings=("jax_debug_nans=True",))
def values_are_checked_without_end():
    def again(bind, args, params):
        shard_map_primitive.shard_map_p.rules["impl"](*args, **params)

    with (
        _replaced(stepwise, "find_bad_value", again),
        _replaced(checks, "find_bad_value", lambda outs: "nan"),
    ):
        yield


@fault("jax.nn.softmax(x)", end="grad", settings=OUTSIDE)
def rules_run_under_the_setting_of_the_moment():
    with _replaced(wide_values, "are_among", lambda values: False):
        yield


@fault(
    "lax.pad(x, jax._src.lax.ops.creation.scalar_like(x, 0), [(0, 0, 1)])",
    ["jit"],
    settings=OUTSIDE,
)
def numbers_made_for_an_array_are_narrow():
    with _replaced(wide_values, "kept_scalar", lambda x: x):
        yield


@fault("jnp.sin(x)", ["fori_loop_with_index"], settings=("jax_disable_jit=True",))
def loops_in_python_end_one_step_early():
    old = python_control_flow.fori_loop

    def shorter(lower, upper, body_fun, value):
        return old(lower, upper - 1, body_fun, value)

    with _replaced(python_control_flow, "fori_loop", shorter):
        yield


@fault("jnp.sin(x)", ["scan_back"], settings=("with jax_disable_jit=True",))
def scans_in_python_run_forwards():
    old = python_control_flow.scan
    forwards = lambda f, init, xs, length, reverse: old(f, init, xs, length, False)  # noqa: E731
    with _replaced(python_control_flow, "scan", forwards):
        yield


@fault("jnp.sin(x)", ["switch"], settings=("jax_disable_jit=True",))
def branches_in_python_are_the_first():
    first = lambda index, branches, operands: branches[0](*operands)  # noqa: E731
    with _replaced(python_control_flow, "switch", first):
        yield


@fault("jnp.log(x - 100)", settings=("jax_debug_nans=True",))
def bad_values_are_not_looked_for():
    with _replaced(checks, "find_bad_value", lambda outs: None):
        yield


@fault(
    "jnp.sin(x)", ["jit"], settings=("jax_numpy_dtype_promotion=strict",), end="grad"
)
def a_derivative_promotes_dtypes():
    def rule(t, x, **params):
        return operands.promote_dtypes(t, jax.numpy.ones(x.shape, "int32"))[0]

    with _rule(trigonometric.sin_p, "jvp", rule):
        yield


@fault("jnp.sin(x)", end="grad", settings=("jax_numpy_rank_promotion=raise",))
def a_derivative_promotes_ranks():
    def rule(t, x, **params):
        return jax.numpy.add(t[None], t)[0]

    with _rule(trigonometric.sin_p, "jvp", rule):
        yield


@fault("jnp.sin(x)", ["jit"], settings=("jax_check_tracer_leaks=True",))
def a_trace_is_kept():
    kept = []
    old = calls.FlatFunction.__call__

    def call(self, *leaves):
        kept.extend(leaves)
        return old(self, *leaves)

    with _replaced(calls.FlatFunction, "__call__", call):
        yield


@fault("jnp.sin(x)", ["jit"], settings=CHECKED)
def a_type_is_not_what_is_made():
    old = trigonometric.sin_p.rules["types"]
    count = [0]

    def types(x, **params):
        count[0] += 1
        out = old(x, **params)
        return out if count[0] % 2 else out.update(dtype="int32")

    with _rule(trigonometric.sin_p, "types", types):
        yield


@fault("jnp.sin(x)", ["vmapped"], settings=("with jax_explain_cache_misses=True",))
def a_setting_changes_a_value():
    old = arithmetic.mul_p.bind
    factor = lambda: 2.0 if options.explain_cache_misses.value else 1.0  # noqa: E731

    def rule(x):
        return old(x, creation.full_like(x, factor()), out_dtype=None)

    with _replaced(jax.numpy, "sin", rule):
        yield


@fault("jnp.sin(x)", ["remat"], "grad", ("jax_enable_x64=True",))
def a_zero_has_the_default_dtype():
    old = zeros.add_jaxvals

    def add(x, y):
        total = old(x, y)
        wide = options.enable_x64.value
        return total * 2 if wide and total.dtype == "float32" else total

    with _replaced(zeros, "add_jaxvals", add):
        yield


@fault("jnp.sin(x)", ["fori_loop"], "grad", OUTSIDE)
def numbers_of_programs_follow_the_setting_of_the_moment():
    with _replaced(wide_values, "as_typed", lambda values, types: tuple(values)):
        yield


@fault("jnp.sin(x)", ["pmap"], settings=("jax_log_compiles=True",))
def a_setting_hides_the_devices():
    old = state.axis_size
    size = lambda name: 1 if options.log_compiles.value else old(name)  # noqa: E731
    with _replaced(state, "axis_size", size):
        yield
