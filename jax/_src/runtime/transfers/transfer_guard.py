"""Transfers between the host and devices, watched where `jax_transfer_guard` says so.

A transfer is explicit when the user asks for it (`jax.device_put`), and implicit when a
call only needs it: a NumPy array or a Python number as an operand. Reading an array of a
CPU copies nothing, and is not watched.
"""

import logging
from collections.abc import Iterable
from typing import Any

from jax._src.base import config, errors, options
from jax._src.core import avals
from jax._src.lib import client

_logger = logging.getLogger("jax.transfers")

TO_DEVICE = "host-to-device"
BETWEEN_DEVICES = "device-to-device"
_OPTIONS = {
    TO_DEVICE: options.transfer_guard_host_to_device,
    BETWEEN_DEVICES: options.transfer_guard_device_to_device,
}


@config.of_options
def key() -> tuple | None:
    """What the native call path must know apart; None where nothing is watched."""
    levels = tuple(_level(direction) for direction in _OPTIONS)
    return None if set(levels) == {"allow"} else levels


def _level(direction):
    return _OPTIONS[direction].value or options.transfer_guard.value or "allow"


def check(direction: str, value: Any, target: Any, *, is_explicit: bool) -> None:
    """Says that a value is about to move.

    Raises:
        JaxRuntimeError: that is disallowed here.
    """
    level = _level(direction)
    if level == "allow" or (is_explicit and not level.endswith("explicit")):
        return
    facts = [
        ("value", avals.get_aval(value).str_short()),
        ("to", str(target)),
        ("requested", "explicitly" if is_explicit else "by a call that needs it"),
    ]
    if level.startswith("log"):
        _logger.warning(errors.explain(f"A {direction} transfer.", facts))
        return
    raise errors.JaxRuntimeError(
        errors.explain(
            f"INVALID_ARGUMENT: Disallowed {direction} transfer.",
            facts,
            f"jax_transfer_guard is {level!r} here.",
            "If it is wanted: jax.device_put(x), or with jax.transfer_guard('allow'):.",
        )
    )


def check_operands(leaves: Iterable[Any], sharding: Any) -> None:
    """Checks the transfers that a call of a compiled program needs."""
    if key() is None:
        return
    for leaf in leaves:
        direction = _direction(leaf, sharding)
        if direction is not None:
            check(direction, leaf, sharding, is_explicit=False)


def is_watched(leaves: Iterable[Any], sharding: Any) -> bool:
    """Whether a call needs transfers that must be checked each time."""
    return key() is not None and any(_direction(x, sharding) for x in leaves)


def _direction(leaf, sharding):
    if not isinstance(leaf, client.Array):
        return TO_DEVICE
    return None if leaf.sharding.device_set == sharding.device_set else BETWEEN_DEVICES
