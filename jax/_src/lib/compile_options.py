"""Compile options as other libraries set them."""

from jaxlib.compile_options import CompileOptions as CompileOptions
