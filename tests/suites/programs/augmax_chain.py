"""augmax 0.4.1: augments images."""

import augmax

import jax
import jax.numpy as jnp

transform = augmax.Chain(
    augmax.RandomCrop(12, 12),
    augmax.HorizontalFlip(),
    augmax.Rotate(),
    augmax.ColorJitter(),
)
image = jax.random.uniform(jax.random.PRNGKey(0), (16, 16, 3))
out = jax.jit(transform)(jax.random.PRNGKey(1), image)
print(out.shape, out.dtype, out.mean(), out[3, 4])
batch = jax.vmap(transform)(
    jax.random.split(jax.random.PRNGKey(2), 3), jnp.stack([image] * 3)
)
print(batch.shape, batch.mean((1, 2, 3)))

# Upstream prints:
#   (12, 12, 3) float32 0.5048499 [0.42519733 0.39386514 0.3615811 ]
#   (3, 12, 12, 3) [0.5206908  0.5049125  0.51530296]
