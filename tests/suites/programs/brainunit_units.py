"""brainunit 0.6.0: physical units."""

import brainunit as u

import jax
import jax.numpy as jnp

v = jnp.array([1.0, 2.0]) * u.mV
i = 3.0 * u.nA
print(v / i, v * i, u.math.sum(v), v.unit)
print(jax.jit(lambda a: a**2)(v), jax.vmap(lambda a: a + 1 * u.mV)(v))
print(u.autograd.grad(lambda t: t**2)(3.0 * u.second))
try:
    v + i
except Exception as e:
    print(type(e).__name__)

# Upstream prints:
#   [0.33333334 0.66666669] Mohm [3. 6.] pW 3. mV mV
#   [1. 4.] mV^2 [2. 3.] mV
#   6. s
#   UnitMismatchError
