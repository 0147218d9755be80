"""numpyro 0.22.0: samples eight schools with NUTS."""

import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

import jax
import jax.numpy as jnp

numpyro.enable_x64()
J = 8
y = jnp.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
sigma = jnp.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def eight_schools():
    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfCauchy(5))
    with numpyro.plate("J", J):
        theta = numpyro.sample("theta", dist.Normal(mu, tau))
        numpyro.sample("obs", dist.Normal(theta, sigma), obs=y)


mcmc = MCMC(NUTS(eight_schools), num_warmup=10, num_samples=4, progress_bar=False)
mcmc.run(jax.random.PRNGKey(0), extra_fields=("num_steps",))
samples = mcmc.get_samples()
print(samples["mu"], samples["tau"], samples["theta"].shape)
print(mcmc.get_extra_fields()["num_steps"])

# Upstream prints:
#   [ 9.4171075  11.89927351  9.85348978 11.79074321] [3.83372589 2.75210861 5.03842125 4.06807616] (4, 8)
#   [255 127 127 127]
