"""The open benchmark workloads: each runs on whichever `jax` the interpreter imports.

A workload is a function that returns `(fun, args)`; `fun` is jitted once and timed on `args`.
Only public API is used, so that the same file measures this project and any peer.
"""

from __future__ import annotations

import numpy as np

REGISTRY: dict[str, tuple[str, object, dict]] = {}


def workload(group: str, **options):
    """Registers a workload under `group`; options: jit=False runs it eagerly."""

    def register(make):
        REGISTRY[make.__name__] = (group, make, options)
        return make

    return register


def _jax():
    import jax
    import jax.numpy as jnp
    from jax import lax, random

    return jax, jnp, lax, random


def _normal(*shape, dtype=np.float32, seed=0):
    _, jnp, _, _ = _jax()
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape).astype(dtype))


# -- dispatch ---------------------------------------------------------------


@workload("dispatch")
def dispatch_scalar():
    return (lambda x: x + 1), (_normal(),)


@workload("dispatch", jit=False)
def eager_add_scalar():
    return (lambda x: x + 1), (_normal(),)


@workload("dispatch", jit=False)
def eager_chain_small():
    _, jnp, _, _ = _jax()
    return (lambda x: jnp.tanh(x * 2 + 1).sum()), (_normal(8, 8),)


@workload("dispatch")
def dispatch_pytree_100():
    return (lambda xs: [x + 1 for x in xs]), ([_normal(4, seed=i) for i in range(100)],)


# -- elementwise ------------------------------------------------------------


@workload("elementwise")
def add_1m():
    return (lambda x, y: x + y), (_normal(1000, 1000), _normal(1000, 1000, seed=1))


@workload("elementwise")
def sin_exp_chain_32m():
    _, jnp, _, _ = _jax()
    return (lambda x: jnp.sin(x) * 2 + jnp.exp(-x * x)), (_normal(32 << 20),)


@workload("elementwise")
def tanh_32m():
    _, jnp, _, _ = _jax()
    return jnp.tanh, (_normal(32 << 20),)


@workload("elementwise")
def gelu_4m():
    jax, _, _, _ = _jax()
    return jax.nn.gelu, (_normal(4 << 20),)


@workload("elementwise")
def log_pow_4m():
    _, jnp, _, _ = _jax()
    return (lambda x: jnp.log1p(jnp.abs(x)) ** 1.5 + jnp.sqrt(jnp.abs(x))), (
        _normal(4 << 20),
    )


# -- reductions and layout --------------------------------------------------


@workload("reduce")
def sum_32m():
    _, jnp, _, _ = _jax()
    return jnp.sum, (_normal(32 << 20),)


@workload("reduce")
def column_sum_8kx4k():
    return (lambda x: x.sum(0)), (_normal(8192, 4096),)


@workload("reduce")
def softmax_8kx4k():
    jax, _, _, _ = _jax()
    return jax.nn.softmax, (_normal(8192, 4096),)


@workload("reduce")
def layernorm_8kx1k():
    _, jnp, lax, _ = _jax()

    def layernorm(x):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

    return layernorm, (_normal(8192, 1024),)


@workload("reduce")
def argmax_rows_8kx1k():
    _, jnp, _, _ = _jax()
    return (lambda x: jnp.argmax(x, -1)), (_normal(8192, 1024),)


@workload("layout")
def transpose_8kx4k():
    return (lambda x: x.T + 1), (_normal(8192, 4096),)


@workload("layout")
def transpose_heads():
    return (lambda x: x.transpose(0, 2, 1, 3) * 2), (_normal(16, 512, 16, 64),)


@workload("layout")
def concatenate_pad_slice():
    _, jnp, _, _ = _jax()
    return (lambda x: jnp.pad(jnp.concatenate([x, x[:, ::-1]], 1), 1)[1:, 1:]), (
        _normal(2048, 1024),
    )


# -- matmul and convolution -------------------------------------------------


def _matmul(n, dtype=None):
    x = _normal(n, n)
    return (lambda a: a @ a), (x if dtype is None else x.astype(dtype),)


@workload("matmul")
def matmul_256():
    return _matmul(256)


@workload("matmul")
def matmul_1024():
    return _matmul(1024)


@workload("matmul")
def matmul_bf16_1024():
    return _matmul(1024, "bfloat16")


@workload("matmul")
def batched_matmul_64x256():
    return (lambda a: a @ a), (_normal(64, 256, 256),)


@workload("matmul")
def matvec_4096():
    return (lambda a, v: a @ v), (_normal(4096, 4096), _normal(4096))


@workload("matmul")
def dense_gelu_fused():
    jax, _, _, _ = _jax()
    return (lambda x, w, b: jax.nn.gelu(x @ w + b)), (
        _normal(1024, 512),
        _normal(512, 2048),
        _normal(2048),
    )


def _conv(x, w):
    _, _, lax, _ = _jax()
    return lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


@workload("conv")
def conv3x3():
    return _conv, (_normal(8, 56, 56, 64), _normal(3, 3, 64, 64))


@workload("conv")
def conv3x3_grad():
    jax, _, _, _ = _jax()
    return jax.grad(lambda w, x: (_conv(x, w) ** 2).sum()), (
        _normal(3, 3, 64, 64),
        _normal(8, 56, 56, 64),
    )


@workload("conv")
def maxpool_grad():
    jax, jnp, lax, _ = _jax()

    def pool(x):
        return lax.reduce_window(
            x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
        )

    return jax.grad(lambda x: (pool(x) ** 2).sum()), (_normal(8, 56, 56, 64),)


# -- sort, scan, gather, scatter --------------------------------------------


@workload("sort")
def sort_1m():
    _, jnp, _, _ = _jax()
    return jnp.sort, (_normal(1_000_000),)


@workload("sort")
def argsort_1m():
    _, jnp, _, _ = _jax()
    return jnp.argsort, (_normal(1_000_000),)


@workload("sort")
def top_k_1m():
    _, _, lax, _ = _jax()
    return (lambda v: lax.top_k(v, 100)), (_normal(1_000_000),)


@workload("sort")
def cumsum_1m():
    _, jnp, _, _ = _jax()
    return jnp.cumsum, (_normal(1_000_000),)


def _indices(n, size):
    _, jnp, _, _ = _jax()
    return jnp.asarray(np.random.default_rng(1).integers(0, size, n).astype(np.int32))


@workload("gather")
def gather_1m():
    return (lambda v, i: v[i]), (_normal(1_000_000), _indices(1_000_000, 1_000_000))


@workload("gather")
def embedding_lookup_grad():
    jax, _, _, _ = _jax()
    return jax.grad(lambda e, i: (e[i] ** 2).sum()), (
        _normal(32000, 256),
        _indices(8192, 32000),
    )


@workload("gather")
def scatter_add_1m():
    _, jnp, _, _ = _jax()
    return (lambda v, i: jnp.zeros_like(v).at[i].add(v)), (
        _normal(1_000_000),
        _indices(1_000_000, 1_000_000),
    )


@workload("gather")
def segment_sum_1m():
    jax, _, _, _ = _jax()
    return (lambda v, i: jax.ops.segment_sum(v, i, 1000)), (
        _normal(1_000_000),
        _indices(1_000_000, 1000),
    )


# -- random, fft, linalg ----------------------------------------------------


@workload("random")
def random_normal_10m():
    _, _, _, random = _jax()
    return (lambda k: random.normal(k, (10_000_000,))), (random.key(0),)


@workload("random")
def random_bits_10m():
    _, _, _, random = _jax()
    return (lambda k: random.bits(k, (10_000_000,))), (random.key(0),)


@workload("random")
def permutation_1m():
    _, _, _, random = _jax()
    return (lambda k: random.permutation(k, 1_000_000)), (random.key(0),)


@workload("fft")
def fft_512k():
    _, jnp, _, _ = _jax()
    return jnp.fft.fft, (_normal(1 << 19),)


@workload("fft")
def fft2_1000():
    _, jnp, _, _ = _jax()
    return jnp.fft.fft2, (_normal(1000, 1000),)


def _spd(n):
    a = np.random.default_rng(0).standard_normal((n, n)).astype(np.float32)
    _, jnp, _, _ = _jax()
    return jnp.asarray(a @ a.T + n * np.eye(n, dtype=np.float32))


@workload("linalg")
def cholesky_512():
    _, jnp, _, _ = _jax()
    return jnp.linalg.cholesky, (_spd(512),)


@workload("linalg")
def solve_512():
    _, jnp, _, _ = _jax()
    return jnp.linalg.solve, (_spd(512), _normal(512, 64))


@workload("linalg")
def eigh_256():
    _, jnp, _, _ = _jax()
    return (lambda a: jnp.linalg.eigh(a)[0]), (_spd(256),)


@workload("linalg")
def svd_values_256():
    _, jnp, _, _ = _jax()
    return (lambda a: jnp.linalg.svd(a, compute_uv=False)), (_normal(256, 256),)


@workload("linalg")
def batched_inverse_4x4():
    _, jnp, _, _ = _jax()
    return jnp.linalg.inv, (_normal(10_000, 4, 4) + 4 * np.eye(4, dtype=np.float32),)


# -- control flow -----------------------------------------------------------


def _rnn(w, xs):
    _, jnp, lax, _ = _jax()
    return lax.scan(
        lambda h, x: (jnp.tanh(h @ w + x), None), jnp.zeros(w.shape[0]), xs
    )[0]


@workload("control_flow")
def scan_rnn_1000x64():
    return _rnn, (_normal(64, 64) * 0.1, _normal(1000, 64))


@workload("control_flow")
def scan_rnn_grad():
    jax, _, _, _ = _jax()
    return jax.grad(lambda w, xs: _rnn(w, xs).sum()), (
        _normal(64, 64) * 0.1,
        _normal(1000, 64),
    )


@workload("control_flow")
def while_scalar_1m():
    _, jnp, lax, _ = _jax()
    return (
        lambda n: lax.fori_loop(0, n, lambda i, s: s * 0.999 + i, jnp.float32(0))
    ), (np.int32(1_000_000),)


@workload("control_flow")
def lorenz_rk4_1k():
    _, jnp, lax, _ = _jax()

    def slope(s):
        x, y, z = s
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def step(_, s, h=0.01):
        k1 = slope(s)
        k2 = slope(s + h / 2 * k1)
        k3 = slope(s + h / 2 * k2)
        k4 = slope(s + h * k3)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return (lambda s: lax.fori_loop(0, 1000, step, s)), (jnp.array([1.0, 1.0, 1.0]),)


# -- models -----------------------------------------------------------------


def _mlp_params():
    sizes = [784, 512, 512, 10]
    return [
        (_normal(m, n, seed=m) * 0.01, _normal(n, seed=n) * 0)
        for m, n in zip(sizes, sizes[1:])
    ]


def _mlp(params, x):
    jax, _, _, _ = _jax()
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


@workload("model")
def mlp_train_step():
    jax, jnp, _, _ = _jax()

    def loss(params, x, y):
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(_mlp(params, x)) * y, -1))

    def step(params, x, y):
        return jax.tree.map(
            lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x, y)
        )

    return step, (
        _mlp_params(),
        _normal(128, 784),
        jax.nn.one_hot(_indices(128, 10), 10),
    )


@workload("model")
def per_example_grads():
    jax, jnp, _, _ = _jax()

    def loss(params, x, y):
        return -jnp.sum(jax.nn.log_softmax(_mlp(params, x)) * y)

    grads = jax.vmap(jax.grad(loss), (None, 0, 0))

    def clipped(params, x, y):
        g = grads(params, x, y)
        norm = jnp.sqrt(
            sum((l.reshape(l.shape[0], -1) ** 2).sum(-1) for l in jax.tree.leaves(g))
        )
        scale = 1 / jnp.maximum(1.0, norm)
        return jax.tree.map(lambda l: jnp.tensordot(scale, l, 1), g)

    return clipped, (
        _mlp_params(),
        _normal(32, 784),
        jax.nn.one_hot(_indices(32, 10), 10),
    )


def transformer(d=256, heads=8, layers=6, seq=128, vocab=1024, batch=8):
    """Returns a decoder-only language model's SGD step and its arguments."""
    jax, jnp, lax, _ = _jax()
    params = {
        "embed": _normal(vocab, d) * 0.02,
        "layers": [
            dict(
                qkv=_normal(d, 3 * d, seed=i) * 0.02,
                out=_normal(d, d, seed=i) * 0.02,
                up=_normal(d, 4 * d, seed=i) * 0.02,
                down=_normal(4 * d, d, seed=i) * 0.02,
                g1=jnp.ones(d),
                g2=jnp.ones(d),
            )
            for i in range(layers)
        ],
    }

    def norm(x, g):
        return (
            (x - x.mean(-1, keepdims=True))
            * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)
            * g
        )

    def split(x):
        return x.reshape(batch, seq, heads, d // heads).transpose(0, 2, 1, 3)

    def block(x, p):
        q, k, v = (split(t) for t in jnp.split(norm(x, p["g1"]) @ p["qkv"], 3, -1))
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(d // heads).astype(np.float32)
        scores = jnp.where(jnp.tril(jnp.ones((seq, seq), bool)), scores, -1e9)
        mixed = (
            (jax.nn.softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(batch, seq, d)
        )
        x = x + mixed @ p["out"]
        return x + jax.nn.gelu(norm(x, p["g2"]) @ p["up"]) @ p["down"]

    def loss(params, tokens):
        x = params["embed"][tokens[:, :-1]]
        for p in params["layers"]:
            x = block(x, p)
        logits = jax.nn.log_softmax(x @ params["embed"].T)
        return -jnp.take_along_axis(logits, tokens[:, 1:, None], -1).mean()

    def step(params, tokens):
        value, grads = jax.value_and_grad(loss)(params, tokens)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return step, (params, _indices(batch * (seq + 1), vocab).reshape(batch, seq + 1))


@workload("model")
def transformer_train_step():
    return transformer()


@workload("model")
def cnn_train_step():
    jax, jnp, lax, _ = _jax()
    params = [
        _normal(3, 3, 1, 32) * 0.1,
        _normal(3, 3, 32, 64, seed=1) * 0.1,
        _normal(7 * 7 * 64, 10) * 0.01,
    ]

    def pool(x):
        return lax.reduce_window(
            x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
        )

    def loss(params, x, y):
        for w in params[:2]:
            x = pool(jax.nn.relu(_conv(x, w)))
        return -jnp.mean(
            jnp.sum(jax.nn.log_softmax(x.reshape(x.shape[0], -1) @ params[2]) * y, -1)
        )

    def step(params, x, y):
        return jax.tree.map(
            lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params, x, y)
        )

    return step, (params, _normal(64, 28, 28, 1), jax.nn.one_hot(_indices(64, 10), 10))


@workload("model")
def gaussian_process_grad():
    jax, jnp, _, _ = _jax()
    from jax.scipy.linalg import cho_solve

    def nll(theta, x, y):
        d2 = ((x[:, None] - x[None]) ** 2).sum(-1)
        k = jnp.exp(theta[0]) * jnp.exp(-0.5 * d2 * jnp.exp(theta[1])) + 0.1 * jnp.eye(
            len(x)
        )
        l = jnp.linalg.cholesky(k)
        return 0.5 * y @ cho_solve((l, True), y) + jnp.log(jnp.diag(l)).sum()

    return jax.value_and_grad(nll), (jnp.zeros(2), _normal(256, 4), _normal(256))
