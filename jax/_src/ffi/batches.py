"""Native functions that compute each batch element on its own."""

from jax._src.base import errors, traceback_filter

_targets: set[str] = set()


@traceback_filter.hides_frames
def register_ffi_target_as_batch_partitionable(name: str) -> None:
    """Lets a batch of calls of a native function be divided among devices.

    Where `vmap` with ``vmap_method="broadcast_all"`` or ``"expand_dims"`` made the batch,
    each device then calls the function for its rows; else the arrays are gathered.

    Args:
        name: the name of the target, registered before or after.

    Raises:
        TypeError: it is no string.
    """
    if not isinstance(name, str):
        raise TypeError(
            errors.explain(
                "register_ffi_target_as_batch_partitionable: this is no name.",
                [("name", repr(name))],
                ways="Pass the name that register_ffi_target was given.",
            )
        )
    _targets.add(name)


def is_partitionable(name: str) -> bool:
    """Whether batches of calls of a target may be divided."""
    return name in _targets
