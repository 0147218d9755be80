"""The settings, and what they may change in what a program gives.

A setting is compared with the run of the program without it. `narrow` says that results may have 64 bits where
that run has 32. `refusals` are patterns of errors that a setting exists to raise; `judge` decides whether one is due.
"""

import contextlib
import dataclasses
from collections.abc import Callable

import jax


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    name: str
    enter: Callable[[], contextlib.AbstractContextManager]
    # What the error says that the setting exists for; empty: it must change nothing.
    refusal: str = ""
    # When such an error is due: "function" if the function by itself is refused under the
    # setting, "bad value" if a NaN or an infinity is met, "transfer" if anything moves,
    # "mixture" if the function by itself mixes the widths of its arguments with others.
    due: str = ""
    has_64_bits: bool = False
    # Whether arguments have 64 bits: "inside", where the setting is on, or "outside".
    wide: str = ""
    # Whether the function is called in a block of it, in the midst of the constructs.
    is_within: bool = False


@contextlib.contextmanager
def _updated(name: str, value):
    old = jax.config.values[name]  # the process's, whatever the context says
    jax.config.update(name, value)
    try:
        yield
    finally:
        jax.config.update(name, old)


def _option(name: str, value, **more) -> list[Setting]:
    """An option as a setting of the process."""
    text = f"{name}={value}"
    return [Setting(text, lambda: _updated(name, value), **more)]


def _both(name: str, value, context: Callable, **more) -> list[Setting]:
    """An option as a setting of the process, and by its context manager."""
    return [
        *_option(name, value, **more),
        Setting(f"with {name}={value}", lambda: context(value), **more),
    ]


def _within(name: str, context: Callable, **more) -> Setting:
    """A context manager around the function alone."""
    return Setting(f"within {name}", context, is_within=True, **more)


def _last_device():
    return jax.default_device(jax.devices()[-1])


def _guard(level: str) -> Callable:
    return lambda: jax.transfer_guard(level)


_NAN = {"refusal": "FloatingPointError", "due": "bad value"}
_STRICT = {"refusal": "TypePromotionError", "due": "function"}
_RANK = {"refusal": "rank_promotion|rank promotion", "due": "function"}
_MOVED = {"refusal": "Disallowed .*transfer", "due": "transfer"}
_WIDE = {
    "has_64_bits": True,
    "refusal": "TypeError|ValueError",
    "due": "mixture",
}
# Loops in Python count with its integers, as upstream's: functions may not take them.
# Without jit an inner function's constants are computed at once, and a kernel captures them:
# upstream refuses such kernels too.
_PYTHON = {"refusal": "'(int|bool)' object|captures arrays", "due": "function"}
_KEYS = {"refusal": "KeyReuseError", "due": "function"}

SETTINGS: dict[str, Setting] = {
    setting.name: setting
    for setting in (
        *_both("jax_enable_checks", True, jax.enable_checks),
        *_both("jax_check_tracer_leaks", True, jax.check_tracer_leaks),
        *_both("jax_debug_nans", True, jax.debug_nans, **_NAN),
        *_both("jax_debug_infs", True, jax.debug_infs, **_NAN),
        *_option("jax_disable_jit", True, **_PYTHON),
        Setting("with jax_disable_jit=True", jax.disable_jit, **_PYTHON),
        *_both("jax_enable_x64", True, jax.enable_x64, **_WIDE),
        Setting(
            "64-bit arguments inside",
            lambda: jax.enable_x64(True),
            wide="inside",
            **_WIDE,
        ),
        Setting(
            "64-bit arguments outside",
            contextlib.nullcontext,
            wide="outside",
            **_WIDE,
        ),
        *_both(
            "jax_numpy_dtype_promotion",
            "strict",
            jax.numpy_dtype_promotion,
            **_STRICT,
        ),
        *_both("jax_numpy_rank_promotion", "raise", jax.numpy_rank_promotion, **_RANK),
        *_both("jax_default_matmul_precision", "highest", jax.default_matmul_precision),
        *_option("jax_default_matmul_precision", "bfloat16"),
        *_option("jax_transfer_guard", "allow"),
        Setting("with transfer_guard log", lambda: jax.transfer_guard("log")),
        Setting(
            "with transfer_guard disallow",
            lambda: jax.transfer_guard("disallow"),
            **_MOVED,
        ),
        Setting(
            "with transfer_guard_device_to_device disallow",
            lambda: jax.transfer_guard_device_to_device("disallow"),
            **_MOVED,
        ),
        Setting(
            "with transfer_guard_device_to_host log_explicit",
            lambda: jax.transfer_guard_device_to_host("log_explicit"),
        ),
        *_both("jax_explain_cache_misses", True, jax.explain_cache_misses),
        *_both("jax_log_compiles", True, jax.log_compiles),
        *_option("jax_traceback_filtering", "off"),
        *_option("eager_constant_folding", True),
        *_option("jax_debug_key_reuse", True, **_KEYS),
        *_option("jax_remove_size_one_mesh_axis_from_type", True),
        *_option("jax_numpy_rank_promotion", "warn"),
        *_option("jax_include_full_tracebacks_in_locations", False),
        *_option("jax_array_garbage_collection_guard", "log"),
        *_option("jax_captured_constants_warn_bytes", 0),
        *_option("jax_mutable_array_checks", True),
        *_option("jax_disable_bwd_checks", True),
        *_option("jax_log_checkpoint_residuals", True),
        *_option("jax_cpu_enable_async_dispatch", False),
        Setting("with default_device last", _last_device),
        Setting("with transfer_guard log_explicit", _guard("log_explicit")),
        Setting(
            "with transfer_guard disallow_explicit",
            _guard("disallow_explicit"),
            **_MOVED,
        ),
        _within("jax_enable_checks", lambda: jax.enable_checks(True)),
        _within("jax_check_tracer_leaks", lambda: jax.check_tracer_leaks(True)),
        _within("jax_debug_nans", lambda: jax.debug_nans(True), **_NAN),
        _within("jax_debug_infs", lambda: jax.debug_infs(True), **_NAN),
        _within("jax_disable_jit", jax.disable_jit, **_PYTHON),
        _within("jax_enable_x64", lambda: jax.enable_x64(True), **_WIDE),
        _within("strict", lambda: jax.numpy_dtype_promotion("strict"), **_STRICT),
        _within("rank", lambda: jax.numpy_rank_promotion("raise"), **_RANK),
        _within("precision", lambda: jax.default_matmul_precision("highest")),
        _within("explain", lambda: jax.explain_cache_misses(True)),
        _within("log_compiles", lambda: jax.log_compiles(True)),
        _within("transfer_guard log", _guard("log")),
        _within("default_device", _last_device),
    )
}
