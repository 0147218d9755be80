"""optimistix 0.1.0: least squares, roots, fixed points and minima."""

import optimistix as optx

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
x = jnp.linspace(0.0, 1.0, 12)
y = 2.0 * jnp.exp(-1.5 * x) + 0.3


def residual(p, args):
    a, k, c = p
    return a * jnp.exp(-k * args[0]) + c - args[1]


start = (jnp.array(1.0), jnp.array(1.0), jnp.array(0.0))
sol = optx.least_squares(
    residual, optx.LevenbergMarquardt(rtol=1e-8, atol=1e-8), start, args=(x, y)
)
print(sol.value, sol.stats["num_steps"], sol.result == optx.RESULTS.successful)
root = optx.root_find(
    lambda z, a: z**3 - a, optx.Newton(rtol=1e-10, atol=1e-10), jnp.array(1.0), args=2.0
)
print(root.value)
fixed = lambda a: (
    optx.fixed_point(
        lambda z, a: 0.5 * jnp.tanh(a * z) + a,
        optx.FixedPointIteration(1e-10, 1e-10),
        jnp.array(0.2),
        args=a,
    ).value
)
print(fixed(0.4), jax.grad(fixed)(0.4))
best = optx.minimise(
    lambda z, _: jnp.sum((z - jnp.arange(3.0)) ** 2),
    optx.BFGS(rtol=1e-6, atol=1e-6),
    jnp.ones(3) * 5,
)
print(best.value.round(4))

# Upstream prints:
#   (Array(2., dtype=float64), Array(1.5, dtype=float64), Array(0.3, dtype=float64)) 10 True
#   1.2599210498948732
#   0.498375347991443 1.5345755872761413
#   [0. 1. 2.]
