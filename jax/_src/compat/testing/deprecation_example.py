"""A module with a name that is to go, on which tests of warnings are tried."""

from jax._src.compat import deprecations

x = 42
deprecated_y = 101
_deprecations = {"y": ("Please use x", deprecated_y)}
__getattr__ = deprecations.deprecation_getattr(__name__, _deprecations)
