"""Settings of users on which compiled functions depend."""

import itertools
from typing import Any

from jax._src.base import config

_numbers = itertools.count()


class UserContext:
    """A value for blocks of code, and a part of the key of every compiled function.

    Call it with a value to make a context manager that holds it.
    """

    __slots__ = ("_option",)

    def __init__(self, default_value: Any = None):
        name = f"jax_user_context_{next(_numbers)}"
        self._option = config.anything(
            name, default_value, "a setting of the user's", traced=True
        )

    @property
    def value(self) -> Any:
        """The value here."""
        return self._option.value

    def __call__(self, new_value: Any) -> config.Setting:
        """A context manager under which the value is `new_value`, which is hashable."""
        hash(new_value)
        return self._option(new_value)


def make_user_context(default_value: Any = None) -> UserContext:
    """A new setting on which compiled functions depend.

    A function under `jax.jit` is traced again where the value differs.

    Args:
        default_value: the value outside of every block; hashable.

    Raises:
        TypeError: the value has no hash.

    Examples:
        >>> mode = jax.make_user_context("fast")
        >>> with mode("exact"):
        ...     mode.value
        'exact'
    """
    return UserContext(default_value)
