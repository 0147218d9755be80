"""The forms of programs, and what makes them."""

from jax._src.source_maps.passes import (
    CompileFn as CompileFn,
    GenerateDumpFn as GenerateDumpFn,
    Pass as Pass,
    SourceMapDump as SourceMapDump,
    all_passes as all_passes,
    compile_with_env as compile_with_env,
    filter_passes as filter_passes,
    flag_env as flag_env,
    register_pass as register_pass,
)
