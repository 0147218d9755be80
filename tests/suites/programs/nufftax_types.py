"""nufftax 0.6.1: a Fourier transform of scattered points, and its slope."""

import nufftax
import numpy as np

import jax
import jax.numpy as jnp

x = jnp.linspace(-3, 3, 7)
c = jnp.exp(1j * x)
f = nufftax.nufft1d1(x, c, 6)
print((np.round(np.asarray(f), 3) + 0).tolist())
print((np.round(np.asarray(nufftax.nufft1d2(x, f)), 2) + 0).tolist())
print(
    np.round(
        jax.grad(lambda x: jnp.abs(nufftax.nufft1d1(x, c, 6)).sum())(x), 2
    ).tolist()
)

# Upstream prints:
#   [(0.781000018119812+0j), (-0.7319999933242798+0j), (7+0j), (-0.7319999933242798+0j), (0.781000018119812+0j), (-0.8820000290870667+0j)]
#   [(-10.699999809265137-1.159999966621399j), (-2.1700000762939453-5.320000171661377j), (3.369999885559082-5.480000019073486j), (6.21999979019165+0j), (3.369999885559082+5.480000019073486j), (-2.1700000762939453+5.320000171661377j), (-10.699999809265137+1.159999966621399j)]
#   [-2.2200000286102295, -4.289999961853027, 1.6699999570846558, -0.0, -1.6699999570846558, 4.289999961853027, 2.2200000286102295]
