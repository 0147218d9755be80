"""jaxbessel 0.2.0: Bessel functions and their slopes."""

import jaxbessel as b
import numpy as np

import jax

print(np.round(b.j0(1.5), 4), np.round(b.j1(1.5), 4), np.round(jax.grad(b.j0)(1.3), 4))

# Upstream prints:
#   0.5118 0.5579 -0.522
