"""Clustering."""

from jax.scipy.cluster import vq as vq
