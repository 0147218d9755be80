"""The gumbel l distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.gumbel_l_cdf
logcdf = _table.gumbel_l_logcdf
logpdf = _table.gumbel_l_logpdf
logsf = _table.gumbel_l_logsf
pdf = _table.gumbel_l_pdf
ppf = _table.gumbel_l_ppf
sf = _table.gumbel_l_sf
