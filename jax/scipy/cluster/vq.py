"""Vector quantisation. A door."""

from jax._src.scipy.vector_quantization import vq as vq
