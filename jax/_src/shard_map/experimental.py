"""`shard_map` at its first path, with its first options."""

from collections.abc import Callable
from typing import Any

from jax._src.base.traceback_filter import hides_frames
from jax._src.shard_map import api


@hides_frames
def shard_map(
    f: Callable, mesh: Any, in_specs: Any, out_specs: Any, check_rep: bool = True
) -> Callable:
    """The first form of `jax.shard_map`, which replaces it.

    Args:
        f: the function for one device.
        mesh: the mesh.
        in_specs: how arguments are split.
        out_specs: how results are put together.
        check_rep: what `jax.shard_map` calls `check_vma`.
    """
    return api.shard_map(
        f, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=check_rep
    )
