"""NumPyro on our package: a model is sampled, fitted, predicted from and looked into."""

import numpy as np
import numpyro
import numpyro.distributions as dist
import pytest
import scipy.stats
from numpyro import infer
from numpyro.ops import provenance

import jax
import jax.numpy as jnp
from tests.ecosystem import data

POINTS, VALUES = data.regression()


def model(points, values=None):
    weights = numpyro.sample("weights", dist.Normal(0, 1).expand([3]).to_event(1))
    with numpyro.plate("points", len(points)):
        numpyro.sample("values", dist.Normal(points @ weights, data.NOISE), obs=values)


def test_nuts_finds_the_posterior():
    mcmc = infer.MCMC(
        infer.NUTS(model),
        num_warmup=200,
        num_samples=500,
        num_chains=2,
        chain_method="vectorized",
        progress_bar=False,
    )
    mcmc.run(jax.random.key(0), POINTS, VALUES)
    data.check_posterior(mcmc.get_samples()["weights"])
    chains = mcmc.get_samples(group_by_chain=True)
    found = numpyro.diagnostics.summary(chains)["weights"]
    assert np.all(found["r_hat"] < 1.05)


def test_a_guide_is_fitted_as_upstream_fits_it():
    guide = infer.autoguide.AutoNormal(model)
    svi = infer.SVI(model, guide, numpyro.optim.Adam(0.05), infer.Trace_ELBO())
    result = svi.run(jax.random.key(1), 600, POINTS, VALUES, progress_bar=False)
    # Of JAX 0.10.2.
    expected = [726.98053, 701.13446, 695.96533, 514.20337, 429.49075]
    losses = result.losses[jnp.array([0, 1, 2, 5, 10])]
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    mean, deviation = data.posterior()
    np.testing.assert_allclose(result.params["weights_auto_loc"], mean, atol=0.06)
    scale = result.params["weights_auto_scale"]
    np.testing.assert_allclose(scale, deviation, rtol=0.3)


def test_predictions_and_likelihoods_follow_samples():
    samples = {"weights": jnp.stack([jnp.zeros(3), jnp.ones(3)])}
    drawn = infer.Predictive(model, samples)(jax.random.key(3), POINTS)["values"]
    assert drawn.shape == (2, 60)
    found = infer.log_likelihood(model, samples, POINTS, VALUES)["values"]
    expected = scipy.stats.norm(POINTS.sum(1), data.NOISE).logpdf(VALUES)
    np.testing.assert_allclose(found[1], expected, rtol=1e-5, atol=1e-5)


def test_handlers_trace_and_condition():
    seeded = numpyro.handlers.seed(model, jax.random.key(5))
    trace = numpyro.handlers.trace(seeded).get_trace(POINTS[:2])
    # Of JAX 0.10.2.
    expected = [-1.37987, -0.74144024, -1.2141399]
    np.testing.assert_allclose(trace["weights"]["value"], expected, rtol=1e-5)
    fixed = numpyro.handlers.condition(seeded, {"weights": jnp.ones(3)})
    density, _ = infer.util.log_density(fixed, (POINTS, VALUES), {}, {})
    expected = scipy.stats.norm(POINTS.sum(1), data.NOISE).logpdf(VALUES).sum()
    expected += scipy.stats.norm.logpdf(np.ones(3)).sum()
    np.testing.assert_allclose(density, expected, rtol=1e-5)


def test_programs_are_read_for_what_depends_on_what():
    found = provenance.eval_provenance(
        lambda x, y, z: jax.jit(jnp.add)(x, y), x=1.0, y=2.0, z=3.0
    )
    assert found == {"x", "y"}


# One of them asks for float64 to be as exact as it can.
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype float64")
@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (dist.StudentT(3.0), scipy.stats.t(3)),
        (dist.Gamma(2.0, 3.0), scipy.stats.gamma(2, scale=1 / 3)),
        (dist.Beta(2.0, 3.0), scipy.stats.beta(2, 3)),
        (dist.Gumbel(0.0, 2.0), scipy.stats.gumbel_r(0, 2)),
        (dist.InverseGamma(3.0, 2.0), scipy.stats.invgamma(3, scale=2)),
        (dist.VonMises(0.3, 2.0), scipy.stats.vonmises(2, 0.3)),
    ],
    ids=lambda law: type(law).__name__,
)
def test_densities_are_scipys(law, expected):
    x = law.sample(jax.random.key(0), (20,))
    np.testing.assert_allclose(
        jax.jit(law.log_prob)(x), expected.logpdf(x), rtol=2e-4, atol=2e-5
    )
