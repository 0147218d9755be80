"""The versions of what is built here. tests/house compares them with `jax/version.py` and `jaxlib/version.py`."""

# The front end speaks upstream's API of 0.10.2; the label tells the wheels apart.
JAX_VERSION = "0.10.2+anew1"

# From 0.11.0 on: libraries ask for jaxlib>=0.7, and a lower number would make pip fetch another's.
JAXLIB_VERSION = "0.11.0"

# The tag that the linked glibc and libstdc++ ask for.
PLATFORM = "manylinux_2_36_x86_64"
