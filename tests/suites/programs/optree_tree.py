"""optree 0.20.0: trees beside JAX's."""

import optree
from optree.integrations import jax as ojax

import jax.numpy as jnp

tree = {"b": (1, [2, 3]), "a": None, "c": jnp.ones(2)}
leaves, treedef = optree.tree_flatten(tree)
print(leaves, treedef, treedef.num_leaves)
print(optree.tree_map(lambda x: x * 2, tree))
flat, unravel = ojax.ravel_pytree({"a": jnp.arange(3.0), "b": jnp.ones((2, 2))})
print(flat, unravel(flat * 2))
print(
    optree.tree_paths(tree),
    optree.tree_transpose_map(lambda x: (x, x), {"p": 1, "q": 2}),
)

# Upstream prints:
#   [1, 2, 3, Array([1., 1.], dtype=float32)] PyTreeSpec({'a': None, 'b': (*, [*, *]), 'c': *}) 4
#   {'b': (2, [4, 6]), 'a': None, 'c': Array([2., 2.], dtype=float32)}
#   [0. 1. 2. 1. 1. 1. 1.] {'a': Array([0., 2., 4.], dtype=float32), 'b': Array([[2., 2.],
#          [2., 2.]], dtype=float32)}
#   [('b', 0), ('b', 1, 0), ('b', 1, 1), ('c',)] ({'p': 1, 'q': 2}, {'p': 1, 'q': 2})
