"""jax-tqdm 0.4.0: a progress bar in loops."""

from jax_tqdm import loop_tqdm, scan_tqdm

import jax
import jax.numpy as jnp

n = 20


@scan_tqdm(n, print_rate=5, tqdm_type="std")
def step(carry, x):
    return carry + x, carry


print(jax.lax.scan(step, 0, jnp.arange(n))[0])


@loop_tqdm(n)
def body(i, v):
    return v + i


print(jax.lax.fori_loop(0, n, body, 0))

# Upstream prints:
#   190
#   190
