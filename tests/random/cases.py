"""What `expected.npz` holds: samples by name, recorded with JAX 0.10.2 on its own CPU compiler."""

import numpy as np

from jax import random

GENERATORS = (
    "threefry2x32",
    "rbg",
    "unsafe_rbg",
    "threefry4x32",
    "philox2x32",
    "philox4x32",
)
PROBABILITIES = np.array([0.1, 0.2, 0.3, 0.4], "f4")
LOGITS = np.log(np.array([[0.1, 0.9], [0.5, 0.5]], "f4"))
LOGITS_OF_THREE = np.log(np.array([[0.1, 0.8, 0.1], [0.5, 0.3, 0.2]], "f4"))
ODD_COUNTS = np.array([np.nan, -1.0, np.inf, 5.0, 5.0, 5.0, 0.0], "f4")
ODD_PROBABILITIES = np.array([0.5, 0.5, 0.5, np.nan, -0.1, 1.0, 0.5], "f4")
SQUARE = np.arange(12).reshape(3, 4)

# Of keys and bits: the same for every generator.
OF_KEYS = {
    "key": lambda k: k,
    "split": lambda k: random.split(k, 3),
    "fold_in": lambda k: random.fold_in(k, 7),
    "bits 8": lambda k: random.bits(k, (3, 5), "uint8"),
    "bits 16": lambda k: random.bits(k, (3, 5), "uint16"),
    "bits 32": lambda k: random.bits(k, (3, 5), "uint32"),
}

# Of the default generator.
SAMPLERS = {
    "ball": lambda k: random.ball(k, 3, shape=(4,)),
    "ball, norm 1": lambda k: random.ball(k, 2, 1, (4,)),
    "bernoulli": lambda k: random.bernoulli(k, 0.3, (7,)),
    "beta": lambda k: random.beta(k, 2.0, 0.5, (6,)),
    "binomial, few": lambda k: random.binomial(k, 10.0, 0.3, (50,)),
    "binomial, many": lambda k: random.binomial(k, 1000.0, 0.7, (50,)),
    "binomial, odd parameters": lambda k: random.binomial(
        k, ODD_COUNTS, ODD_PROBABILITIES
    ),
    "categorical": lambda k: random.categorical(k, LOGITS),
    "categorical, more": lambda k: random.categorical(k, LOGITS, shape=(3, 2)),
    "categorical, without replacement": lambda k: random.categorical(
        k, LOGITS_OF_THREE, shape=(2, 2), replace=False
    ),
    "cauchy": lambda k: random.cauchy(k, (6,)),
    "chisquare": lambda k: random.chisquare(k, 3.0, (6,)),
    "choice": lambda k: random.choice(k, 10, (4,)),
    "choice of columns": lambda k: random.choice(k, SQUARE, (2,), axis=1),
    "choice, weighted": lambda k: random.choice(k, 4, (6,), p=PROBABILITIES),
    "choice, weighted, without replacement": lambda k: random.choice(
        k, 4, (3,), replace=False, p=PROBABILITIES
    ),
    "choice, without replacement": lambda k: random.choice(k, 10, (4,), replace=False),
    "dirichlet": lambda k: random.dirichlet(k, PROBABILITIES, (3,)),
    "double_sided_maxwell": lambda k: random.double_sided_maxwell(k, 1.0, 2.0, (6,)),
    "exponential": lambda k: random.exponential(k, (6,)),
    "f": lambda k: random.f(k, 3.0, 5.0, (6,)),
    "gamma": lambda k: random.gamma(
        k, np.array([0.0, 0.1, 0.7, 1.0, 3.0, 100.0], "f4")
    ),
    "gamma, many": lambda k: random.gamma(k, 2.5, (3, 30)),
    "generalized_normal": lambda k: random.generalized_normal(k, 1.5, (6,)),
    "geometric": lambda k: random.geometric(k, 0.2, (6,)),
    "gumbel": lambda k: random.gumbel(k, (6,)),
    "gumbel, high": lambda k: random.gumbel(k, (6,), mode="high"),
    "gumbel, highest": lambda k: random.gumbel(k, (20,), mode="highest"),
    "laplace": lambda k: random.laplace(k, (6,)),
    "loggamma": lambda k: random.loggamma(
        k, np.array([0.01, 0.1, 0.7, 1.0, 3.0, 100.0], "f4")
    ),
    "logistic": lambda k: random.logistic(k, (6,)),
    "lognormal": lambda k: random.lognormal(k, 2.0, (6,)),
    "maxwell": lambda k: random.maxwell(k, (6,)),
    "multinomial": lambda k: random.multinomial(k, 20.0, PROBABILITIES, shape=(5, 4)),
    "normal": lambda k: random.normal(k, (7,)),
    "normal, complex": lambda k: random.normal(k, (3,), "complex64"),
    "pareto": lambda k: random.pareto(k, 2.0, (6,)),
    "permutation": lambda k: random.permutation(k, 17),
    "permutation of columns": lambda k: random.permutation(k, SQUARE, axis=1),
    "permutation, independent": lambda k: random.permutation(
        k, SQUARE, axis=1, independent=True
    ),
    "poisson, large": lambda k: random.poisson(k, 40.0, (50,)),
    "poisson, odd parameters": lambda k: random.poisson(
        k, np.array([0, -1, np.nan], "f4")
    ),
    "poisson, small": lambda k: random.poisson(k, 3.0, (50,)),
    "rademacher": lambda k: random.rademacher(k, (6,)),
    "randint": lambda k: random.randint(k, (7,), 3, 100),
    "randint, int8": lambda k: random.randint(k, (7,), -128, 128, "int8"),
    "rayleigh": lambda k: random.rayleigh(k, 2.0, (6,)),
    "t": lambda k: random.t(k, 3.0, (6,)),
    "triangular": lambda k: random.triangular(k, 0.0, 1.0, 3.0, (6,)),
    "truncated_normal": lambda k: random.truncated_normal(k, -1.0, 2.0, (6,)),
    "uniform": lambda k: random.uniform(k, (7,)),
    "uniform, bfloat16": lambda k: random.uniform(k, (5,), "bfloat16").astype(
        "float32"
    ),
    "uniform, bounds": lambda k: random.uniform(k, (7,), minval=-2.0, maxval=3.0),
    "uniform, float16": lambda k: random.uniform(k, (5,), "float16"),
    "wald": lambda k: random.wald(k, 2.0, (6,)),
    "weibull_min": lambda k: random.weibull_min(k, 2.0, 3.0, (6,)),
}


def raw(x):
    """A NumPy array of a sample, of the words of keys."""
    return np.asarray(random.key_data(x) if "key<" in str(x.dtype) else x)
