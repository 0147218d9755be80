"""The norm distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.norm_cdf
isf = _table.norm_isf
logcdf = _table.norm_logcdf
logpdf = _table.norm_logpdf
logsf = _table.norm_logsf
pdf = _table.norm_pdf
ppf = _table.norm_ppf
sf = _table.norm_sf
