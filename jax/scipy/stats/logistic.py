"""The logistic distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.logistic_cdf
isf = _table.logistic_isf
logpdf = _table.logistic_logpdf
pdf = _table.logistic_pdf
ppf = _table.logistic_ppf
sf = _table.logistic_sf
