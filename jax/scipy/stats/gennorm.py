"""The gennorm distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.gennorm_cdf
logpdf = _table.gennorm_logpdf
pdf = _table.gennorm_pdf
