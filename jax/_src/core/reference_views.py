"""Reading and writing through references: parts of an array, and the array in other shapes.

A view is a reference and the steps that lead from its array to what is seen. It is read by
going the steps forth, and written by going them back.
"""

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors
from jax._src.core import avals, reference_types


class Step:
    """From an array to what is seen of it, and back.

    Args:
        name: what the step does, such as ``transpose``.
        argument: with what.
        seen: from the array to what is seen.
        put_back: from the array and another value of that, to the array with it.
    """

    __slots__ = ("argument", "name", "put_back", "seen")

    def __init__(self, name: str, argument: Any, seen: Callable, put_back: Callable):
        self.name = name
        self.argument = argument
        self.seen = seen
        self.put_back = put_back

    def __repr__(self) -> str:
        return f"{self.name}({self.argument})"


class IndexStep(Step):
    """From an array in a kernel to the part that an index names: an entry per dimension."""

    __slots__ = ()

    @property
    def indices(self) -> tuple[Any, ...]:
        """The entries: integers, index arrays, or slices with a start and a size."""
        return self.argument


def _indexed(index):
    def seen(array):
        check_bounds(array.shape, index)
        return array if _is_whole(index) else array[index]

    def put_back(array, value):
        check_bounds(array.shape, index)
        if _is_whole(index) and value.shape == array.shape:
            return value
        return array.at[index].set(value)

    return Step("index", index, seen, put_back)


def _reshaped(shape):
    return Step(
        "reshape",
        shape,
        lambda array: array.reshape(shape),
        lambda array, value: value.reshape(array.shape),
    )


def _transposed(axes):
    back = tuple(axes.index(axis) for axis in range(len(axes)))
    return Step(
        "transpose",
        axes,
        lambda array: array.transpose(axes),
        lambda array, value: value.transpose(back),
    )


def _bitcast(dtype):
    return Step(
        "bitcast",
        dtype,
        lambda array: _viewed(array, dtype),
        lambda array, value: _viewed(value, array.dtype),
    )


def _viewed(array, dtype):
    """The bits as another dtype; the last axis but one grows or shrinks with the width."""
    if array.dtype.itemsize == dtype.itemsize:
        return array.view(dtype)
    return array.swapaxes(-1, -2).view(dtype).swapaxes(-1, -2)


class Access:
    """Rules for naming, reading and writing parts of references of some types."""

    __slots__ = ()

    def step(self, shape: Sequence[int], index: Any) -> Step:
        """The step from an array to the part that an index names.

        Raises:
            ValueError: the index names none.
        """
        raise NotImplementedError

    def read(self, ref: Any, index: Any) -> Any:
        """What a part of a reference or view holds."""
        raise NotImplementedError

    def write(self, ref: Any, index: Any, value: Any, how: str) -> None:
        """Writes a value to a part of a reference or view: ``"set"``, or ``"add"``."""
        raise NotImplementedError


class ViewsAt:
    """What ``ref.at`` is: index it to name the part."""

    __slots__ = ("ref",)

    def __init__(self, ref: Any):
        self.ref = ref

    def __getitem__(self, index: Any) -> "TransformedRef":
        return view(self.ref, self.ref.step(index))


class AbstractView:
    """What is read and written of an array that is looked at: the whole, or a view."""

    __slots__ = ()

    # A view answers these, for what is seen.
    shape: Any
    dtype: Any
    access: Any
    read: Callable[[], Any]
    write: Callable[[Any], None]

    def step(self, index: Any) -> Step:
        """The step to the part that an index names."""
        if self.access is None:
            return _indexed(index)
        return self.access.step(self.shape, index)

    @property
    def at(self) -> ViewsAt:
        """Views: ``ref.at[index]`` is a reference to a part."""
        return ViewsAt(self)

    @property
    def T(self) -> "TransformedRef":
        """A view with the axes reversed."""
        return self.transpose(tuple(reversed(range(len(self.shape)))))

    def transpose(self, permutation: Sequence[int]) -> "TransformedRef":
        """A view with the axes in another order."""
        axes = tuple(permutation)
        if sorted(axes) != list(range(len(self.shape))):
            raise errors.value_error(
                "ref.transpose: these are not the axes, each once.",
                [("permutation", str(axes)), ("shape", str(self.shape))],
            )
        return view(self, _transposed(axes))

    def reshape(self, *shape: Any) -> "TransformedRef":
        """A view of the elements in another shape."""
        wanted = (
            shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
        )
        wanted = tuple(int(size) for size in wanted)
        if wanted.count(-1) == 1:
            others = -math.prod(wanted)
            found = math.prod(self.shape) // others if others else 0
            wanted = tuple(found if size == -1 else size for size in wanted)
        if min(wanted, default=0) < 0 or math.prod(wanted) != math.prod(self.shape):
            raise errors.value_error(
                "ref.reshape: the view has another number of elements.",
                [("shape", str(self.shape)), ("requested", str(wanted))],
            )
        return view(self, _reshaped(wanted))

    def bitcast(self, dtype: Any) -> "TransformedRef":
        """A view of the bits as elements of another dtype.

        Where it differs in width, the last axis but one grows or shrinks accordingly.
        """
        wanted, own = np.dtype(dtype), self.dtype.itemsize
        if wanted.itemsize != own and (
            len(self.shape) < 2 or self.shape[-2] * own % wanted.itemsize
        ):
            raise errors.value_error(
                "ref.bitcast: the elements differ in width, and do not fit.",
                [
                    ("reference", f"{self.dtype}{list(self.shape)}"),
                    ("requested", str(wanted)),
                ],
                "Bits of the last axis but one are put together, or taken apart.",
            )
        return view(self, _bitcast(wanted))

    def __getitem__(self, idx: Any) -> Any:
        if self.access is not None:
            return self.access.read(self, idx)
        return self.step(idx).seen(self.read())

    def __setitem__(self, idx: Any, x: Any) -> None:
        write_part(self, idx, x, "set")

    def get(self, idx: Any = ()) -> Any:
        """What is at `idx`, by default the whole."""
        return self[idx]

    def set(self, value: Any, idx: Any = ()) -> None:
        """Writes `value` to what is at `idx`, by default to the whole."""
        self[idx] = value

    def swap(self, value: Any, idx: Any = ()) -> Any:
        """Writes `value`, and returns what was there."""
        old = self[idx]
        self[idx] = value
        return old

    def addupdate(self, x: Any, idx: Any = ()) -> None:
        """Adds `x` to the elements at `idx`, by default to all."""
        write_part(self, idx, x, "add")


class TransformedRef(AbstractView):
    """A view of a reference, read and written as a reference itself.

    Args:
        ref: the reference.
        transforms: the steps from its array to what is seen.
    """

    __slots__ = ("ref", "transforms")

    def __init__(self, ref: Any, transforms: Sequence[Any]):
        self.ref = ref
        self.transforms = tuple(transforms)

    @property
    def access(self) -> Any:  # type: ignore[override]
        """The rules for parts of the reference: an `Access`, or None."""
        return self.ref.access

    def read(self) -> Any:
        """What is seen of the array."""
        array = self.ref.read()
        for step in self.transforms:
            array = step.seen(array)
        return array

    def write(self, value: Any) -> None:
        """Replaces the elements that the view shows."""
        self.ref.write(_written(self.ref.read(), self.transforms, value))

    @property
    def aval(self) -> reference_types.AbstractRef:
        """The type of a reference to what is seen."""
        return reference_types.AbstractRef(avals.get_aval(self.read()))

    @property
    def type(self) -> Any:
        """The type of what is seen."""
        return avals.get_aval(self.read())

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is seen."""
        return self.type.shape

    @property
    def dtype(self) -> Any:
        """The dtype of what is seen."""
        return self.type.dtype

    @property
    def ndim(self) -> int:
        """The number of axes of what is seen."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of what is seen."""
        return self.type.size

    def __repr__(self) -> str:
        return f"TransformedRef({self.ref!r}, {self.transforms!r})"


class _Recipe:
    """How the steps of a view are made of the traced parts of its indices.

    Equal where the same steps would be made.
    """

    __slots__ = ("key", "parts")

    def __init__(self, parts: list):
        self.parts = parts
        self.key = tuple(
            (part.name, repr(part.argument))
            if isinstance(part, Step)
            else (part[0], repr(["a value" if x is _VALUE else x for x in part[1]]))
            for part in parts
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Recipe) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"steps{list(self.key)}"

    def steps(self, values: Sequence[Any]) -> list[Step]:
        """The steps, with these values in the indices."""
        rest = iter(values)
        return [
            part
            if isinstance(part, Step)
            else _indexed(_filled(part[0], part[1], rest))
            for part in self.parts
        ]


# Where the index of a view has a value of the program.
_VALUE = object()


def _filled(structure, fixed, rest):
    leaves = [next(rest) if x is _VALUE else x for x in fixed]
    return tree.tree_unflatten(structure, leaves)


def _flatten_view(seen):
    parts: list[Any] = []
    values: list[Any] = []
    for step in seen.transforms:
        if step.name != "index":
            parts.append(step)
            continue
        leaves, structure = tree.tree_flatten(step.argument)
        # Slices, None and numbers are part of the structure.
        is_value = [
            avals.is_value(x) and not isinstance(x, numbers.Number) for x in leaves
        ]
        values += [x for x, found in zip(leaves, is_value, strict=True) if found]
        pairs = zip(leaves, is_value, strict=True)
        fixed = [_VALUE if found else leaf for leaf, found in pairs]
        parts.append((structure, fixed))
    return (seen.ref, *values), _Recipe(parts)


def _unflatten_view(recipe, children):
    ref, *values = children
    return TransformedRef(ref, recipe.steps(values))


# A view is an argument of functions as the reference that it sees.
tree.register_pytree_node(TransformedRef, _flatten_view, _unflatten_view)


def members() -> dict[str, Any]:
    """What every view has, by name, for the types of references."""
    return {k: v for k, v in vars(AbstractView).items() if k[0] != "_"}


def _is_whole(index):
    return index is Ellipsis or (isinstance(index, tuple) and not index)


def view(ref: Any, step: Step) -> "TransformedRef":
    """The view of a reference, or of a view, that one more step leads to."""
    if isinstance(ref, TransformedRef):
        return TransformedRef(ref.ref, (*ref.transforms, step))
    return TransformedRef(ref, (step,))


def _written(array, steps, value):
    """The array after a value was written to what some steps lead to."""
    if not steps:
        return value
    first, *rest = steps
    return first.put_back(array, _written(first.seen(array), rest, value))


def write_part(ref: Any, index: Any, value: Any, how: str) -> None:
    """Writes a value to a part of a reference or view: ``"set"``, or ``"add"``."""
    if ref.access is not None:
        ref.access.write(ref, index, value, how)
        return
    held = ref.read()
    check_bounds(held.shape, index)
    _check_dtype(ref, value)
    given: Any = avals.get_aval(value)
    if how == "set" and _is_whole(index) and given.shape == held.shape:
        ref.write(value)
        return
    part = held.at[index]
    ref.write(part.set(value) if how == "set" else part.add(value))


def check_bounds(shape: Sequence[int], index: Any) -> None:
    """Refuses static integers that are out of bounds; index arrays may hold any number."""
    entries = index if isinstance(index, tuple) else (index,)
    if not all(map(_is_plain, entries)):
        return
    cut = next((i for i, e in enumerate(entries) if e is Ellipsis), len(entries))
    ahead = zip(entries[:cut], shape, strict=False)
    behind = zip(reversed(entries[cut + 1 :]), reversed(shape), strict=False)
    for entry, size in (*ahead, *behind):
        if not isinstance(entry, slice) and not -size <= entry < size:
            raise errors.value_error(
                "An index of a reference is out of bounds.",
                [("index", str(entry)), ("size of the axis", str(size))],
                "A static index is within the bounds of its axis.",
            )


def _is_plain(entry):
    is_number = isinstance(entry, numbers.Integral) and not isinstance(entry, bool)
    return is_number or entry is Ellipsis or isinstance(entry, slice)


# Python numbers and weakly typed values become any dtype of their kind or a wider one.
_RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}


def _check_dtype(ref, value):
    given, wanted = avals.get_aval(value), ref.dtype
    if isinstance(given, reference_types.AbstractRef):
        raise not_an_array(value)
    if given.dtype == wanted:
        return
    if given.weak_type and _RANKS.get(given.dtype.kind, 9) <= _RANKS.get(
        getattr(wanted, "kind", ""), -1
    ):
        return
    raise errors.value_error(
        "A value of another dtype was written to a reference.",
        [
            ("reference", f"Ref{{{ref.dtype}{list(ref.shape)}}}"),
            ("value", given.str_short()),
        ],
        "A reference keeps its dtype, and nothing is converted unseen.",
        f"Convert the value: x.astype({ref.dtype}).",
    )


def not_an_array(ref: Any) -> TypeError:
    """The error for a reference where an array is needed."""
    return errors.type_error(
        "A reference was given where an array is needed.",
        [("reference", repr(ref.aval))],
        "Operations take arrays.",
        "Read it: ref[...].",
    )
