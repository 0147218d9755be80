"""The chi2 distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.chi2_cdf
logcdf = _table.chi2_logcdf
logpdf = _table.chi2_logpdf
logsf = _table.chi2_logsf
pdf = _table.chi2_pdf
sf = _table.chi2_sf
