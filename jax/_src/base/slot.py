"""A function that a higher layer supplies to a lower one."""

import importlib
from collections.abc import Callable
from typing import Any


class Slot:
    """A function that a higher layer supplies.

    With `module`, that is imported at the first call, and has the function under the name
    `attribute`.
    """

    __slots__ = ("attribute", "fill_from", "function", "module", "name")

    def __init__(
        self, name: str, fill_from: str, module: str = "", attribute: str = ""
    ):
        self.name = name
        self.fill_from = fill_from
        self.module = module
        self.attribute = attribute
        self.function: Callable[..., Any] = self._not_filled

    def _not_filled(self, *args, **kwargs):
        if self.module:
            found = getattr(importlib.import_module(self.module), self.attribute)
            return self.fill(found)(*args, **kwargs)
        raise NotImplementedError(
            f"{self.name} is supplied by jax._src.{self.fill_from}, which is not imported."
        )

    def fill(self, function: Callable) -> Callable:
        """Supplies the function; usable as a decorator."""
        self.function = function
        return function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)
