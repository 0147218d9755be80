"""Exceptions about where arrays lie. They are private: users catch what they derive from."""


class IndivisibleError(ValueError):
    """An axis of an array cannot be cut evenly into as many parts as a sharding says."""


class DuplicateSpecError(ValueError):
    """A `PartitionSpec` uses an axis of its mesh twice."""


class ShardingTypeError(Exception):
    """Operands lie in a way for which an operation has no one answer."""


ShardingTypeError.__module__ = "jax._src.core"
