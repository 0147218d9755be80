"""The beta distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.beta_cdf
logcdf = _table.beta_logcdf
logpdf = _table.beta_logpdf
logsf = _table.beta_logsf
pdf = _table.beta_pdf
sf = _table.beta_sf
