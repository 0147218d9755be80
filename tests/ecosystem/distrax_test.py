"""Distrax on our package: distributions, a flow that learns, a hidden Markov model."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.stats

import jax
import jax.numpy as jnp

with warnings.catch_warnings():
    # TensorFlow Probability, which it uses, reads a name of `jax.core` that is to go.
    warnings.simplefilter("ignore", DeprecationWarning)
    import distrax


def test_samples_are_upstreams():
    normal = distrax.Normal(0.0, 1.0)
    drawn = normal.sample(seed=jax.random.key(0), sample_shape=3)
    # Of JAX 0.10.2.
    np.testing.assert_allclose(drawn, [1.6226422, 2.0252647, -0.43359444], rtol=1e-6)
    assert jax.jit(lambda law, x: law.log_prob(x))(normal, 0.5) == normal.log_prob(0.5)


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (distrax.Gamma(2.0, 3.0), scipy.stats.gamma(2, scale=1 / 3)),
        (distrax.Laplace(1.0, 2.0), scipy.stats.laplace(1, 2)),
        (distrax.Logistic(1.0, 2.0), scipy.stats.logistic(1, 2)),
        (distrax.Beta(2.0, 3.0), scipy.stats.beta(2, 3)),
        (distrax.LogStddevNormal(1.0, 0.5), scipy.stats.norm(1, np.exp(0.5))),
    ],
    ids=lambda law: type(law).__name__,
)
def test_densities_are_scipys(law, expected):
    x, found = law.sample_and_log_prob(seed=jax.random.key(0), sample_shape=20)
    np.testing.assert_allclose(found, expected.logpdf(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(law.entropy(), expected.entropy(), rtol=1e-5)


def flow(params):
    def conditioner(x):
        return (jnp.tanh(x @ params["in"]) @ params["out"]).reshape(*x.shape, 13)

    coupling = distrax.MaskedCoupling(
        mask=jnp.array([True, False]),
        bijector=lambda knots: distrax.RationalQuadraticSpline(knots, -4.0, 4.0),
        conditioner=conditioner,
    )
    affine = distrax.ScalarAffine(params["shift"], params["scale"])
    return distrax.Transformed(
        distrax.MultivariateNormalDiag(jnp.zeros(2), jnp.ones(2)),
        distrax.Chain([distrax.Block(affine, 1), coupling]),
    )


def test_a_flow_learns_as_upstreams_does():
    first, second, third = jax.random.split(jax.random.key(1), 3)
    params = {
        "shift": jnp.zeros(2),
        "scale": jnp.ones(2),
        "in": jax.random.normal(first, (2, 8)),
        "out": 0.1 * jax.random.normal(second, (8, 26)),
    }
    points = jax.random.normal(third, (64, 2)) * jnp.array([0.5, 2.0]) + 1

    @jax.jit
    def step(params):
        loss, grads = jax.value_and_grad(lambda p: -flow(p).log_prob(points).mean())(
            params
        )
        return jax.tree.map(lambda x, g: x - 0.05 * g, params, grads), loss

    losses = []
    for _ in range(20):
        params, loss = step(params)
        losses.append(float(loss))
    # Of JAX 0.10.2.
    expected = [4.2971125, 3.8598828, 3.5381770, 3.0297790]
    np.testing.assert_allclose([losses[i] for i in (0, 1, 5, 19)], expected, rtol=1e-5)
    x, density = flow(params).sample_and_log_prob(seed=first, sample_shape=5)
    np.testing.assert_allclose(flow(params).log_prob(x), density, rtol=1e-3, atol=1e-3)


# Its Viterbi algorithm asks for int64.
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype int64")
def test_a_hidden_markov_model_agrees_with_all_its_paths():
    start, move = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])
    seen = np.array([-1.2, -0.8, 0.9, 1.1, 1.0], np.float32)
    model = distrax.HMM(
        init_dist=distrax.Categorical(probs=start.astype(np.float32)),
        trans_dist=distrax.Categorical(probs=move.astype(np.float32)),
        obs_dist=distrax.Normal(jnp.array([-1.0, 1.0]), jnp.array([1.0, 0.5])),
    )
    shown = scipy.stats.norm([-1.0, 1.0], [1.0, 0.5]).pdf(seen[:, None])
    weights = {}
    for path in itertools.product((0, 1), repeat=5):
        chance = start[path[0]] * np.prod([move[p] for p in itertools.pairwise(path)])
        weights[path] = chance * np.prod(shown[range(5), path])
    _, _, states, likelihood = jax.jit(model.forward_backward)(seen)
    total = sum(weights.values())
    np.testing.assert_allclose(likelihood, np.log(total), rtol=1e-5)
    second = [sum(w for p, w in weights.items() if p[i]) / total for i in range(5)]
    np.testing.assert_allclose(states[:, 1], second, rtol=1e-4, atol=1e-6)
    assert tuple(model.viterbi(seen)) == max(weights, key=weights.get)
