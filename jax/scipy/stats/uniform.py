"""The uniform distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.uniform_cdf
logpdf = _table.uniform_logpdf
pdf = _table.uniform_pdf
ppf = _table.uniform_ppf
