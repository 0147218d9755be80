"""torchquad 0.6.0: rules of integration on arrays."""

import numpy as np
from torchquad import Simpson

import jax.numpy as jnp

out = Simpson().integrate(
    lambda x: jnp.sin(x[:, 0]),
    dim=1,
    N=101,
    integration_domain=jnp.array([[0.0, 1.0]]),
    backend="jax",
)
print(np.round(float(out), 4))

# Upstream prints:
#   0.4597
