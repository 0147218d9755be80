"""jax-bounded-while 0.1.2: a loop with a bound that reverse mode goes through."""

from jax_bounded_while import bounded_while_loop

import jax

f = lambda x: bounded_while_loop(
    lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * x), (0, 1.0), max_steps=10
)[1]
print(f(2.0), jax.grad(f)(2.0))

# Upstream prints:
#   32.0 80.0
