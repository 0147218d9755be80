"""numpyro 0.22.0: fits a line by variational inference."""

import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

import jax
import jax.numpy as jnp

x = jnp.linspace(-1.0, 1.0, 20)
y = 2.0 * x + 0.5


def model(x, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 3.0))
    offset = numpyro.sample("offset", dist.Normal(0.0, 3.0))
    with numpyro.plate("points", len(x)):
        numpyro.sample("y", dist.Normal(slope * x + offset, 0.1), obs=y)


guide = AutoNormal(model)
svi = SVI(model, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
result = svi.run(jax.random.PRNGKey(0), 500, x, y, progress_bar=False)
median = guide.median(result.params)
print(round(float(median["slope"]), 2), round(float(median["offset"]), 2))
draws = Predictive(guide, params=result.params, num_samples=4)(jax.random.PRNGKey(1))
print({name: value.shape for name, value in sorted(draws.items())})
prior = Predictive(model, num_samples=3)(jax.random.PRNGKey(2), x)
print(prior["slope"], prior["y"].shape)

# Upstream prints:
#   1.99 0.5
#   {'offset': (4,), 'slope': (4,)}
#   [ 3.3051832  1.0614413 -0.2603647] (3, 20)
