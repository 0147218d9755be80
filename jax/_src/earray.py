"""Arrays of dtypes that other libraries define, where they look for them."""

from jax._src.runtime.extended_arrays import EArray as EArray
