"""interpax 0.3.16: interpolates by seven methods."""

import interpax

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
x = jnp.linspace(0, 2 * jnp.pi, 20)
f = jnp.sin(x)
xq = jnp.array([0.3, 1.7, 4.0])
for method in (
    "nearest",
    "linear",
    "cubic",
    "cubic2",
    "catmull-rom",
    "akima",
    "monotonic",
):
    print(method, interpax.interp1d(xq, x, f, method=method))
print(
    interpax.interp2d(xq, xq, x, x, f[:, None] * f, method="cubic"),
    jax.grad(lambda q: interpax.interp1d(q, x, f, method="cubic2"))(1.0),
)
print(
    interpax.CubicSpline(x, f).integrate(0, 2),
    interpax.PchipInterpolator(x, f)(xq),
    interpax.fft_interp1d(f[:-1], 8),
)

# Upstream prints:
#   nearest [ 0.32469947  0.99658449 -0.73572391]
#   linear [ 0.2945619   0.98521399 -0.75296827]
#   cubic [ 0.29590577  0.99166819 -0.75650147]
#   cubic2 [ 0.29554069  0.99165766 -0.75679833]
#   catmull-rom [ 0.29590577  0.99166819 -0.75650147]
#   akima [ 0.29562888  0.99163571 -0.75742603]
#   monotonic [ 0.29612025  0.99413284 -0.75609218]
#   [0.08756023 0.9834058  0.57229448] 0.5401720414511231
#   1.4161418393600165 [ 0.29612025  0.99413284 -0.75609218] [-7.18758934e-17  7.07106781e-01  1.00000000e+00  7.07106781e-01
#     9.61733417e-17 -7.07106781e-01 -1.00000000e+00 -7.07106781e-01]
