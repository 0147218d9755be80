"""Looking into kernels while they run."""

from typing import Any

from jax._src.base import config
from jax._src.debugging import printing

# Whether `debug_check` checks, and whether memory starts as NaN on TPUs.
enable_debug_checks = config.config.option("jax_pallas_enable_debug_checks")
enable_poison_buffers = config.config.option("jax_pallas_poison_buffers")


def debug_checks_enabled() -> bool:
    """Whether checks inside kernels are requested.

    Raises:
        Nothing.
    """
    return enable_debug_checks.value


def debug_print(fmt: str, *args: Any) -> None:
    """Prints values when the kernel has them.

    Args:
        fmt: a format string as of ``str.format``.
        *args: scalars or arrays.

    Raises:
        TypeError: `fmt` is no string.
    """
    printing.print(fmt, *args, skip_format_check=True)


def debug_check(condition: Any, message: str) -> None:
    """Promises that a condition holds; compiled kernels may check it, interpreted ones do not.

    Args:
        condition: Boolean scalar.
        message: what is wrong where it does not.

    Raises:
        Nothing.
    """
