"""chex 0.1.92: data classes, assertions and variants."""

import unittest

import chex

import jax
import jax.numpy as jnp


@chex.dataclass(frozen=True)
class State:
    x: chex.Array
    n: int = 0


s = State(x=jnp.arange(3.0), n=1)
print(s, jax.tree.map(lambda v: v * 2, s))
chex.assert_shape(s.x, (3,))
chex.assert_trees_all_close(s, s.replace(n=1))
for check in (
    lambda: chex.assert_rank(s.x, 2),
    lambda: chex.assert_equal_shape([s.x, jnp.ones(2)]),
    lambda: chex.assert_tree_all_finite({"a": jnp.array([1.0, jnp.nan])}),
):
    try:
        check()
    except AssertionError as e:
        print(str(e).splitlines()[0][:100])


@jax.jit
@chex.assert_max_traces(n=1)
def f(x):
    return x + 1


f(jnp.ones(2))
try:
    f(jnp.ones(3))
except AssertionError:
    print("traced twice")


@chex.chexify
@jax.jit
def g(x):
    chex.assert_tree_all_finite(x)
    return jnp.log(x)


print(g(jnp.array(1.0)))
g.wait_checks()


class T(chex.TestCase):
    @chex.variants(with_jit=True, without_jit=True)
    def test(self):
        self.assertEqual(self.variant(lambda x: x + 1)(1), 2)


print(
    unittest.TextTestRunner(stream=open("/dev/null", "w"))
    .run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
    .testsRun
)

# Upstream prints:
#   State(x=Array([0., 1., 2.], dtype=float32), n=1) State(x=Array([0., 2., 4.], dtype=float32), n=2)
#   [Chex] Assertion assert_rank failed: Error in rank compatibility check: input 0 has rank 1 (shape (3
#   [Chex] Assertion assert_equal_shape failed: Arrays have different shapes: [(3,), (2,)].
#   [Chex] Assertion assert_tree_all_finite failed: Tree contains non-finite value: {'a': 'Nonfinite'}.
#   traced twice
#   0.0
#   2
