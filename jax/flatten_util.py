"""A tree of arrays as one vector."""

from jax._src.flatten_util import ravel_pytree as ravel_pytree
