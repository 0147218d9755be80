"""Node types that the tests of this folder share."""

import collections
import dataclasses
from typing import Any

from jax import tree, tree_util

Point = collections.namedtuple("Point", "x y")


class SubPoint(Point):
    pass


@tree_util.register_pytree_node_class
class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def tree_flatten(self):
        return (self.a, self.b), "aux"

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

    def __eq__(self, other):
        return type(other) is Pair and (self.a, self.b) == (other.a, other.b)


@tree_util.register_pytree_with_keys_class
class Keyed:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def tree_flatten_with_keys(self):
        key = tree_util.GetAttrKey
        return ((key("a"), self.a), (key("b"), self.b)), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)

    def __eq__(self, other):
        return type(other) is Keyed and (self.a, self.b) == (other.a, other.b)


@tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: Any
    bias: Any
    name: str = tree.static(default="layer")


@tree_util.register_static
@dataclasses.dataclass(frozen=True)
class Setting:
    value: Any
