"""The nbinom distribution."""

from jax._src.scipy.stats import discrete as _table

logpmf = _table.nbinom_logpmf
pmf = _table.nbinom_pmf
