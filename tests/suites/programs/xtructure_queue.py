"""xtructure 0.1.1: a dataclass of arrays with a table."""

from xtructure import FieldDescriptor, xtructure_dataclass

import jax.numpy as jnp


@xtructure_dataclass
class Point:
    x: FieldDescriptor(jnp.uint32)
    y: FieldDescriptor(jnp.float32, (2,))


p = Point.default((3,))
print(p.x.shape, p.y.shape, p.y.dtype)

# Upstream prints:
#   (3,) (3, 2) float32
