"""Source maps of what compilers read and write."""

from jax._src.source_maps.locations import (
    METADATA_REGEX as METADATA_REGEX,
    parse_hlo_dump as parse_hlo_dump,
)
from jax._src.source_maps.passes import (
    HloPass as HloPass,
    optimized_generate_dump as optimized_generate_dump,
    original_hlo_generate_dump as original_hlo_generate_dump,
    stable_hlo_generate_dump as stable_hlo_generate_dump,
    trace_and_lower as trace_and_lower,
)
