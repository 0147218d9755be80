"""Backends and caches, as libraries handle them."""

from typing import Any

from jax._src.base import caches
from jax._src.lib import compile_options
from jax._src.runtime.devices import backends


def backend_xla_version(platform: Any = None) -> int | None:
    """The version of XLA behind a backend; None where it does not say one."""
    backends.get_backend(platform)
    return None


def backends_are_initialized() -> bool:
    """Whether backends have been started, after which their options stay as they are."""
    return bool(backends._started)


def get_default_device() -> Any:
    """The device of arrays that name none, in the current context."""
    return backends.default_device()


def get_compile_options(
    num_replicas: int,
    num_partitions: int,
    device_assignment: Any = None,
    env_options_overrides: dict[str, Any] | None = None,
    fdo_profile: bytes | None = None,
    detailed_logging: bool = True,
    backend: Any = None,
) -> Any:
    """Options with which a client compiles.

    Args:
        num_replicas: the number of replicas.
        num_partitions: the number of parts of each.
        device_assignment: numbers of devices, replicas times partitions.
        env_options_overrides: options that only the compiler knows, by name.
        fdo_profile: must be None.
        detailed_logging: accepted.
        backend: accepted.
    """
    if fdo_profile:
        raise NotImplementedError(
            "get_compile_options: profiles (fdo_profile) are not used. Leave them out."
        )
    options = compile_options.CompileOptions()
    options.replica_count = num_replicas
    options.partition_count = num_partitions
    if device_assignment is not None:
        rows = getattr(device_assignment, "tolist", lambda: device_assignment)()
        flat = [d for row in rows for d in (row if isinstance(row, list) else [row])]
        options.device_ids = [int(d) for d in flat]
    options.overrides = dict(env_options_overrides or {})
    return options


def clear_in_memory_compilation_cache() -> None:
    """Forgets compiled programs, so that functions are compiled again when called."""
    caches.clear_all()


def register_backend_cache(cache: Any, for_what: str) -> None:
    """Makes `jax.clear_caches` clear a cache of a library.

    Args:
        cache: an object with ``cache_clear()``.
        for_what: what it holds.
    """
    caches.register(f"compat: {for_what}: {id(cache)}", cache.cache_clear)
