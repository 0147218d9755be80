"""The rules as third-party libraries see them: dictionaries by primitive that are views of one kind.

JAX's users register rules as ``ad.primitive_jvps[p] = f``. A view translates such
functions to and from the signatures in the primitives' own tables.
"""

from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

from jax._src.core import primitive as primitive_lib


class RuleView(MutableMapping):
    """All rules of one kind, by primitive, in the form that third-party libraries write."""

    def __init__(
        self,
        kind: str,
        to_rule: Callable[[Callable], Any] = lambda f: f,
        from_rule: Callable[[primitive_lib.Primitive, Any], Any] = lambda p, rule: rule,
        also: tuple[str, ...] = (),
    ):
        self._kind = kind
        self._to_rule = to_rule
        self._from_rule = from_rule
        # Further kinds of rules from which one in this form can be made.
        self._kinds = (kind, *also)
        self._undeclared: list[primitive_lib.Primitive] = []

    def __getitem__(self, primitive: primitive_lib.Primitive) -> Any:
        found = self._from_rule(primitive, primitive.rules.get(self._kind))
        if found is None or isinstance(found, primitive_lib.Unsupported):
            raise KeyError(primitive)
        return found

    def __setitem__(
        self, primitive: primitive_lib.Primitive, function: Callable
    ) -> None:
        if primitive not in self._undeclared:
            self._undeclared.append(primitive)
        primitive.set_rule(self._kind, self._to_rule(function))

    def __delitem__(self, primitive: primitive_lib.Primitive) -> None:
        del primitive.rules[self._kind]
        primitive.resolved.clear()

    def __iter__(self) -> Iterator[primitive_lib.Primitive]:
        seen = set()
        for primitive in (
            *primitive_lib.declared_primitives().values(),
            *self._undeclared,
        ):
            if primitive not in seen and primitive in self:
                seen.add(primitive)
                yield primitive

    def __contains__(self, primitive: object) -> bool:
        try:
            self[primitive]  # type: ignore[index]
        except (KeyError, NotImplementedError):
            return False
        return True

    def __len__(self) -> int:
        return sum(1 for _ in self)
