"""From a StableHLO module to an executable."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src.base import compile_log, errors, monitoring, options as options_lib
from jax._src.lib import client
from jax._src.runtime.compilation import compilation_cache
from jax._src.runtime.devices import backends


def compile_module(
    module: str | bytes,
    *,
    devices: Sequence[Any],
    name: str = "",
    open_parameters: Sequence[bool] = (),
    open_results: Sequence[bool] = (),
    options: Mapping[str, Any] | None = None,
    text: Callable[[], str | bytes] | None = None,
    cacheable: bool = True,
    tier: str = "best",
) -> Any:
    """Compiles for a list of devices, and loads the result on them.

    Args:
        module: StableHLO, as text (str) or MLIR bytecode (bytes).
        devices: of one client; the program is divided among them, in this order. Those
            of a machine that is only described make an executable that cannot be run.
        name: what is compiled, for the log.
        open_parameters: which parameters the compiler may divide as it likes.
        open_results: which results it may divide as it likes.
        options: options that only the compiler knows, by name.
        text: the module for the key of the persistent cache, if not as it is.
        cacheable: whether other processes could run the executable.
        tier: how hard our compiler works, as `jax_compile_tier` says it. What the
            persistent cache keeps is compiled with all effort.

    Raises:
        JaxRuntimeError: the plugin cannot compile it.
    """
    compiler = devices[0].client
    if tier != "best" and cacheable and compilation_cache.keeps_programs_for(devices):
        tier = "best"
    chosen = _effort() | _tier(tier, compiler) | dict(options or {})
    settings = _settings(len(devices), open_parameters, open_results, chosen)
    settings.device_ids = [d.id for d in devices]
    make = compiler.compile_only if compiler.is_absent else compiler.compile

    def compile_now():
        return _compile(compiler, module, settings, chosen, make)

    with compile_log.compiling(name):
        if cacheable and not compiler.is_absent:
            executable = compilation_cache.compile_cached(
                compile_now,
                text=text or (lambda: module),
                settings=settings,
                devices=devices,
                name=name,
            )
        else:
            executable = compile_now()
    return executable


def compile_without_devices(
    module: str | bytes,
    *,
    platform: str,
    count: int,
    open_parameters: Sequence[bool] = (),
    open_results: Sequence[bool] = (),
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Compiles for so many devices of a platform, be they there or not.

    Returns:
        An executable that says what it needs and costs, and cannot be run.

    Raises:
        JaxRuntimeError: the plugin cannot compile it.
        NotImplementedError: it compiles for devices that are there alone.
        RuntimeError: there is no such platform.
    """
    chosen = _effort() | dict(options or {})
    settings = _settings(count, open_parameters, open_results, chosen)
    compiler = backends.get_backend(platform)
    with monitoring.timed("/jax/core/compile/backend_compile_duration"):
        try:
            return _compile(compiler, module, settings, chosen, compiler.compile_only)
        except errors.JaxRuntimeError as error:
            # So plugins say that they have no compiler apart from their devices.
            if not str(error).startswith("NOT_FOUND"):
                raise
            raise _no_compiler(platform, count) from error


def plan_module(
    module: bytes,
    *,
    devices: Sequence[Any],
    is_abstract: bool = False,
    open_parameters: Sequence[bool] = (),
    open_results: Sequence[bool] = (),
    options: Mapping[str, Any] | None = None,
) -> Any:
    """Has our compiler lay out the memory of a program, without making code for it.

    Args:
        module: StableHLO as bytecode.
        devices: those that the program is divided among.
        is_abstract: whether they are those of a mesh without devices.
        open_parameters: which parameters the compiler may divide as it likes.
        open_results: which results it may divide as it likes.
        options: options that only the compiler knows, by name.
    """
    chosen = {**(options or {}), "xla_cpu_compile_tier": "plan"}
    settings = _settings(len(devices), open_parameters, open_results, chosen)
    if is_abstract:
        compiler = backends.get_backend(devices[0].platform)
        return _compile(compiler, module, settings, chosen, compiler.compile_only)
    compiler = devices[0].client
    settings.device_ids = [d.id for d in devices]
    make = compiler.compile_only if compiler.is_absent else compiler.compile
    return _compile(compiler, module, settings, chosen, make)


def plans_memory(devices: Sequence[Any], is_abstract: bool) -> bool:
    """Whether the compiler for these devices is ours, which lays out memory ahead."""
    if is_abstract:
        return backends.is_ours(backends.get_backend(devices[0].platform))
    return backends.is_ours(devices[0].client)


def _no_compiler(platform, count):
    return errors.not_implemented(
        "A program for a mesh without devices was to be compiled.",
        [("platform", platform), ("devices", str(count))],
        "The compiler of this platform compiles for devices that are there.",
        "Say which: .compile(device_assignment=tuple(jax.devices())).",
    )


def settings_for(devices: Sequence[Any]) -> client.CompileOptions:
    """Compile options that name devices, for executables that are there."""
    settings = _settings(len(devices), (), (), {})
    settings.device_ids = [d.id for d in devices]
    return settings


def _settings(count, open_parameters, open_results, overrides):
    settings = client.CompileOptions()
    settings.replica_count = 1
    settings.partition_count = count
    if count > 1:
        settings.use_spmd_partitioning = True
        settings.use_shardy_partitioner = options_lib.use_shardy_partitioner.value
        settings.propagate_to_arguments = list(open_parameters)
        settings.propagate_to_results = list(open_results)
    settings.overrides = overrides
    return settings


def _effort():
    """How hard the compiler shall work, where the user has said it."""
    level = options_lib.optimization_level.value
    if options_lib.disable_most_optimizations.value:
        level = "O0"
    if level == "UNKNOWN":
        return {}
    return {"xla_backend_optimization_level": int(level.removeprefix("O"))}


def _tier(tier, compiler):
    if tier == "best" or not backends.is_ours(compiler):
        return {}
    return {"xla_cpu_compile_tier": tier}


def _compile(compiler, module, settings, options, make=None):
    if options_lib.reproducible.value and not backends.is_ours(compiler):
        raise NotImplementedError(
            errors.explain(
                "A program with jax_reproducible cannot be compiled by this plugin.",
                [("platform", compiler.platform)],
                "Only the compiler in jaxlib, for the CPU, makes sums that have the same bits in any order.",
                "Compile for the CPU, or set jax_reproducible to False for this call.",
            )
        )
    make = make or compiler.compile
    ours = backends.compile_options(compiler)
    settings.overrides = ours | options
    try:
        return make(module, options=settings)
    except errors.JaxRuntimeError as error:
        added = "|".join(ours.keys() - options.keys())
        if not added or not re.search(rf"\b({added})\b", str(error)):
            raise
    backends.forget_compile_options(compiler)
    settings.overrides = options
    return make(module, options=settings)
