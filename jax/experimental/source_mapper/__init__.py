"""Which line of a program came from which line of the user's files."""

from jax._src.base import doc_examples as _doc_examples
from jax._src.source_maps.locations import (
    canonicalize_filename as canonicalize_filename,
    create_mlir_sourcemap as create_mlir_sourcemap,
)
from jax._src.source_maps.maps import (
    MappingsGenerator as MappingsGenerator,
    SourceMap as SourceMap,
)
from jax._src.source_maps.passes import (
    Pass as Pass,
    SourceMapDump as SourceMapDump,
    all_passes as all_passes,
    compile_with_env as compile_with_env,
    filter_passes as filter_passes,
    generate_sourcemaps as generate_sourcemaps,
    register_pass as register_pass,
)
from jax.experimental.source_mapper import (
    common as common,
    generate_map as generate_map,
    hlo as hlo,
    jaxpr as jaxpr,
    mlir as mlir,
)

_doc_examples.attach(__name__)
