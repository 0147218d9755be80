"""kernex 0.2.1: stencils."""

import kernex as kex

import jax
import jax.numpy as jnp


@kex.kmap(kernel_size=(3,), padding=("same",))
def moving(x):
    return jnp.mean(x)


@kex.kscan(kernel_size=(3,), padding=((1, 1),), named_axis={0: "i"}, relative=True)
def diffuse(u):
    return u["i"] + 0.1 * (u["i-1"] - 2 * u["i"] + u["i+1"])


print(moving(jnp.arange(6.0)), jax.jit(diffuse)(jnp.arange(6.0) ** 2))
print(jax.grad(lambda x: moving(x).sum())(jnp.arange(6.0)))

# Upstream prints:
#   [0.33333334 1.         2.         3.         4.         3.        ] [ 0.1       1.21      4.221     9.2221   16.22221  21.622221]
#   [0.6666667 1.        1.        1.        1.        0.6666667]
