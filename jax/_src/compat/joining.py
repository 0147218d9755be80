"""The classes of `jax.numpy.r_` and `jax.numpy.c_`, of which libraries make subclasses."""

from typing import Any

from jax._src.numpy import index_grids


class _AxisConcat:
    """Joins the arrays between brackets; subclasses say along which axis."""

    axis: int
    ndmin: int
    trans1d: int
    op_name: str

    def __getitem__(self, key: Any) -> Any:
        defaults = self.axis, self.ndmin, self.trans1d
        return index_grids.Joiner(self.op_name, *defaults, type(self).__doc__ or "")[
            key
        ]

    def __len__(self) -> int:
        return 0


class RClass(_AxisConcat):
    """Arrays, numbers and ranges joined along the first axis: `jax.numpy.r_`."""

    axis = 0
    ndmin = 1
    trans1d = -1
    op_name = "r_"


class CClass(_AxisConcat):
    """Arrays side by side, vectors as columns: `jax.numpy.c_`."""

    axis = -1
    ndmin = 2
    trans1d = 0
    op_name = "c_"
