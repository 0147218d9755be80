"""Arrays of the extended dtypes of libraries, where these look for them. A door."""

from jax._src.runtime.earray import EArray as EArray
