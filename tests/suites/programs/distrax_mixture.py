"""distrax 0.1.9: samples, mixtures, a bijector and a hidden Markov model."""

import distrax

import jax
import jax.numpy as jnp

key = jax.random.PRNGKey(1234)
d = distrax.MultivariateNormalDiag(jnp.array([-1.0, 1.0]), jnp.array([0.5, 2.0]))
samples, logprob = d.sample_and_log_prob(seed=key, sample_shape=(3,))
print(samples, logprob)
mix = distrax.MixtureSameFamily(
    mixture_distribution=distrax.Categorical(probs=jnp.array([0.3, 0.7])),
    components_distribution=distrax.Normal(jnp.array([0.0, 3.0]), jnp.ones(2)),
)
print(mix.mean(), mix.variance(), mix.log_prob(1.5), mix.sample(seed=key))
print(
    distrax.Categorical(logits=jnp.array([1.0, 2.0])).kl_divergence(
        distrax.Categorical(logits=jnp.zeros(2))
    )
)
t = distrax.Transformed(distrax.Normal(0.0, 1.0), distrax.Block(distrax.Tanh(), 0))
print(jax.grad(lambda x: t.log_prob(x))(0.3), t.bijector.forward_and_log_det(0.2))
hmm = distrax.HMM(
    trans_dist=distrax.Categorical(probs=jnp.array([[0.8, 0.2], [0.4, 0.6]])),
    init_dist=distrax.Categorical(probs=jnp.array([0.5, 0.5])),
    obs_dist=distrax.Normal(jnp.array([0.0, 3.0]), jnp.ones(2)),
)
print(hmm.viterbi(jnp.array([0.1, 2.9, 3.3])))
print(d)

# Upstream prints:
#   [[-0.4484492  2.7261245]
#    [-1.1693412  3.0544915]
#    [-1.5367901  1.6587462]] [-2.8187318 -2.4228468 -2.4684076]
#   2.1 2.8899999 -2.0439386 1.5269387
#   0.11094414
#   0.31920907 (Array(0.19737528, dtype=float32, weak_type=True), Array(-0.03973615, dtype=float32))
#   [0 1 1]
#   <distrax._src.distributions.mvn_diag.MultivariateNormalDiag object at 0x7f08c7a55890>
