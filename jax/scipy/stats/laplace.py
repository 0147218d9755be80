"""The laplace distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.laplace_cdf
logpdf = _table.laplace_logpdf
pdf = _table.laplace_pdf
