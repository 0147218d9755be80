"""A small problem that every library solves: which of three spirals a point lies on."""

import numpy as np

import jax
import jax.numpy as jnp

CLASSES = 3


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
