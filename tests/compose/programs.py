"""Sample programs, each for `jax.numpy` and for NumPy in extended precision.

They keep numbers near 1, and all but `sorted_values` and `pieces` are smooth.
"""

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax
from tests.compose.oracle import extended

MATRIX = np.array([[0.5, -0.3, 0.2], [0.1, 0.7, -0.6], [-0.4, 0.2, 0.3]])
KERNEL = np.array([0.25, 0.5, -0.75])
NOISE = jax.random.normal  # drawn inside the program, known to the oracle by value
KEY_DATA = np.array([0, 7], np.uint32)


def elementwise(xp, x):
    return xp.sin(x) * xp.exp(x[::-1] / 3) + xp.tanh(x) / (2 + x * x)


def layer(xp, x):
    return xp.tanh(xp.asarray(MATRIX) @ x + 0.1)


def softmax(xp, x):
    e = xp.exp(x - xp.sum(x) / 3)
    return e / xp.sum(e)


def reduced(xp, x):
    total = xp.log(xp.sum(xp.exp(x)))
    return xp.stack([total, xp.prod(x + 2) / 8, xp.mean(x**2)])


def running(xp, x):
    return xp.cumsum(xp.cos(x)) / 2 + xp.cumprod(1 + x / 4)


def moved(xp, x):
    y = xp.concatenate([x[1:], xp.sin(x[:1])])
    return xp.roll(y, 1) * xp.flip(x) / 2 + xp.pad(x[:2], (1, 0))


def outer(xp, x):
    table = xp.cos(x[:, None] + 2 * x[None, :])
    return xp.einsum("ij,j->i", table, x) / 2 + xp.trace(table) / 4


def sorted_values(xp, x):
    y = xp.sort(xp.sin(2 * x))
    return y * xp.asarray([1.0, 0.5, 0.25]) + y[xp.argmax(y)] / 4


def pieces(xp, x):
    return xp.where(x > 0.2, xp.sin(x), x * x / 2) + xp.maximum(x, -0.3) / 2


def scattered_jax(x):
    return jnp.zeros(3, x.dtype).at[jnp.array([2, 0, 2])].add(jnp.sin(x))


def scattered_numpy(x):
    y = np.sin(x)
    return np.stack([y[1], 0 * y[0], y[0] + y[2]])


def sliced_jax(x):
    start = jnp.argmax(x * 0 + jnp.arange(3.0)) - 1
    part = lax.dynamic_slice(x, (start,), (2,))
    return lax.dynamic_update_slice(jnp.cos(x), part * 2, (0,)) / 2


def sliced_numpy(x):
    return np.stack([x[1] * 2, x[2] * 2, np.cos(x[2])]) / 2


def convolved_jax(x):
    out = lax.conv_general_dilated(x[None, None], KERNEL[None, None], (1,), "SAME")
    return jnp.sin(out[0, 0])


def convolved_numpy(x):
    wide = np.concatenate([[0], x, [0]])
    return np.sin(
        np.stack([np.dot(extended(KERNEL), wide[i : i + 3]) for i in range(3)])
    )


def recurrent_jax(x):
    def step(state, number):
        state = jnp.tanh(MATRIX @ state + number)
        return state, state[0]

    state, seen = lax.scan(step, x, jnp.array([0.1, -0.2, 0.3]), reverse=True)
    return state + seen / 2


def recurrent_numpy(x):
    seen = []
    for number in extended([0.3, -0.2, 0.1]):
        x = np.tanh(extended(MATRIX) @ x + number)
        seen.append(x[0])
    return x + np.stack(seen[::-1]) / 2


def solved_jax(x):
    a = jnp.eye(3) * 3 + jnp.outer(jnp.sin(x), x) / 3
    return jnp.linalg.solve(a, jnp.cos(x) + MATRIX[0])


def solved_numpy(x):
    # The rank-one formula of Sherman and Morrison, another way than elimination.
    u, b = np.sin(x) / 3, np.cos(x) + extended(MATRIX[0])
    return b / 3 - u * np.dot(x, b) / 9 / (1 + np.dot(x, u) / 3)


def spectral_jax(x):
    y = jnp.fft.fft(x) * jnp.array([1.0, 0.5 - 0.5j, 0.25j])
    return jnp.real(jnp.fft.ifft(y)) + jnp.abs(y[1]) ** 2 / 8


def spectral_numpy(x):
    indices = np.arange(3)
    turns = -2 * np.pi * extended(np.outer(indices, indices)) / 3
    weights = np.cos(turns) + 1j * np.sin(turns)
    y = (weights @ x) * np.array([1.0, 0.5 - 0.5j, 0.25j])
    return (np.conj(weights) @ y / 3).real + (y[1] * np.conj(y[1])).real / 8


def drawn_jax(x):
    key = jax.random.wrap_key_data(KEY_DATA, impl="threefry2x32")
    return jnp.sin(x + NOISE(key, (3,), "float64") / 4)


def drawn_numpy(x):
    key = jax.random.wrap_key_data(KEY_DATA, impl="threefry2x32")
    return np.sin(x + extended(np.asarray(NOISE(key, (3,), "float64"))) / 4)


def activated_jax(x):
    return jax.nn.silu(x) + jax.nn.softplus(x[::-1]) / 2 + jax.nn.logsumexp(x) / 4


def activated_numpy(x):
    soft = np.log(1 + np.exp(x[::-1]))
    return x / (1 + np.exp(-x)) + soft / 2 + np.log(np.sum(np.exp(x))) / 4


def _twin(fun):
    return lambda x: fun(jnp, x), lambda x: fun(np, x)


PROGRAMS = {
    fun.__name__: _twin(fun)
    for fun in (
        elementwise, layer, softmax, reduced, running, moved, outer, sorted_values,
        pieces,
    )
} | {
    "scattered": (scattered_jax, scattered_numpy),
    "sliced": (sliced_jax, sliced_numpy),
    "convolved": (convolved_jax, convolved_numpy),
    "recurrent": (recurrent_jax, recurrent_numpy),
    "solved": (solved_jax, solved_numpy),
    "spectral": (spectral_jax, spectral_numpy),
    "drawn": (drawn_jax, drawn_numpy),
    "activated": (activated_jax, activated_numpy),
}  # fmt: skip
