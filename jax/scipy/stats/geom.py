"""The geom distribution."""

from jax._src.scipy.stats import discrete as _table

logpmf = _table.geom_logpmf
pmf = _table.geom_pmf
