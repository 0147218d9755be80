"""`Compiled.memory_analysis` against what a run takes from the allocator.

Each program runs in a process of its own, whose pool of memory is new: what the pool
holds more after the run than before it, the run requested.
"""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import jax, jax.numpy as jnp
from jax import lax

n = 256  # 262,144 bytes an array
programs = {
    "sum of two": (lambda x, y: x + y, 2, ()),
    "donated": (lambda x, y: x * 2 + y, 2, (0,)),
    "both donated": (lambda x, y: (x + y, x - y), 2, (0, 1)),
    "products": (lambda x, y: (x @ y) @ (y @ x), 2, ()),
    "donated products": (lambda x, y: (x @ y) @ (y @ x), 2, (0, 1)),
    "loop": (lambda x: lax.fori_loop(0, 3, lambda i, x: x @ x, x), 1, (0,)),
    "sort": (lambda x: jnp.sort(x.ravel()), 1, ()),
    "argsort": (lambda x: jnp.argsort(x.ravel()), 1, ()),
    # A line that is cut into a matrix, one that is convolved, and a spectrum that is
    # kept between two dimensions.
    "transform": (lambda x: jnp.fft.fft(x.ravel()).real, 1, ()),
    "prime transform": (
        lambda x: jnp.pad(jnp.fft.fft(x.ravel()[:65521]).real, (0, 15)), 1, ()
    ),
    "inverse transform": (lambda x: jnp.fft.irfft2(x, s=(n, n)), 1, ()),
}
function, count, donated = programs[sys.argv[1]]
arguments = [jnp.full((n, n), 1e-3) for _ in range(count)]
compiled = jax.jit(function, donate_argnums=donated).lower(*arguments).compile()
said = compiled.memory_analysis()
jax.block_until_ready(arguments)
device = jax.devices()[0]
# Blocks that are free now would serve the run: take them, by size.
held, size = [], 64
while size <= n * n * 4 * 8:
    for quarter in (4, 5, 6, 7):
        for _ in range(4):
            held.append(jnp.zeros(size * quarter // 4, jnp.uint8))
    size *= 2
jax.block_until_ready(held)
before = device.memory_stats()
result = jax.block_until_ready(compiled(*arguments))
after = device.memory_stats()
print(json.dumps({
    "argument": said.argument_size_in_bytes,
    "output": said.output_size_in_bytes,
    "alias": said.alias_size_in_bytes,
    "temp": said.temp_size_in_bytes,
    "pool": after["pool_bytes"] - before["pool_bytes"],
    "arrays": after["bytes_in_use"] - before["bytes_in_use"],
}))
"""

ARRAY = 256 * 256 * 4


def _block(size):
    """What the allocator takes for so many bytes: four sizes between powers of two."""
    power = 64
    while power * 2 <= size:
        power *= 2
    return next(b for q in (4, 5, 6, 7, 8) if (b := power * q // 4) >= size)


# Arguments, results, results in donated memory, and the least and the most temporary
# arrays that the program needs.
KNOWN = {
    "sum of two": (2, 1, 0, 0, 0),
    "donated": (2, 1, 1, 0, 0),
    "both donated": (2, 2, 2, 0, 1),
    "products": (2, 1, 0, 2, 2),
    "donated products": (2, 1, 1, 1, 2),
    "loop": (1, 1, 1, 1, 2),
    "sort": (1, 1, 0, 4, 5),
    "argsort": (1, 1, 0, 5, 6),
    "transform": (1, 1, 0, 6, 6),
    "prime transform": (1, 1, 0, 11, 12),
    "inverse transform": (1, 1, 0, 2, 3),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_a_run_takes(name):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, name],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    arguments, results, aliased, least, most = (n * ARRAY for n in KNOWN[name])
    assert found["argument"] == arguments
    assert found["output"] == results
    assert found["alias"] == aliased
    assert least <= found["temp"] <= most
    assert found["arrays"] == results - aliased
    taken = _block(found["temp"]) if found["temp"] else 0
    assert found["pool"] == taken + results - aliased
