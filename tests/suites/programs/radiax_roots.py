"""radiax 0.1.3: roots of polynomials."""

import numpy as np
import radiax

import jax
import jax.numpy as jnp

print(
    np.sort(
        np.round(np.asarray(radiax.roots(jnp.array([1.0, -6.0, 11.0, -6.0]))).real, 3)
    ).tolist()
)
print(
    np.round(
        jax.jacobian(lambda p: jnp.real(radiax.roots(p)).sum())(
            jnp.array([1.0, -3.0, 2.0])
        ),
        3,
    ).tolist()
)

# Upstream prints:
#   [1.0, 2.0, 3.0]
#   [-3.000000238418579, -1.0, 0.0]
