"""spexial 0.2.2: special functions that SciPy has."""

import numpy as np
import spexial as s

import jax
import jax.numpy as jnp

x = jnp.array([0.5, 1.5, 3.0])
print(np.round(s.K0(x), 4).tolist(), np.round(s.K1(x), 4).tolist())
print(np.round(s.gamma(x), 4).tolist(), np.round(s.Li(2, 0.5), 4))
print(np.round(jax.grad(s.k0)(0.7), 4))

# Upstream prints:
#   [0.9243999719619751, 0.21379999816417694, 0.034699998795986176] [1.6563999652862549, 0.2773999869823456, 0.04019999876618385]
#   [1.772499918937683, 0.886199951171875, 2.0] 0.5822
#   -1.0503
