"""google-metrax 0.2.4: metrics that are merged."""

import metrax
import numpy as np

import jax.numpy as jnp

m = metrax.Accuracy.from_model_output(
    predictions=jnp.array([1, 0, 1]), labels=jnp.array([1, 1, 1])
)
print(np.round(m.compute(), 4))
r = metrax.MSE.from_model_output(
    predictions=jnp.array([1.0, 2.0]), labels=jnp.array([1.0, 4.0])
)
print(float(r.merge(r).compute()))
print(
    float(
        metrax.RMSE.from_model_output(
            predictions=jnp.array([1.0, 2.0]), labels=jnp.array([1.0, 4.0])
        ).compute()
    )
)

# Upstream prints:
#   0.6667
#   2.0
#   1.4142135381698608
