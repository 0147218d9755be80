"""Vector quantisation. A door."""

from jax._src.scipy.cluster_vq import vq as vq
