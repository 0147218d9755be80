"""Random numbers from explicit keys. A door."""

from jax._src.random.basic import (
    bits as bits,
    choice as choice,
    normal as normal,
    permutation as permutation,
    randint as randint,
    uniform as uniform,
)
from jax._src.random.compound import (
    ball as ball,
    double_sided_maxwell as double_sided_maxwell,
    generalized_normal as generalized_normal,
    multivariate_normal as multivariate_normal,
    orthogonal as orthogonal,
)
from jax._src.random.continuous import (
    bernoulli as bernoulli,
    categorical as categorical,
    cauchy as cauchy,
    exponential as exponential,
    geometric as geometric,
    gumbel as gumbel,
    laplace as laplace,
    logistic as logistic,
    lognormal as lognormal,
    maxwell as maxwell,
    pareto as pareto,
    rademacher as rademacher,
    rayleigh as rayleigh,
    triangular as triangular,
    truncated_normal as truncated_normal,
    wald as wald,
    weibull_min as weibull_min,
)
from jax._src.random.gamma import (
    beta as beta,
    chisquare as chisquare,
    dirichlet as dirichlet,
    f as f,
    gamma as gamma,
    loggamma as loggamma,
    random_gamma_p as random_gamma_p,
    t as t,
)
from jax._src.random.keys import (
    PRNGKey as PRNGKey,
    clone as clone,
    fold_in as fold_in,
    key as key,
    key_data as key_data,
    key_dtype as key_dtype,
    key_impl as key_impl,
    split as split,
    wrap_key_data as wrap_key_data,
)
from jax._src.random.rejection import (
    binomial as binomial,
    multinomial as multinomial,
    poisson as poisson,
)
