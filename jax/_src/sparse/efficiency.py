"""What is said where a sparse array would be handled wastefully."""


class SparseEfficiencyError(ValueError):
    """A layout was requested that stores far more than is needed."""


class SparseEfficiencyWarning(UserWarning):
    """An operation on sparse arrays is slower, or stores more, than it seems."""


class CuSparseEfficiencyWarning(SparseEfficiencyWarning):
    """A library for GPUs was wanted, and something slower is used."""
