"""The wrapcauchy distribution."""

from jax._src.scipy.stats import continuous as _table

logpdf = _table.wrapcauchy_logpdf
pdf = _table.wrapcauchy_pdf
