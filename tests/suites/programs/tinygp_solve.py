"""tinygp 0.3.1: the likelihood of a Gaussian process and its slope."""

import tinygp

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
x = jnp.linspace(0, 5, 15)
y = jnp.sin(x)


def build(theta):
    kernel = jnp.exp(theta["amp"]) * tinygp.kernels.Matern32(jnp.exp(theta["scale"]))
    return tinygp.GaussianProcess(kernel, x, diag=0.01, mean=theta["mean"])


@jax.jit
def loss(theta):
    return -build(theta).log_probability(y)


theta = {"amp": 0.1, "scale": 0.2, "mean": 0.0}
print(loss(theta), jax.grad(loss)(theta))
_, cond = build(theta).condition(y, jnp.array([0.55, 2.2]))
print(cond.loc, cond.variance)
fast = tinygp.GaussianProcess(
    tinygp.kernels.quasisep.SHO(omega=1.5, quality=2.0), x, diag=0.1
)
print(fast.log_probability(y), fast.sample(jax.random.PRNGKey(0)).shape)

# Upstream prints:
#   2.702135109239407 {'amp': Array(5.17566733, dtype=float64, weak_type=True), 'mean': Array(0.26907779, dtype=float64, weak_type=True), 'scale': Array(-10.76544619, dtype=float64, weak_type=True)}
#   [0.52076673 0.80635683] [0.01271529 0.00946997]
#   -7.100810550538126 (15,)
