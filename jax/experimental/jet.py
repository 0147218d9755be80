"""Taylor series of functions along curves."""

from jax._src.jet import fact as fact, jet as jet, jet2 as jet2
