"""liesel 0.3.3: a graph of a model."""

import liesel.model as lsl
import tensorflow_probability.substrates.jax.distributions as tfd

import jax.numpy as jnp

mu = lsl.Var.new_param(
    jnp.array(0.0), lsl.Dist(tfd.Normal, loc=0.0, scale=10.0), name="mu"
)
y = lsl.Var.new_obs(
    jnp.array([1.0, 2.0, 3.0]), lsl.Dist(tfd.Normal, loc=mu, scale=1.0), name="y"
)
model = lsl.Model([y])
print(model.log_prob, model.log_lik, model.log_prior)
model.vars["mu"].value = 2.0
print(model.log_prob)

# Upstream prints:
#   -12.97834 -9.756816 -3.2215238
#   -6.998339
