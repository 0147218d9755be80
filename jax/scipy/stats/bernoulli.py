"""The bernoulli distribution."""

from jax._src.scipy.stats import discrete as _table

cdf = _table.bernoulli_cdf
logpmf = _table.bernoulli_logpmf
pmf = _table.bernoulli_pmf
ppf = _table.bernoulli_ppf
