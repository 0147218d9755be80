"""distreqx 0.0.3: distributions as modules."""

import equinox as eqx
from distreqx import bijectors, distributions

import jax
import jax.numpy as jnp

d = distributions.MultivariateNormalDiag(jnp.array([0.0, 1.0]), jnp.array([0.5, 2.0]))
x = eqx.filter_jit(d.sample)(jax.random.key(0))
print(x, d.log_prob(x), d.entropy(), d.mean())
t = distributions.Transformed(
    distributions.Normal(jnp.array(0.0), jnp.array(1.0)),
    bijectors.Tanh() if hasattr(bijectors, "Tanh") else bijectors.Sigmoid(),
)
print(
    t.log_prob(jnp.array(0.3)),
    distributions.Categorical(logits=jnp.arange(3.0)).sample(jax.random.key(1)),
)

# Upstream prints:
#   [0.8113211 5.0505295] -5.2052093 2.837877 [0. 1.]
#   -0.87252915 2
