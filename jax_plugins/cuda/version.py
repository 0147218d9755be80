"""The versions of this wheel and of what it drives."""

__version__ = "0.10.2"
# The release of XLA's library that it was tested with, and is refused without.
LIBRARY_VERSION = "0.10.2"
