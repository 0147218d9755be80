"""The expon distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.expon_cdf
logcdf = _table.expon_logcdf
logpdf = _table.expon_logpdf
logsf = _table.expon_logsf
pdf = _table.expon_pdf
ppf = _table.expon_ppf
sf = _table.expon_sf
