"""traceax 1.0.2: estimates of a trace."""

import lineax as lx
import traceax as tr

import jax
import jax.numpy as jnp

A = jax.random.normal(jax.random.PRNGKey(0), (6, 6))
op = lx.MatrixLinearOperator(A @ A.T)
for est in (
    tr.HutchinsonEstimator(),
    tr.HutchPlusPlusEstimator(),
    tr.XTraceEstimator(),
):
    print(type(est).__name__, est.estimate(jax.random.PRNGKey(1), op, k=4)[0])
print(jnp.trace(A @ A.T))

# Upstream prints:
#   HutchinsonEstimator 28.065222
#   HutchPlusPlusEstimator 51.47983
#   XTraceEstimator 41.238823
#   40.298546
