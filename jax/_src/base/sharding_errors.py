"""Exceptions about where arrays lie. They are private: users catch `ValueError`."""


class IndivisibleError(ValueError):
    """An axis of an array cannot be cut evenly into as many parts as a sharding says."""


class DuplicateSpecError(ValueError):
    """A `PartitionSpec` uses an axis of its mesh twice."""
