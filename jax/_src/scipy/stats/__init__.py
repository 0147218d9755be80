"""`jax.scipy.stats`: distributions as tables of formulas, and summaries of samples."""
