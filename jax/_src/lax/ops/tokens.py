"""Tokens as values: they order effects and hold no data."""

from jax._src.base import traceback_filter
from jax._src.core import avals
from jax._src.core.primitive import BY_TYPES, Trait, Unsupported, declare
from jax._src.lax.ops import emit
from jax._src.lax.ops.messages import type_error


class Token:
    """A token outside of a program.

    Args:
        buf: the array that is there when what comes before the token has happened, or None.
    """

    __slots__ = ("_buf",)

    def __init__(self, buf):
        self._buf = buf

    def block_until_ready(self):
        """Waits until what comes before the token has happened."""
        if self._buf is not None:
            self._buf.block_until_ready()


avals.register_value_type(Token, lambda token: avals.abstract_token)


@declare("create_token", traits=Trait.NOT_DIFFERENTIABLE)
class create_token_p:
    """A token before which nothing has to happen."""

    def types(*xs):
        return avals.abstract_token

    sharding = BY_TYPES

    def impl(*xs):
        return Token(None)

    def lower(ctx, *xs):
        return emit.after_all([])

    batch = Unsupported("a token has no rows")


@declare("after_all", traits=Trait.NOT_DIFFERENTIABLE)
class after_all_p:
    """The token that comes after all others."""

    def types(*tokens):
        return avals.abstract_token

    sharding = BY_TYPES

    def impl(*tokens):
        for token in tokens:
            token.block_until_ready()
        return Token(None)

    def lower(ctx, *tokens):
        return emit.after_all(tokens)

    batch = Unsupported("a token has no rows")


def create_token(_=None):
    """A token, which has no shape or dtype, before which nothing has to happen.

    Args:
        _: not used.

    Raises:
        Nothing: the argument is not used.
    """
    return create_token_p.bind()


def after_all(*operands):
    """The token that comes after all of `operands`, tokens without shape or dtype.

    Args:
        operands: tokens; none of them is needed.

    Raises:
        TypeError: one of them is not a token.
    """
    kinds = [avals.get_aval(x) for x in operands]
    if not all(isinstance(kind, avals.AbstractToken) for kind in kinds):
        raise type_error(
            "lax.after_all: an argument is not a token.",
            [("arguments", ", ".join(kind.str_short() for kind in kinds))],
            "Tokens come from lax.create_token and lax.after_all.",
        )
    return after_all_p.bind(*operands)


traceback_filter.hide_frames(globals())
