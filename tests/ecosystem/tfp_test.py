"""TensorFlow Probability's JAX substrate on our package."""

import warnings

import numpy as np
import pytest
import scipy.stats

import jax
import jax.numpy as jnp
from tests.ecosystem import data

with warnings.catch_warnings():
    # It reads `jax.core.pytype_aval_mappings`, which is to go: we warn as upstream does.
    warnings.simplefilter("ignore", DeprecationWarning)
    import tensorflow_probability.substrates.jax as tfp

# It asks for the shape of None, and for float64: we warn as upstream does.
pytestmark = [
    pytest.mark.filterwarnings("ignore:jnp.shape:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Explicitly requested dtype float64"),
]

tfb, tfd = tfp.bijectors, tfp.distributions
POINTS = np.linspace(-2, 2, 12, dtype=np.float32)[:, None]
WAVE = np.sin(2 * POINTS[:, 0])


def covariance(x, y):
    return 1.3**2 * np.exp(-((x - y.T) ** 2) / (2 * 0.8**2))


def test_gaussian_processes_are_what_linear_algebra_says():
    kernel = tfp.math.psd_kernels.ExponentiatedQuadratic(1.3, 0.8)
    process = tfd.GaussianProcess(kernel, POINTS, observation_noise_variance=0.1)
    matrix = covariance(POINTS, POINTS).astype(np.float64) + 0.1 * np.eye(12)
    expected = scipy.stats.multivariate_normal(np.zeros(12), matrix).logpdf(WAVE)
    np.testing.assert_allclose(process.log_prob(WAVE), expected, rtol=1e-3)
    new = np.array([[0.5]], np.float32)
    regression = tfd.GaussianProcessRegressionModel(
        kernel,
        index_points=new,
        observation_index_points=POINTS,
        observations=WAVE,
        observation_noise_variance=0.1,
    )
    gain = np.linalg.solve(matrix, covariance(POINTS, new))
    np.testing.assert_allclose(regression.mean(), gain.T @ WAVE, rtol=1e-3)


def test_hamiltonian_monte_carlo_finds_the_posterior():
    kernel = tfp.mcmc.HamiltonianMonteCarlo(data.log_density_of, 0.05, 8)

    @jax.jit
    def sample(key):
        return tfp.mcmc.sample_chain(
            800,
            current_state=jnp.zeros(3),
            kernel=kernel,
            num_burnin_steps=100,
            trace_fn=lambda _, results: results.is_accepted,
            seed=key,
        )

    samples, accepted = sample(jax.random.PRNGKey(0))
    data.check_posterior(samples)
    assert 0.8 < accepted.mean() < 1


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (tfd.Gamma(2.0, 3.0), scipy.stats.gamma(2, scale=1 / 3)),
        (tfd.StudentT(3.0, 0.0, 1.0), scipy.stats.t(3)),
        (tfd.Kumaraswamy(1.0, 3.0), scipy.stats.beta(1, 3)),
        (tfd.Weibull(1.5, 2.0), scipy.stats.weibull_min(1.5, scale=2)),
        (tfd.Gumbel(1.0, 2.0), scipy.stats.gumbel_r(1, 2)),
    ],
    ids=lambda law: type(law).__name__,
)
def test_densities_are_scipys(law, expected):
    x = law.sample(20, seed=jax.random.PRNGKey(2))
    np.testing.assert_allclose(
        law.log_prob(x), expected.logpdf(x), rtol=1e-4, atol=1e-5
    )


def test_matrices_and_compositions_have_upstreams_densities():
    # The numbers are of JAX 0.10.2.
    mixture = tfd.Dirichlet(jnp.array([1.0, 2.0, 3.0]))
    drawn = mixture.sample(seed=jax.random.PRNGKey(2))
    np.testing.assert_allclose(drawn, [0.112985, 0.4333566, 0.4536584], rtol=1e-5)
    chain = tfb.Chain([tfb.Exp(), tfb.Scale(2.0)])
    np.testing.assert_allclose(
        chain.inverse_log_det_jacobian(1.7, 0), -np.log(2 * 1.7), rtol=1e-6
    )
    joint = tfd.JointDistributionSequential(
        [tfd.Normal(0.0, 1.0), lambda mean: tfd.Normal(mean, 1.0)]
    )
    expected = scipy.stats.norm.logpdf([0.1, 0.1]).sum()
    np.testing.assert_allclose(joint.log_prob([0.1, 0.2]), expected, rtol=1e-5)


def test_state_space_models_filter():
    trend = tfp.sts.LocalLinearTrend(observed_time_series=WAVE)
    space = trend.make_state_space_model(12, [0.1, 0.1])
    # Of JAX 0.10.2.
    np.testing.assert_allclose(space.log_prob(WAVE[:, None]), -31.73793, rtol=1e-5)


def test_minimizers_and_roots():
    target = jnp.array([1.0, 2.0])
    value_and_grad = jax.value_and_grad(lambda x: jnp.sum((x - target) ** 2))
    found = tfp.optimizer.lbfgs_minimize(value_and_grad, jnp.zeros(2))
    np.testing.assert_allclose(found.position, target, rtol=1e-5)
    root = tfp.math.find_root_chandrupatla(lambda x: x**3 - 2.0, 0.0, 3.0)
    np.testing.assert_allclose(root.estimated_root, 2 ** (1 / 3), rtol=1e-5)


def test_variables_of_the_library_are_operands():
    variable = tfp.tf2jax.Variable(np.ones(3, np.float32))
    np.testing.assert_array_equal(jax.jit(lambda x: x + 1)(variable), 2 * np.ones(3))
    assert jax.device_put(variable).dtype == jnp.float32
