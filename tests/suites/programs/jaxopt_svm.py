"""jaxopt 0.8.5: ridge regression, lasso, a quadratic program and a root."""

import jaxopt
import numpy as np

import jax
import jax.numpy as jnp

rng = np.random.RandomState(0)
X = jnp.array(rng.randn(30, 4), jnp.float32)
y = X @ jnp.array([1.0, -2.0, 0.0, 0.5]) + 0.01 * rng.randn(30).astype("f4")


def ridge(w, reg):
    return jnp.mean((X @ w - y) ** 2) + reg * jnp.sum(w**2)


solver = jaxopt.LBFGS(fun=ridge, maxiter=50)
print(solver.run(jnp.zeros(4), reg=0.1).params)
print(jax.jacobian(lambda r: solver.run(jnp.zeros(4), reg=r).params)(0.1))
pg = jaxopt.ProximalGradient(
    fun=lambda w: jnp.mean((X @ w - y) ** 2), prox=jaxopt.prox.prox_lasso, maxiter=200
)
print(pg.run(jnp.zeros(4), hyperparams_prox=0.5).params)
qp = jaxopt.OSQP()
sol = qp.run(
    params_obj=(2 * jnp.eye(2), jnp.array([-2.0, -5.0])),
    params_ineq=(jnp.array([[1.0, 2.0]]), jnp.array([3.0])),
).params
print(sol.primal)
print(jaxopt.projection.projection_simplex(jnp.array([0.5, 1.0, -1.0])))
bis = jaxopt.Bisection(lambda x, a: x**3 - a, 0.0, 3.0)
print(
    bis.run(a=2.0).params,
    jaxopt.loss.multiclass_logistic_loss(1, jnp.array([0.1, 0.2, 0.3])),
)

# Upstream prints:
#   [ 0.96650815 -1.8421177  -0.05582354  0.45277536]
#   [-0.38210696  1.4119675  -0.39659774 -0.420873  ]
#   [ 0.8871124  -1.8098505  -0.          0.23820895]
#   [0.39993903 1.2997369 ]
#   [0.25 0.75 0.  ]
#   1.2599201 1.1019429
