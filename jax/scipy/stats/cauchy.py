"""The cauchy distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.cauchy_cdf
isf = _table.cauchy_isf
logcdf = _table.cauchy_logcdf
logpdf = _table.cauchy_logpdf
logsf = _table.cauchy_logsf
pdf = _table.cauchy_pdf
ppf = _table.cauchy_ppf
sf = _table.cauchy_sf
