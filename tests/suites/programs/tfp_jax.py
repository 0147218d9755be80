"""tfp-nightly 0.26.0.dev20261027: distributions, bijectors, HMC and solvers."""

from tensorflow_probability.substrates import jax as tfp

import jax
import jax.numpy as jnp

tfd, tfb = tfp.distributions, tfp.bijectors
d = tfd.Normal(0.0, jnp.array([1.0, 2.0]))
print(d.sample(seed=jax.random.PRNGKey(0)), d.log_prob(0.5), d)
joint = tfd.JointDistributionSequential(
    [tfd.Gamma(2.0, 1.0), lambda s: tfd.Independent(tfd.Normal(jnp.zeros(3), s), 1)]
)
s = joint.sample(seed=jax.random.PRNGKey(1))
print(s, joint.log_prob(s))
print(tfb.Chain([tfb.Exp(), tfb.Scale(2.0)]).forward_log_det_jacobian(0.3, 0))
print(
    jax.grad(lambda c: tfd.Beta(c, 2.0).log_prob(0.3))(1.5),
    tfd.VonMises(0.0, 2.0).entropy(),
)
kernel = tfp.mcmc.HamiltonianMonteCarlo(
    lambda x: -0.5 * x**2, step_size=0.1, num_leapfrog_steps=3
)
samples = tfp.mcmc.sample_chain(
    5, 1.0, kernel=kernel, trace_fn=None, seed=jax.random.PRNGKey(2)
)
print(samples)
gp = tfd.GaussianProcess(
    tfp.math.psd_kernels.ExponentiatedQuadratic(), jnp.linspace(0.0, 1.0, 4)[:, None]
)
print(gp.log_prob(jnp.ones(4)))
print(
    tfp.math.ode.BDF()
    .solve(lambda t, y: -y, 0.0, 1.0, solution_times=jnp.array([1.0]))
    .states
)
print(
    tfp.optimizer.lbfgs_minimize(
        jax.value_and_grad(lambda x: jnp.sum((x - 1) ** 2)), jnp.zeros(2)
    ).position
)

# Upstream prints:
#   [1.6226422 4.0505295] [-1.0439385 -1.6433357] tfp.distributions.Normal("Normal", batch_shape=[2], event_shape=[], dtype=float32)
#   [Array(0.7724836, dtype=float32), Array([ 0.9866381, -0.510926 ,  1.0349361], dtype=float32)] -4.9448633
#   1.2931472
#   -0.13730657 1.2663212
#   [ 0.92235404  0.4984479   0.23736615  0.00170689 -0.16143842]
#   1.1599803
#   [0.36894447]
#   [1. 1.]
