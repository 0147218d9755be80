"""Tells the native call path how the front end keeps its trace and configuration."""

from typing import Any

from jax._src.base import caches, config, options, traceback_filter
from jax._src.core import state
from jax._src.lib import fastpath
from jax._src.runtime import transfers


def _key() -> tuple:
    """What tells calls apart: transfers are watched in Python, call by call."""
    watched = transfers.key()
    key = config.config.trace_key()
    return key if watched is None else (key, watched)


def _key_of_overrides(overrides: Any) -> tuple[Any, bool]:
    # The overrides asked for are always those of this context.
    return _key(), options.enable_x64.value


def _refresh() -> None:
    """Tells the process-wide values. Overrides of this context do not count here."""
    token = config._overrides.set(None)
    try:
        key, wide = _key(), options.enable_x64.value
    finally:
        config._overrides.reset(token)
    fastpath.set_process_config(key, wide)


def install() -> None:
    """Connects both; called once, when the runtime is imported."""
    fastpath.install_context(state._trace, config._overrides, _key_of_overrides)
    config.config.on_change(_refresh)
    _refresh()
    fastpath.set_error_filter(traceback_filter.hide)
    caches.register("fastpath", fastpath.clear_all_caches)


install()
