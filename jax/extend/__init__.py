"""What libraries that extend the package may build on."""

from jax.extend import (
    backend as backend,
    core as core,
    linear_util as linear_util,
    lowering as lowering,
    random as random,
    sharding as sharding,
    source_info_util as source_info_util,
)
from jax._src.base import lazy as _lazy

_PARTS = ("mlir", "pallas")
__getattr__ = _lazy.submodules(__name__, _PARTS)
__dir__ = _lazy.listing(__name__, _PARTS)
