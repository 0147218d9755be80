"""quadax 0.3.1: integrates by several rules."""

import quadax

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
fun = lambda t, a: t * jnp.log(1 + a * t)
y, info = quadax.quadgk(fun, [0, 1], args=(1.0,), epsabs=1e-10, epsrel=1e-10)
print(
    y,
    info.err < 1e-8,
    quadax.romberg(fun, [0, 1], args=(1.0,))[0],
    quadax.quadcc(lambda t: jnp.exp(-(t**2)), [0, jnp.inf])[0],
)
print(
    jax.grad(lambda a: quadax.quadgk(fun, [0, 1], args=(a,))[0])(1.0),
    quadax.cumulative_simpson(jnp.arange(5.0) ** 2)
    if hasattr(quadax, "cumulative_simpson")
    else 0,
)

# Upstream prints:
#   0.25 True 0.25000000000030104 0.886226925452758
#   0.1931471805599453 [ 0.33333333  2.66666667  9.         21.33333333]
