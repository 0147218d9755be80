"""Small problems that every library solves: spirals to distinguish, a posterior to sample."""

import numpy as np

import jax
import jax.numpy as jnp

CLASSES = 3
# The standard deviation of the values of `regression`.
NOISE = 0.5


def spirals(count=150, seed=0):
    """Points `(count, 2)` and their classes `(count,)`."""
    random = np.random.default_rng(seed)
    labels = np.arange(count) % CLASSES
    radius = np.linspace(0.2, 1.0, count)
    angle = 3.0 * radius + 2 * np.pi * labels / CLASSES
    angle += 0.1 * random.standard_normal(count)
    points = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return jnp.asarray(points, jnp.float32), jnp.asarray(labels, jnp.int32)


def loss_of(logits, labels):
    """The mean cross entropy."""
    rows = jax.nn.log_softmax(logits)
    return -jnp.take_along_axis(rows, labels[:, None], axis=1).mean()


def accuracy(logits, labels):
    """The share of points whose class is found."""
    return float((logits.argmax(axis=1) == labels).mean())


def regression():
    """Points `(60, 3)` and noisy values of a linear function: a posterior that is known."""
    random = np.random.default_rng(0)
    points = random.standard_normal((60, 3))
    values = points @ np.array([1.0, -2.0, 0.5]) + NOISE * random.standard_normal(60)
    return points.astype(np.float32), values.astype(np.float32)


def log_density_of(weights):
    """The log density of a normal prior of variance 1 and the values of `regression`, up to a constant."""
    points, values = regression()
    errors = (values - points @ weights) / NOISE
    return -0.5 * jnp.sum(errors**2) - 0.5 * jnp.sum(weights**2)


def posterior():
    """Mean and standard deviations of the weights, exactly."""
    points, values = (x.astype(np.float64) for x in regression())
    covariance = np.linalg.inv(points.T @ points / NOISE**2 + np.eye(3))
    return covariance @ points.T @ values / NOISE**2, np.sqrt(np.diag(covariance))


def check_posterior(samples):
    """Raises AssertionError unless samples `(count, 3)` are those of the posterior."""
    mean, deviation = posterior()
    samples = np.asarray(samples, np.float64)
    np.testing.assert_allclose(samples.mean(0), mean, atol=0.03)
    np.testing.assert_allclose(samples.std(0), deviation, rtol=0.25)
