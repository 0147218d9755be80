"""kalman-py 0.1.1: a filter of a point that moves."""

import kalman_py
import numpy as np

import jax
import jax.numpy as jnp

F, Hm = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
k = kalman_py.KalmanFilter(
    F, Hm, 0.01 * np.eye(2), np.array([[0.5]]), np.zeros(2), np.eye(2)
)
zs = jnp.array([[1.0], [2.1], [2.9], [4.2]])
r = k.filter(zs, backend="jax")
print(
    [
        np.round(np.asarray(x), 2).tolist()
        for x in jax.tree.leaves(r)
        if np.ndim(x) == 2
    ][:1]
)

# Upstream prints:
#   [[[0.800000011920929, 0.4000000059604645], [1.8700000047683716, 0.7799999713897705], [2.819999933242798, 0.8600000143051147], [4.0, 0.9800000190734863]]]
