"""The multinomial distribution."""

from jax._src.scipy.stats import multivariate as _table

logpmf = _table.multinomial_logpmf
pmf = _table.multinomial_pmf
