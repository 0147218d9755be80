"""The vonmises distribution."""

from jax._src.scipy.stats import continuous as _table

logpdf = _table.vonmises_logpdf
pdf = _table.vonmises_pdf
