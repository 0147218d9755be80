"""The binom distribution."""

from jax._src.scipy.stats import discrete as _table

logpmf = _table.binom_logpmf
pmf = _table.binom_pmf
