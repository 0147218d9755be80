"""Compile options as other libraries set them. A door."""

from jaxlib.compile_options import CompileOptions as CompileOptions
