"""What plans say of collectives is what devices send, over functions, meshes and specs."""

import random
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

DEVICES = np.array(jax.devices())
# One with its devices in another order.
MESHES = [
    Mesh(DEVICES.reshape(4, 2), ("a", "b")),
    Mesh(DEVICES[[5, 2, 7, 0, 3, 6, 1, 4]].reshape(4, 2), ("a", "b")),
    Mesh(DEVICES.reshape(2, 2, 2), ("a", "b", "c")),
    Mesh(DEVICES, ("a",)),
]
X, Y = np.random.RandomState(0).randn(2, 16, 32).astype(np.float32)


def repeat(times, body, x):
    return jax.lax.fori_loop(0, times, lambda _, x: body(x), x)


def while_small(body, x):
    return jax.lax.while_loop(
        lambda c: c[0] < 3, lambda c: (c[0] + 1, body(c[1])), (0, x)
    )[1]


FUNCTIONS = {
    "dot": lambda x, y: x @ y.T,
    "dot of bfloat16": lambda x, y: x.astype(jnp.bfloat16) @ y.T.astype(jnp.bfloat16),
    "sum of integers": lambda x, y: (x * 10).astype(int).sum(0),
    "all": lambda x, y: (x > 0).all(0),
    "argmax": lambda x, y: jnp.argmax(x, 0),
    "softmax": lambda x, y: jax.nn.softmax(x @ y.T),
    "gradient": lambda x, y: jax.grad(lambda x: jnp.tanh(x @ y.T).sum())(x),
    "branches": lambda x, y: jax.lax.cond(
        x.sum() == x.sum(), lambda: x @ y.T @ y, lambda: x * 2
    ),
    "loops": lambda x, y: repeat(2, lambda x: repeat(3, lambda x: x @ y.T @ y, x), x),
    "while": lambda x, y: while_small(lambda x: jnp.tanh(x @ y.T @ y), x),
    "scan": lambda x, y: jax.lax.scan(
        lambda c, r: (c + jnp.roll(r, 1), r.sum()), x[0], x
    ),
    "cumsum": lambda x, y: jnp.cumsum(x, 0),
    "sort": lambda x, y: jnp.sort(x, 1),
    "largest": lambda x, y: jax.lax.top_k(x, 3),
    "fft": lambda x, y: jnp.fft.fft(x),
    "gather": lambda x, y: x[jnp.argsort(y[:, 0])],
    "scatter": lambda x, y: x.at[jnp.arange(16)[::-1]].add(y),
    "concatenate": lambda x, y: jnp.concatenate([x, y], 0),
    "roll": lambda x, y: jnp.roll(x, 3, 0),
    "pad": lambda x, y: jnp.pad(x, ((1, 2), (0, 0))) + 0,
    "slice": lambda x, y: x[3:11],
    "flip": lambda x, y: x[::-1] + y,
    "reshape": lambda x, y: x.reshape(-1) * 2,
    "transpose": lambda x, y: x.T + 0,
    "window": lambda x, y: jax.lax.conv_general_dilated(
        x[None, None], y[None, None, :3, :3], (1, 1), "SAME"
    ),
    "cholesky": lambda x, y: jnp.linalg.cholesky(x @ x.T + 16 * jnp.eye(16)),
    "random": lambda x, y: jax.random.normal(jax.random.key(0), x.shape) + x,
}


def random_spec(chooser, mesh):
    entries = [[], []]
    for axis in chooser.sample(mesh.axis_names, len(mesh.axis_names)):
        if chooser.random() < 0.8:
            entries[chooser.randrange(2)].append(axis)
    return P(*map(tuple, entries))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_collectives_send_what_the_plan_says(name, seed):
    chooser = random.Random(f"{name} {seed}")
    mesh = chooser.choice(MESHES)
    specs = [random_spec(chooser, mesh) for _ in range(2)]
    args = [
        jax.device_put(value, NamedSharding(mesh, spec))
        for value, spec in zip((X, Y), specs, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jax.errors.RepeatedWorkWarning)
        run = jax.jit(FUNCTIONS[name]).lower(*args).compile()
    client = jax.devices()[0].client
    client.count_traffic(True)
    jax.block_until_ready(run(*args))
    client.count_traffic(False)
    measured = {n: sent for n, (_, sent) in client.counted_traffic().items() if sent}
    planned = {}
    for one in run.plan().collectives:
        if one.total_bytes:
            planned[one.name] = planned.get(one.name, 0) + one.total_bytes
    assert measured == planned, (mesh, specs)
