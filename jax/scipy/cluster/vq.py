"""Vector quantisation."""

from jax._src.scipy.cluster_vq import vq as vq
