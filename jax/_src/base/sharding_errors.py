"""Exceptions about shardings. They are private: users catch the classes that they derive from."""


class IndivisibleError(ValueError):
    """An axis of an array cannot be cut evenly into as many parts as a sharding says."""


class DuplicateSpecError(ValueError):
    """A `PartitionSpec` uses an axis of its mesh twice."""


class ShardingTypeError(Exception):
    """The shardings of the operands leave the sharding of the result open."""


class ForbiddenCollectiveError(Exception):
    """An operation communicates along a mesh axis inside of a block `no_collectives` that names it."""


ForbiddenCollectiveError.__module__ = "jax._src.core"
ShardingTypeError.__module__ = "jax._src.core"
