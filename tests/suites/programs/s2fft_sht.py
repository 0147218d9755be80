"""s2fft 1.5.0: transforms on the sphere and back."""

import numpy as np
import s2fft

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
L = 8
rng = np.random.default_rng(0)
flm = s2fft.utils.signal_generator.generate_flm(rng, L)
f = s2fft.inverse_jax(flm, L)
back = s2fft.forward_jax(f, L)
print(f.shape, np.abs(back - flm).max() < 1e-9, f[2, 3])
print(
    jax.grad(lambda f: jnp.sum(jnp.abs(s2fft.forward_jax(f, L)) ** 2).real)(f.real)[
        1, :3
    ]
)

# Upstream prints:
#   (8, 15) True (0.9220142855336511-0.3483946691512224j)
#   [ 0.17608085  0.12538812 -0.21538264]
