"""Shows both functions at work."""

import numpy as np

import jax
import native_functions as nf

x = np.arange(1.0, 7.0, dtype=np.float32).reshape(2, 3)
expected = x / np.sqrt(np.mean(x**2, -1, keepdims=True) + 1e-6)
for f in (nf.normalize, jax.jit(nf.normalize), jax.vmap(nf.normalize)):
    np.testing.assert_allclose(f(x), expected, rtol=1e-6)
print("rows", np.asarray(nf.normalize(x)).round(3).tolist())

numbers = jax.jit(lambda: nf.count(start=5))
print("numbers", [int(numbers()) for _ in range(3)])
try:
    jax.jit(lambda: nf.count(start=-1))()
except jax.errors.JaxRuntimeError as error:
    print("refused", str(error).splitlines()[0])
