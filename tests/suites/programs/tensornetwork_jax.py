"""tensornetwork 0.4.6: contracts small networks."""

import numpy as np
import tensornetwork as tn

import jax
import jax.numpy as jnp

tn.set_default_backend("jax")
a = tn.Node(jnp.arange(6.0).reshape(2, 3))
b = tn.Node(jnp.arange(12.0).reshape(3, 4))
a[1] ^ b[0]
print((a @ b).tensor)
nodes = [tn.Node(jnp.ones((2, 2)) * i) for i in range(1, 4)]
nodes[0][1] ^ nodes[1][0]
nodes[1][1] ^ nodes[2][0]
nodes[2][1] ^ nodes[0][0]
print(tn.contractors.greedy(nodes).tensor)
print(tn.ncon([jnp.ones((2, 3)), jnp.ones((3, 2))], [(1, 2), (2, 1)]))
print(
    jax.grad(lambda x: tn.ncon([x, x], [(1, 2), (1, 2)]))(jnp.arange(4.0).reshape(2, 2))
)
mps = tn.FiniteMPS.random([2, 2, 2], [2, 2], dtype=np.float32, backend="numpy")
print(mps.physical_dimensions)

# Upstream prints:
#   [[20. 23. 26. 29.]
#    [56. 68. 80. 92.]]
#   48.0
#   6.0
#   [[0. 2.]
#    [4. 6.]]
#   [2, 2, 2]
