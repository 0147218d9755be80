"""gpjax 1.0.0: kernels and their products."""

import gpjax as gpx

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
x = jnp.linspace(-3.0, 3.0, 20)[:, None]
y = jnp.sin(4 * x) + jnp.cos(2 * x)
D = gpx.Dataset(X=x, y=y)
print(
    D.n,
    gpx.kernels.RBF().cross_covariance(x[:2], x[:3]),
    gpx.kernels.Matern52()(x[0], x[1]),
)
print(
    (gpx.kernels.RBF() * gpx.kernels.Linear())(x[0], x[2]),
    gpx.kernels.Periodic()(x[0], x[2]),
)

# Upstream prints:
#   20 [[1.         0.95136118 0.81918447]
#    [0.95136118 1.         0.95136118]] 0.9240933644001137
#   5.820521228486739 0.6574935052627143
