"""What libraries of releases before 0.10 use: only where `JAX_COMPAT` reaches back.

Importing it gives equations the parameters of that time, and `jax.pmap` its primitive.
"""

from jax._src.compat.older import maps as maps, parameters as parameters
