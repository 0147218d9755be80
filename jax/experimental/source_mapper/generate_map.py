"""Texts of programs with source maps."""

from jax._src.source_maps.passes import (
    SourceMapGeneratorFn as SourceMapGeneratorFn,
    generate_sourcemaps as generate_sourcemaps,
)
