"""The gumbel r distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.gumbel_r_cdf
logcdf = _table.gumbel_r_logcdf
logpdf = _table.gumbel_r_logpdf
logsf = _table.gumbel_r_logsf
pdf = _table.gumbel_r_pdf
ppf = _table.gumbel_r_ppf
sf = _table.gumbel_r_sf
