"""nornax 0.0.1: energy of bodies."""

import nornax
import numpy as np

import jax
import jax.numpy as jnp

x = jnp.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 2.0, 0]])
m = jnp.array([1.0, 2.0, 3.0])
print(np.round(nornax.gravitational_potential_energy(x, m), 4))
print(
    np.round(
        jax.grad(lambda x: nornax.gravitational_potential_energy(x, m))(x), 3
    ).tolist()
)
p = nornax.sample_plummer_sphere(jax.random.key(0), 4)
print(jax.tree.map(lambda v: np.round(v, 3).tolist(), jax.tree.leaves(p))[0])

# Upstream prints:
#   -6.1833
#   [[nan, nan, nan], [nan, nan, nan], [nan, nan, nan]]
#   [[0.6070000529289246, 0.06200000271201134, 0.6200000047683716], [1.2630000114440918, -2.052000045776367, -0.06700000166893005], [-0.25300002098083496, 0.3050000071525574, 1.0099999904632568], [2.367000102996826, 0.44600000977516174, -3.5470001697540283]]
