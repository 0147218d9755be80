"""The poisson distribution."""

from jax._src.scipy.stats import discrete as _table

cdf = _table.poisson_cdf
entropy = _table.poisson_entropy
logpmf = _table.poisson_logpmf
pmf = _table.poisson_pmf
