"""What is wanted of the cotangent of an argument, and what became of it."""

from jax._src import tree
from jax._src.base import records


@records.record
class GradValue:
    """Asks that the cotangent of an argument be returned."""


@records.record
class DontWant:
    """Says that the cotangent of an argument is not needed."""


@records.record
class GradRef:
    """Stands where a cotangent would: it was added to a reference. An empty tree."""


@records.record
class DidntWant:
    """Stands where a cotangent would that was not wanted. An empty tree."""


for _answer in (GradRef, DidntWant):
    tree.register_pytree_node(
        _answer, lambda _: ((), None), lambda _, __, kind=_answer: kind()
    )
