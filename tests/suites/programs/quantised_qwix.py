"""qwix 0.1.8: arrays of few bits."""

import numpy as np
import qwix

import jax.numpy as jnp

q = (
    qwix.quantize(jnp.linspace(-1, 1, 8).reshape(2, 4), jnp.int8, channelwise_axes=[0])
    if hasattr(qwix, "quantize")
    else None
)
print(type(q).__name__, None if q is None else np.asarray(q.qvalue).tolist())

# Upstream prints:
#   QArray [[-127, -91, -55, -18], [18, 55, 91, 127]]
