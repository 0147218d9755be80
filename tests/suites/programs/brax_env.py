"""brax 0.14.2: a policy network and running statistics."""

from brax.training import distribution, networks
from brax.training.acme import running_statistics

import jax
import jax.numpy as jnp

net = networks.make_policy_network(4, 6, hidden_layer_sizes=(8,))
params = net.init(jax.random.PRNGKey(0))
print(net.apply(None, params, jnp.ones(6)))
d = distribution.NormalTanhDistribution(2)
print(d.sample(jnp.array([0.1, 0.2, 0.3, 0.4]), jax.random.PRNGKey(1)))
s = running_statistics.init_state(jnp.zeros(2))
s = running_statistics.update(s, jnp.arange(8.0).reshape(4, 2))
print(s.mean, s.std)

# Upstream prints:
#   Failed to import warp: No module named 'warp'
#   Failed to import mujoco_warp: No module named 'warp'
#   [ 0.11390183  0.5852851   1.1750818  -0.26625556]
#   [-0.03208764  0.27051902]
#   [3. 4.] [2.236068 2.236068]
