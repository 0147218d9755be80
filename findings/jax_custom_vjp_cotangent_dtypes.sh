#!/usr/bin/env bash
# JAX 0.10.2 takes a custom_vjp cotangent of another float dtype: the gradient's dtype changes, or something else fails later.
#
# jax 0.10.2, jaxlib 0.10.2 on the CPU. A backward rule computes in float32 for a bfloat16 argument and forgets to convert
# back. Expected: an error that names the rule, as there is one for another shape. Seen: jax.grad returns a float32
# gradient of the bfloat16 argument; where the argument has a second use, lax.add raises "requires arguments to have the
# same dtypes" with no word of the rule; under lax.scan a TypeError speaks of the carry of a while_loop that the user has not
# written, and under lax.cond a ValueError of branches in MLIR that fail the verifier.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "jax==0.10.2" "jaxlib==0.10.2" "numpy==2.2.6" "scipy==1.15.3"
cd "$folder"
JAX_PLATFORMS=cpu "$folder/venv/bin/python" - 2>/dev/null <<'PYTHON'
import jax
import jax.numpy as jnp

print("jax", jax.__version__)


@jax.custom_vjp
def double(x):
    return x * 2


double.defvjp(lambda x: (double(x), None), lambda _, g: (g.astype(jnp.float32) * 2,))
x = jnp.ones(3, jnp.bfloat16)


def total(x):
    return x.astype(jnp.float32).sum()


cases = {
    "alone": lambda x: total(double(x)),
    "second use": lambda x: total(double(x)) + total(x),
    "scan": lambda x: total(jax.lax.scan(lambda c, _: (double(c), None), x, None, length=2)[0]),
    "cond": lambda x: total(jax.lax.cond(True, double, lambda x: x, x)),
}
seen = {}
for name, loss in cases.items():
    try:
        seen[name] = str(jax.grad(loss)(x).dtype)
    except Exception as error:
        seen[name] = type(error).__name__
    print(f"{name}: {seen[name]}")
expected = {"alone": "float32", "second use": "TypeError", "scan": "TypeError", "cond": "ValueError"}
assert seen == expected, "the behaviour changed"

wrong = jax.custom_vjp(lambda x: x * 2)
wrong.defvjp(lambda x: (x * 2, None), lambda _, g: (g[:1],))
try:
    jax.grad(lambda x: total(wrong(x)))(x)
except ValueError as error:
    print("another shape:", type(error).__name__)
    assert "shape" in str(error), "the behaviour changed"
else:
    raise AssertionError("the behaviour changed")
print("as described")
PYTHON
