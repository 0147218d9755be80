"""Student's t distribution."""

from jax._src.scipy.stats import continuous as _table

logpdf = _table.t_logpdf
pdf = _table.t_pdf
