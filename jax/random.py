"""Random numbers from explicit keys."""

from jax._src.random.beta_dirichlet import beta as beta, dirichlet as dirichlet
from jax._src.random.chisquare_t_f import chisquare as chisquare, f as f, t as t
from jax._src.random.continuous import (
    cauchy as cauchy,
    exponential as exponential,
    gumbel as gumbel,
    laplace as laplace,
    logistic as logistic,
    lognormal as lognormal,
    pareto as pareto,
    rayleigh as rayleigh,
    triangular as triangular,
    wald as wald,
    weibull_min as weibull_min,
)
from jax._src.random.discrete import (
    bernoulli as bernoulli,
    binomial as binomial,
    categorical as categorical,
    geometric as geometric,
    multinomial as multinomial,
    poisson as poisson,
    rademacher as rademacher,
)
from jax._src.random.gamma import (
    gamma as gamma,
    loggamma as loggamma,
    random_gamma_p as random_gamma_p,
)
from jax._src.random.generalized_normal_maxwell import (
    double_sided_maxwell as double_sided_maxwell,
    generalized_normal as generalized_normal,
    maxwell as maxwell,
)
from jax._src.random.keys import (
    Key as Key,
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
from jax._src.random.multivariate import (
    ball as ball,
    multivariate_normal as multivariate_normal,
    orthogonal as orthogonal,
)
from jax._src.random.permutations import choice as choice, permutation as permutation
from jax._src.random.truncated_normals import truncated_normal as truncated_normal
from jax._src.random.uniform_normal import (
    bits as bits,
    normal as normal,
    randint as randint,
    uniform as uniform,
)
