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
