"""sympy2jax 0.0.8: an expression as a module."""

import sympy
import sympy2jax

import jax
import jax.numpy as jnp

x = sympy.symbols("x")
mod = sympy2jax.SymbolicModule([1.2 * x**2 + sympy.sin(x), sympy.Max(x, 2)])
print(mod(x=jnp.array(0.5)), jax.grad(lambda v: mod(x=v)[0])(0.5), mod.sympy())

# Upstream prints:
#   [Array(0.77942556, dtype=float32, weak_type=True), Array(2., dtype=float32, weak_type=True)] 2.0775826 [1.20000004768372*x**2 + sin(x), Max(2, x)]
