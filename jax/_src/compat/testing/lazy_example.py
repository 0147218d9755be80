"""A submodule that is imported when it is first named, on which that is tried."""


def a_function() -> int:
    """A number."""
    return 42


submodules = ["lazy_test_submodule"]
