"""Source maps of jaxprs."""

from jax._src.source_maps.locations import (
    canonicalize_filename as canonicalize_filename,
)
from jax._src.source_maps.passes import (
    compile_jaxpr as compile_jaxpr,
    make_jaxpr_dump as make_jaxpr_dump,
)
