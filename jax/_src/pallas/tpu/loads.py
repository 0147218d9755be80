"""Masked loads and stores, as kernels for TPUs write them."""

from typing import Any

from jax._src.pallas import masking


def load(ref: Any, *, mask: Any = None) -> Any:
    """What a reference or view holds.

    Args:
        ref: the reference or view.
        mask: Booleans that broadcast to its shape; the other elements are unspecified.

    Raises:
        ValueError: the mask does not fit.
    """
    return masking.load(ref, mask)


def store(ref: Any, val: Any, *, mask: Any = None) -> None:
    """Writes to a reference or view where `mask` is True; without a mask, to every element.

    Raises:
        ValueError: the value or the mask does not fit.
    """
    masking.store(ref, val, mask)
