"""What stands for terms, and for whole series, that are zero. Both are trees without leaves."""

from jax._src import tree


class ZeroTerm:
    """One term that is zero."""


class ZeroSeries:
    """The series of a value that does not move."""


zero_term = ZeroTerm()
zero_series = ZeroSeries()
tree.register_pytree_node(ZeroTerm, lambda _: ((), None), lambda _, xs: zero_term)
tree.register_pytree_node(ZeroSeries, lambda _: ((), None), lambda _, xs: zero_series)
