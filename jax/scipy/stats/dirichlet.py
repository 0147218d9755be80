"""The dirichlet distribution."""

from jax._src.scipy.stats import multivariate as _table

logpdf = _table.dirichlet_logpdf
pdf = _table.dirichlet_pdf
