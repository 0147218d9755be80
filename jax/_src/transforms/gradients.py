"""What is wanted of the cotangent of an argument, and what became of it."""

import dataclasses

from jax._src import tree


@dataclasses.dataclass(frozen=True, slots=True)
class GradValue:
    """Asks that the cotangent of an argument be returned."""


@dataclasses.dataclass(frozen=True, slots=True)
class DontWant:
    """Says that the cotangent of an argument is not needed."""


@dataclasses.dataclass(frozen=True, slots=True)
class GradRef:
    """Stands where a cotangent would: it was added to a reference. An empty tree."""


@dataclasses.dataclass(frozen=True, slots=True)
class DidntWant:
    """Stands where a cotangent would that was not wanted. An empty tree."""


for _answer in (GradRef, DidntWant):
    tree.register_pytree_node(
        _answer, lambda _: ((), None), lambda _, __, kind=_answer: kind()
    )
