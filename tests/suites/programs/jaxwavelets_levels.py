"""jaxwavelets 0.1.13: a wavelet transform and back."""

import jaxwavelets as w
import numpy as np

import jax
import jax.numpy as jnp

x = jnp.sin(jnp.arange(16.0))
a, d = w.dwt(x, "db2")
print(np.round(a[:4], 4).tolist(), np.round(d[:4], 4).tolist())
print(np.round(jnp.abs(w.idwt(a, d, "db2")[:16] - x).max(), 3))
print(np.round(jax.grad(lambda x: (w.dwt(x, "haar")[0] ** 2).sum())(x)[:3], 4).tolist())
print(w.soft_threshold(jnp.array([-2.0, 0.5, 3.0]), 1.0).tolist())

# Upstream prints:
#   [0.29749998450279236, 0.8894999623298645, 0.5116999745368958, -1.3152999877929688] [-0.5152999758720398, 0.5038999915122986, -0.31929999589920044, -0.23819999396800995]
#   0.0
#   [0.8414999842643738, 0.8414999842643738, 1.0504000186920166]
#   [-1.0, 0.0, 2.0]
