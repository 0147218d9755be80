"""The truncnorm distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.truncnorm_cdf
logcdf = _table.truncnorm_logcdf
logpdf = _table.truncnorm_logpdf
logsf = _table.truncnorm_logsf
pdf = _table.truncnorm_pdf
sf = _table.truncnorm_sf
