"""Where a call of a jitted function inside of another program becomes part of it: `jit(inline=)`."""

import enum
from typing import Any

from jax._src.base import errors, releases


class Inline(enum.Enum):
    """When a call of a jitted function becomes part of the program that calls it."""

    # While tracing: the call leaves no equation.
    JAX_EARLY = "jax_early"
    # While lowering: the call is an equation, and the module has no function for it.
    JAX_LATE = "jax_late"
    # Before or after the compiler's other passes.
    XLA_EARLY = "xla_early"
    XLA_LATE = "xla_late"
    # As the compiler likes.
    AUTO = "auto"


_IS_KIND = releases.rule("jit_keeps_a_kind_of_inlining")

# The parameter of the primitive `jit` where nothing was said.
DEFAULT: Any = Inline.AUTO if _IS_KIND else False


def parameter(inline: Any) -> Any:
    """The parameter of the primitive `jit` for the argument `inline` of a user.

    Before 0.12 a truth value stays what it is; from then on it is a kind.

    Raises:
        ValueError: it is neither a truth value nor a kind.
    """
    if isinstance(inline, Inline):
        if _IS_KIND:
            return inline
        return {Inline.JAX_EARLY: True, Inline.AUTO: False}.get(inline, inline)
    if not _IS_KIND:
        return bool(inline)
    if not isinstance(inline, bool):
        raise errors.value_error(
            f"Invalid inline option: {inline!r}",
            [],
            "jit(inline=) takes a bool or a jax.Inline.",
        )
    return Inline.JAX_LATE if inline else Inline.AUTO


def is_early(parameter: Any) -> bool:
    """Whether the call leaves no equation."""
    return parameter is True or parameter is Inline.JAX_EARLY
