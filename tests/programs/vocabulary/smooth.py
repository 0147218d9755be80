"""Functions whose derivatives are the limits of differences, with numbers that stay near 1."""

SMOOTH = """
jnp.{sin|cos|tanh|arctan|arcsinh|sinc|square}({F})
jnp.exp(jnp.tanh({F}))
jnp.log1p(({F}) ** 2)
jnp.sqrt(1.5 + ({F}) ** 2)
({F}) ** {int:1_3} / 4
jnp.logaddexp({F}, {same}) / 2
jnp.hypot(jnp.tanh({F}), 1 + {same} ** 2) / 2
jnp.arctan2({F}, 2 + {same} ** 2)
nn.{softplus|sigmoid|silu|gelu|mish}({F})
nn.softmax({F1}, axis={axis})
nn.logsumexp({F1}, axis={axes})
{F} * {same}
{F} / (2 + {same} ** 2)
{F} - {same}
jnp.{sum|mean|std|var}({F1} + jnp.arange({again}.shape[-1]), axis={axes})
jnp.cumsum({F1}, axis={axis}) / 2
jnp.prod(jnp.tanh({F1}) + 2, axis={axis}) / 8
lax.cumprod(jnp.tanh({F1}) + 1.5, axis=0) / 4
lax.cumlogsumexp({F1}, axis=0)
jnp.dot({F1}, {again}.T) / 4
jnp.einsum("...i,...i->...", {F1}, {same})
lax.conv_general_dilated(jnp.tanh({F:3}), {same} / 4, (1,), "SAME")
jnp.fft.rfft({F1}).real
jnp.linalg.{inv|cholesky|slogdet|det|eigvalsh}({spd} + jnp.tanh(jnp.sum({F})) / 4)
jnp.linalg.solve({spd}, jnp.ones(3) * jnp.tanh(jnp.sum({F})))
jnp.reshape({F}, {reshape})
jnp.transpose({F})
jnp.concatenate([{F1}, {same}], axis={axis})
jnp.pad({F1}, 1, mode="{constant|edge|wrap}")
jnp.roll({F1}, 1, {axis})
({F1})[{idx}]
({F1}).at[{idx}].{add|multiply|set}(0.5)
jnp.take({F1}, jnp.array([0, -1]), axis={axis})
jax.ops.segment_sum({F1}, jnp.arange({again}.shape[0]) % 2, num_segments=2)
lax.associative_scan(jnp.multiply, jnp.tanh({F1}) + 1)
jax.scipy.special.{erf|ndtr|expit|i0e|digamma}(jnp.tanh({F}) + 1.5)
jax.scipy.special.gammaln(jnp.tanh({F}) + 2.5)
jax.scipy.special.zeta(jnp.tanh({F}) + 2.5, 1.5)
lax.map(lambda u: jnp.sin(u) * u, {F1})
lax.scan(lambda c, u: (jnp.tanh(c + u.sum()), c * u), 0.25, {F1})
lax.scan(lambda c, u: (jnp.tanh(c) + u.sum(), c), 0.5, {F1})
lax.fori_loop(0, 3, lambda i, u: jnp.sin(u) + u / 2, {F})
lax.cond(True, lambda u: u * jnp.cos(u), lambda u: u, {F})
jax.checkpoint(lambda u: jnp.sin(jnp.sin(u)))({F})
jax.vmap(lambda u: jnp.sum(jnp.cos(u)) * u)({F1})
jax.grad(lambda u: jnp.sum(jnp.sin(u) ** 2))({F})
jax.jvp(jnp.tanh, ({F},), ({same},))
"""
