"""The betabinom distribution."""

from jax._src.scipy.stats import discrete as _table

logpmf = _table.betabinom_logpmf
pmf = _table.betabinom_pmf
