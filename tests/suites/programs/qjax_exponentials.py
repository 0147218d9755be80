"""qjax 0.2.0: deformed exponentials and divergences."""

import numpy as np
import qjax

import jax
import jax.numpy as jnp

x = jnp.array([0.1, 0.5, 1.0])
print(
    np.round(qjax.q_exp(x, 1.5), 4).tolist(), np.round(qjax.q_log(x, 0.7), 4).tolist()
)
print(
    np.round(qjax.q_gaussian_pdf(x, 1.3), 4).tolist(),
    np.round(jax.grad(lambda v: qjax.q_exp(v, 1.2))(0.3), 4),
)
p = jnp.array([0.2, 0.8])
print(np.round(qjax.tsallis_divergence(p, p[::-1], 1.4), 4))

# Upstream prints:
#   [1.1079999208450317, 1.7777999639511108, 4.0] [-1.6626999378204346, -0.6258000135421753, 0.0]
#   [0.49289998412132263, 0.3911999762058258, 0.20759999752044678] 1.4495
#   1.2694
