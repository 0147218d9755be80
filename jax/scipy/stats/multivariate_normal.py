"""The multivariate normal distribution."""

from jax._src.scipy.stats import multivariate as _table

logpdf = _table.multivariate_normal_logpdf
pdf = _table.multivariate_normal_pdf
