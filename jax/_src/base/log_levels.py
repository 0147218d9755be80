"""Which log lines of jax are shown: `jax_logging_level` and `jax_debug_log_modules`.

A level shows the lines of the loggers ``jax`` and ``jaxlib`` from it on, with their time and
logger, on standard error; a module shows all of its own. Without either, the loggers are as
the program sets them up.
"""

import logging
import sys
from typing import TextIO

from jax._src.base import options

_ROOTS = ("jax", "jaxlib")
_FORMAT = "{levelname}:{asctime},{msecs:03.0f}:{name}:{lineno}: {message}"


class _StandardError(logging.StreamHandler):
    """Writes to what is `sys.stderr` when a line is written."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter(_FORMAT, "%Y-%m-%d %H:%M:%S", style="{"))

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        return sys.stderr


_handler = _StandardError()
# Loggers that were given a level here, with the one that they had.
_changed: dict[str, int] = {}


def _names(modules: str) -> list[str]:
    return [name.strip() for name in modules.split(",") if name.strip()]


def _apply(level: str | None, modules: str | None) -> None:
    for name, before in _changed.items():
        logger = logging.getLogger(name)
        logger.setLevel(before)
        logger.removeHandler(_handler)
    _changed.clear()
    wanted = {} if level in (None, "NOTSET") else dict.fromkeys(_ROOTS, level)
    for name in _names(modules or ""):
        wanted.setdefault(name, "DEBUG")
    for name, its_level in wanted.items():
        logger = logging.getLogger(name)
        _changed[name] = logger.level
        logger.setLevel(its_level)
        parents = (name[:i] for i, c in enumerate(name) if c == ".")
        if not any(parent in wanted for parent in parents):
            logger.addHandler(_handler)


def _set_level(level: str | None) -> None:
    _apply(level, options.debug_log_modules.process_value)


def _set_modules(modules: str | None) -> None:
    _apply(options.logging_level.process_value, modules)


options.logging_level.on_update.append(_set_level)
options.debug_log_modules.on_update.append(_set_modules)
_set_level(options.logging_level.process_value)
