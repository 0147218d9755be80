"""What is said of functions that only some hardware has."""

from jax._src.base import errors


def not_here(what: str, where: str, ways: str = "") -> NotImplementedError:
    """The error for a function that kernels can call on some hardware only."""
    return NotImplementedError(
        errors.explain(
            f"{what} works on {where} only.",
            rule="Kernels are interpreted here, with operations that every platform has.",
            ways=ways,
        )
    )
