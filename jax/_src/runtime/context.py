"""Gives the native call path access to the front end's trace and configuration."""

from typing import Any

from jax._src.base import caches, config, options, traceback_filter
from jax._src.core import state
from jax._src.lib import fastpath
from jax._src.runtime.transfers import transfer_guard


def _key() -> tuple:
    """What distinguishes calls: transfers are watched in Python, call by call."""
    watched = transfer_guard.key()
    key = config.config.trace_key()
    return key if watched is None else (key, watched)


def _flags() -> int:
    """What the native call path must know by itself, as bits.

    1: 64-bit types are kept. 2: functions are called where they would be inlined, so
    that their constants stay inside of programs, where transfers are watched.
    """
    return options.enable_x64.value + 2 * (transfer_guard.key() is not None)


def _key_of_overrides(overrides: Any) -> tuple[Any, int]:
    # The overrides that are looked up are always those of this context.
    return _key(), _flags()


def _refresh() -> None:
    """Sets the process-wide values. Overrides of this context do not count here."""
    token = config._overrides.set(None)
    try:
        key, flags = _key(), _flags()
    finally:
        config._overrides.reset(token)
    fastpath.set_process_config(key, flags)


def install() -> None:
    """Connects both; called once, when the runtime is imported."""
    fastpath.install_context(state._trace, config._overrides, _key_of_overrides)
    config.config.on_change(_refresh)
    _refresh()
    fastpath.set_error_filter(traceback_filter.hide)
    caches.register("fastpath", fastpath.clear_all_caches)


install()
