"""The versions of what is built here. tests/house compares them with `jax/version.py` and `jaxlib/version.py`."""

# The release of upstream whose API this speaks, with no label of ours: libraries split it at the dots into numbers, and pin it.
JAX_VERSION = "0.10.2"

# From 0.11.0 on: libraries ask for jaxlib>=0.7, and a lower number would make pip fetch another's.
JAXLIB_VERSION = "0.11.0"

# The tag that the linked glibc and libstdc++ ask for.
PLATFORM = "manylinux_2_36_x86_64"
