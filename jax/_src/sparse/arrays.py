"""What all sparse arrays have in common."""

import math
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from jax._src.base import errors
from jax._src.core import trace
from jax._src.sparse import layouts

Shape = tuple[int, ...]


def _refused(what: str):
    """A method for an operation that the class does not have."""

    def refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise errors.not_implemented(
            f"{type(self).__name__} has no {what}.",
            [("array", repr(self))],
            ways="BCOO has the most operations: convert to it (BCSR.to_bcoo), or to a "
            "dense array with todense().",
        )

    return refuse


def _refused_operator(what: str):
    refuse = _refused(what)

    def operator(self, other):
        return refuse(self)

    return operator


class JAXSparse:
    """Abstract: an array whose buffers say which elements are stored, and their values.

    Sparse arrays are pytrees of their buffers: they go through `jit`, `vmap` and the other
    transformations. `jax.experimental.sparse.sparsify` applies functions written for
    dense arrays.
    """

    shape: Shape
    # The names of the buffers, in the order in which the constructor takes them.
    _BUFFERS: tuple[str, ...] = ()
    # NumPy leaves operators to this class.
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, args: tuple[Any, ...], *, shape: Sequence[int]):
        self.shape = tuple(int(s) if isinstance(s, np.integer) else s for s in shape)

    @property
    def _buffers(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._BUFFERS)

    @property
    def size(self) -> int:
        """The number of elements, stored or not."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._buffers[0].dtype

    @property
    def nse(self) -> int:
        """The number of elements that are stored for each element of the batch."""
        raise NotImplementedError

    @property
    def T(self) -> Any:
        """The array with its dimensions in reverse order."""
        return self.transpose()

    def transpose(self, axes: Sequence[int] | None = None) -> Any:
        """The array with its dimensions in another order."""
        return _refused("transpose")(self)

    def todense(self) -> Any:
        """The array with all its elements."""
        return _refused("todense")(self)

    def block_until_ready(self) -> Any:
        """Waits until the buffers are computed, and returns the array itself."""
        for buffer in self._buffers:
            buffer.block_until_ready()
        return self

    def tree_flatten(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The buffers, and all else."""
        raise NotImplementedError

    @classmethod
    def tree_unflatten(cls, aux_data: dict[str, Any], children: Any) -> Any:
        """The array of buffers that may be anything: nothing is checked."""
        buffers = dict(zip(cls._BUFFERS, children, strict=True))
        return from_leaves(cls, **buffers, **aux_data)

    def _note(self) -> str:
        """What `repr` says after the number of stored elements."""
        return ""

    def __repr__(self) -> str:
        name = type(self).__name__
        try:
            aval = f"{np.dtype(self.dtype).name}[{', '.join(map(str, self.shape))}]"
            text = f"{name}({aval}, nse={self.nse}{self._note()})"
        except Exception:  # buffers may be anything
            return f"{name}(<invalid>)"
        first = self._buffers[0]
        if isinstance(first, trace.Tracer):
            return f"{type(first).__name__}[{text}]"
        return text

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without dimensions")
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise errors.value_error(
            f"A {type(self).__name__} does not become a dense array by itself.",
            [("array", repr(self))],
            "Zeros would be stored.",
            "Call todense(), or apply the function with sparsify.",
        )

    __neg__ = _refused("negation")
    __pos__ = _refused("unary plus")
    __matmul__ = _refused_operator("product with what stands on its right")
    __rmatmul__ = _refused_operator("product with what stands on its left")
    __mul__ = __rmul__ = _refused_operator("elementwise product")
    __add__ = __radd__ = _refused_operator("sum")
    __sub__ = __rsub__ = _refused_operator("difference")
    sum = _refused("method sum")

    def __getitem__(self, item: Any) -> Any:
        return _refused("indexing")(self)


def from_leaves(cls: type, **fields: Any) -> Any:
    """An object with these attributes, whose constructor is not called."""
    made = object.__new__(cls)
    for name, value in fields.items():
        setattr(made, name, value)
    return made


class Batched(JAXSparse):
    """Abstract: an array with batch dimensions, sparse ones, and dense ones."""

    data: Any
    indices: Any
    indices_sorted: bool
    unique_indices: bool
    n_batch: int
    n_sparse: int

    @property
    def n_dense(self) -> int:
        """The number of dense dimensions."""
        return self.data.ndim - 1 - self.n_batch

    @property
    def _info(self) -> layouts.SparseInfo:
        return layouts.SparseInfo(self.shape, self.indices_sorted, self.unique_indices)

    @property
    def _kinds(self) -> layouts.Kinds:
        return layouts.kinds(self.shape, self.n_batch, self.n_sparse)

    def _note(self) -> str:
        batch = f", n_batch={self.n_batch}" if self.n_batch else ""
        return batch + (f", n_dense={self.n_dense}" if self.n_dense else "")

    def tree_flatten(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The buffers, and what `jit` compiles for."""
        return self._buffers, {
            "shape": self.shape,
            "indices_sorted": bool(self.indices_sorted),
            "unique_indices": bool(self.unique_indices),
        }
