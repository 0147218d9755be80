"""The pareto distribution."""

from jax._src.scipy.stats import continuous as _table

cdf = _table.pareto_cdf
logcdf = _table.pareto_logcdf
logpdf = _table.pareto_logpdf
logsf = _table.pareto_logsf
pdf = _table.pareto_pdf
ppf = _table.pareto_ppf
sf = _table.pareto_sf
