"""interpax-fft 0.1.0: Fourier and Chebyshev interpolation."""

import interpax_fft as f
import numpy as np

import jax.numpy as jnp

x = f.fourier_pts(8)
print(np.round(f.interp_rfft(jnp.array([0.3, 1.0]), jnp.sin(x)), 4).tolist())
y = f.cheb_pts(6)
print(np.round(f.interp_dct(jnp.array([0.2]), y**3), 4).tolist())

# Upstream prints:
#   [0.2954999804496765, 0.8414999842643738]
#   [0.007999999448657036]
