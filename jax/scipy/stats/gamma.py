"""The gamma distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.gamma_cdf
logcdf = _table.gamma_logcdf
logpdf = _table.gamma_logpdf
logsf = _table.gamma_logsf
pdf = _table.gamma_pdf
sf = _table.gamma_sf
