"""chebax 0.3.0: Bessel functions and their slopes."""

import chebax

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

x = jnp.linspace(0.1, 30.0, 4)
jv = chebax.besselj(2.5)
print(jv(x), jax.vmap(jax.grad(jv))(x))
print(chebax.besselk_fn(1.7, x), jax.grad(chebax.besselk_fn)(1.7, 5.0))

# Upstream prints:
#   [ 1.68088719e-04  2.06131104e-01 -1.73920761e-01  1.41202859e-01] [ 0.00419982  0.13527622 -0.03733791 -0.03903485]
#   [7.37220567e+01 1.90103313e-05 5.95303406e-10 2.23594546e-14] 0.001477999889744546
