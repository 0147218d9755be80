"""Helpers for sequences, names and caches that libraries take from `jax._src.util`."""

import collections
import functools as ft
import itertools
import operator
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import caches, config, util


def unzip2(xys: Iterable[tuple[Any, Any]]) -> tuple[tuple, tuple]:
    """The first and the second entries of pairs, as two tuples."""
    pairs = list(xys)
    return tuple(x for x, _ in pairs), tuple(y for _, y in pairs)


def unzip3(xyzs: Iterable[tuple[Any, Any, Any]]) -> tuple[tuple, tuple, tuple]:
    """The first, second and third entries of triples, as three tuples."""
    triples = list(xyzs)
    first, second, third = (tuple(t[i] for t in triples) for i in range(3))
    return first, second, third


def concatenate(xs: Iterable[Sequence]) -> list:
    """The entries of several sequences as one list."""
    return list(itertools.chain.from_iterable(xs))


def unflatten(xs: Iterable, ns: Sequence[int]) -> list[list]:
    """Takes lists of the lengths `ns` from one iterable, which must end there."""
    entries = iter(xs)
    parts = [list(itertools.islice(entries, n)) for n in ns]
    if sum(map(len, parts)) != sum(ns) or next(entries, entries) is not entries:
        raise ValueError(f"unflatten: the number of entries is not {sum(ns)}.")
    return parts


def split_list(args: Sequence, ns: Sequence[int]) -> list[list]:
    """Splits a sequence into parts of the lengths `ns`, and the rest."""
    rest = list(args)
    parts = []
    for n in ns:
        parts.append(rest[:n])
        rest = rest[n:]
    return [*parts, rest]


def split_list_checked(args: Sequence, ns: Sequence[int]) -> list[list]:
    """Splits a sequence into parts of the lengths `ns`, which must cover it.

    Raises:
        ValueError: the lengths do not add up to that of the sequence.
    """
    if sum(ns) != len(args):
        raise ValueError(
            f"split_list_checked: {len(args)} entries for lengths {tuple(ns)}."
        )
    return split_list(args, ns)[:-1]


def subs_list(subs: Sequence[int | None], src: Sequence, base: Sequence) -> list:
    """For each entry of `subs` the entry of `src` at that index; where None, that of `base`."""
    rest = iter(base)
    out = [src[i] if i is not None else next(rest) for i in subs]
    if next(rest, rest) is not rest:
        raise ValueError("subs_list: base is longer than the entries that are None.")
    return out


def subs_list2(
    subs1: Sequence[int | None],
    subs2: Sequence[int | None],
    src1: Sequence,
    src2: Sequence,
    base: Sequence,
) -> list:
    """Entries of `src1` where `subs1` has an index, else of `src2` by `subs2`, else of `base`."""
    rest = iter(base)
    return [
        src1[i] if i is not None else src2[j] if j is not None else next(rest)
        for i, j in zip(subs1, subs2, strict=True)
    ]


def subvals(lst: Sequence, replace: Iterable[tuple[int, Any]]) -> tuple:
    """A sequence as a tuple, with the values of some positions replaced."""
    out = list(lst)
    for position, value in replace:
        out[position] = value
    return tuple(out)


def tuple_insert(t: tuple, idx: int, val: Any) -> tuple:
    """A tuple with `val` before the position `idx`, which may be its length.

    Raises:
        AssertionError: the position is out of range.
    """
    assert 0 <= idx <= len(t), (idx, len(t))
    return (*t[:idx], val, *t[idx:])


def tuple_delete(t: tuple, idx: int) -> tuple:
    """A tuple without the entry at the position `idx`.

    Raises:
        AssertionError: the position is out of range.
    """
    assert 0 <= idx < len(t), (idx, len(t))
    return (*t[:idx], *t[idx + 1 :])


def tuple_update(t: tuple, idx: int, val: Any) -> tuple:
    """A tuple with `val` at the position `idx`.

    Raises:
        AssertionError: the position is out of range.
    """
    assert 0 <= idx < len(t), (idx, len(t))
    return (*t[:idx], val, *t[idx + 1 :])


def stable_unique(it: Iterable) -> Iterator:
    """The different entries, in the order in which they first come."""
    return iter(dict.fromkeys(it))


def ceil_of_ratio(x: int, y: int) -> int:
    """The quotient of two integers, rounded up."""
    return -(-x // y)


def curry(f: Callable) -> Callable:
    """A function that takes leading arguments and returns the function of the remaining ones."""
    return ft.partial(ft.partial, f)


def canonicalize_axis(axis: Any, num_dims: int) -> int:
    """The axis, counted from the first one.

    Raises:
        ValueError: an array of `num_dims` axes does not have it.
    """
    return util.canonical_axis(operator.index(axis), num_dims)


def canonicalize_axis_tuple(
    axis: int | Sequence[int] | None, ndim: int, allow_duplicate: bool = False
) -> tuple[int, ...]:
    """The axes, counted from the first one; all of them for None.

    Raises:
        ValueError: an axis is out of range, or is named twice.
    """
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, Sequence) else (axis,)
    found = tuple(canonicalize_axis(a, ndim) for a in axes)
    if len(set(found)) != len(found) and not allow_duplicate:
        raise ValueError(f"repeated axis: {tuple(axes)}")
    return found


def maybe_named_axis(axis: Any, if_pos: Callable, if_named: Callable) -> Any:
    """Calls `if_pos` with an axis that is an index, and `if_named` with any other."""
    try:
        position = operator.index(axis)
    except TypeError:
        return if_named(axis)
    return if_pos(position)


def wrap_name(transform_name: str, name: str) -> str:
    """The name of a transformed function: ``"vmap(f)"``."""
    return f"{transform_name}({name})"


def fun_name(fun: Callable, default_name: str = "<unnamed function>") -> str:
    """The name of a function; partials have the name of the function inside."""
    while isinstance(fun, ft.partial):
        fun = fun.func
    return getattr(fun, "__name__", default_name)


def fun_qual_name(fun: Callable) -> str:
    """The qualified name of a function; partials have that of the function inside."""
    while isinstance(fun, ft.partial):
        fun = fun.func
    return getattr(fun, "__qualname__", None) or fun_name(fun)


def wraps(
    wrapped: Callable,
    namestr: str | None = None,
    docstr: str | None = None,
    **kwargs: Any,
) -> Callable:
    """Gives a wrapper the name, docstring and signature of `wrapped`.

    Args:
        wrapped: the function inside.
        namestr: the name, in which ``{fun}`` stands for that of `wrapped`.
        docstr: the docstring, in which ``{fun}``, ``{doc}`` and the keywords stand for
            the name, the docstring and the values.
        **kwargs: values for `docstr`.
    """
    doc = docstr and docstr.format(
        fun=fun_name(wrapped), doc=getattr(wrapped, "__doc__", ""), **kwargs
    )
    return util.wraps(wrapped, "{fun}" if namestr is None else namestr, doc)


def pprint_bytes(num_bytes: int | float) -> str:
    """A number of bytes with a unit of three letters and two decimals."""
    units = ("B", "KB", "MB", "GB", "TB")
    amount, unit = float(num_bytes), 0
    while amount >= 1000 and unit < len(units) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.2f}{units[unit]}"


def set_module(module: str) -> Callable:
    """A decorator that says in which module a function or class is documented."""

    def decorate(obj: Any) -> Any:
        if module is not None:
            obj.__module__ = module
        return obj

    return decorate


def immutable(cls: type) -> type:
    """A class whose objects nothing changes: a copy of one is the object itself."""
    cls.__copy__ = lambda self: self  # type: ignore[attr-defined]
    cls.__deepcopy__ = lambda self, memo: self  # type: ignore[attr-defined]
    return cls


# Functions with a method `cache_clear`.
_cached_functions: weakref.WeakSet = weakref.WeakSet()


def clear_all_caches() -> None:
    """Forgets the results of the functions that `cache` and `weakref_lru_cache` made."""
    for function in list(_cached_functions):
        function.cache_clear()


caches.register("caches of third-party libraries", clear_all_caches)


def _context(in_key):
    if callable(in_key):
        return in_key
    return config.config.trace_key if in_key else tuple


def cache(max_size: int | None = 4096, trace_context_in_key: Any = True) -> Callable:
    """A decorator that keeps results by arguments, until `jax.clear_caches` is called.

    Args:
        max_size: the number of results kept; None keeps all.
        trace_context_in_key: whether the options that change tracing are part of the
            key; a function gives that part itself.
    """
    context = _context(trace_context_in_key)

    def decorate(f: Callable) -> Callable:
        kept = ft.lru_cache(max_size)(lambda _, *args, **kwargs: f(*args, **kwargs))

        @ft.wraps(f)
        def call(*args, **kwargs):
            return kept(context(), *args, **kwargs)

        call.cache_clear = kept.cache_clear  # type: ignore[attr-defined]
        call.cache_info = kept.cache_info  # type: ignore[attr-defined]
        _cached_functions.add(call)
        return call

    return decorate


memoize = cache(max_size=None)


def weakref_lru_cache(
    f: Callable | None = None,
    *,
    maxsize: int | None = 2048,
    trace_context_in_key: bool = True,
    explain: Callable | None = None,
) -> Callable:
    """Keeps results by arguments, and those of a first argument as long as it lives.

    Args:
        f: the function; without it, a decorator is returned.
        maxsize: the number of results kept for one first argument.
        trace_context_in_key: whether the options that change tracing are part of the key.
        explain: accepted: no message is made of results that were not there.
    """
    if f is None:
        return ft.partial(
            weakref_lru_cache,
            maxsize=maxsize,
            trace_context_in_key=trace_context_in_key,
        )
    return _WeakCache(f, maxsize, _context(trace_context_in_key))


class _WeakCache:
    """A function whose results die with the first argument."""

    def __init__(self, f, maxsize, context):
        self._f = f
        self._maxsize = maxsize
        self._context = context
        self._by_first: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self._hits = self._misses = 0
        ft.update_wrapper(self, f)
        _cached_functions.add(self)

    def __call__(self, first: Any, *args: Any, **kwargs: Any) -> Any:
        entries = self._by_first.setdefault(first, {})
        key = (self._context(), args, tuple(sorted(kwargs.items())))
        if key in entries:
            self._hits += 1
            return entries[key]
        self._misses += 1
        result = entries[key] = self._f(first, *args, **kwargs)
        if self._maxsize is not None and len(entries) > self._maxsize:
            del entries[next(iter(entries))]
        return result

    def cache_clear(self) -> None:
        """Forgets every result."""
        self._by_first.clear()
        self._hits = self._misses = 0

    def evict_weakref(self, first: Any) -> None:
        """Forgets the results of one first argument."""
        self._by_first.pop(first, None)

    def cache_info(self) -> Any:
        """The numbers of results that were there, that were not, and that are kept."""
        size = sum(map(len, self._by_first.values()))
        return ft._CacheInfo(self._hits, self._misses, self._maxsize, size)  # type: ignore[attr-defined]


class HashableFunction:
    """A function that is compared by its code and by the values that it depends on.

    Args:
        f: the function.
        closure: what it depends on besides its arguments, hashable.
    """

    def __init__(self, f: Callable, closure: Hashable):
        self.f = f
        self.closure = closure

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is HashableFunction
            and self.f.__code__ == other.f.__code__
            and self.closure == other.closure
        )

    def __hash__(self) -> int:
        return hash((self.f.__code__, self.closure))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<hashable {self.f.__name__} with closure={self.closure}>"


def as_hashable_function(closure: Hashable) -> Callable[[Callable], HashableFunction]:
    """A decorator that makes a `HashableFunction` of a function."""
    return lambda f: HashableFunction(f, closure)


class HashableWrapper:
    """A value that is compared and hashed by itself if it can be, else by identity."""

    def __init__(self, x: Any):
        self.x = x
        try:
            self.hash: int | None = hash(x)
        except TypeError:
            self.hash = None

    def __hash__(self) -> int:
        return id(self.x) if self.hash is None else self.hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HashableWrapper):
            return False
        return self.x is other.x if self.hash is None else self.x == other.x


class Hashable_:
    """A value whose objects are all equal to those of an equal value."""

    def __init__(self, val: Any):
        self.val = val

    def __hash__(self) -> int:
        return hash(self.val)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashable_) and self.val == other.val


class Unhashable:
    """A value that has equality but no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, val: Any):
        self.val = val

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unhashable) and self.val == other.val


class OrderedSet(collections.abc.MutableSet):
    """A set whose entries come in the order in which they were added."""

    def __init__(self, entries: Iterable = ()):
        self._entries = dict.fromkeys(entries)

    def add(self, value: Any) -> None:
        """Adds an entry."""
        self._entries[value] = None

    def discard(self, value: Any) -> None:
        """Takes an entry away if it is there."""
        self._entries.pop(value, None)

    def update(self, entries: Iterable) -> None:
        """Adds several entries."""
        self._entries.update(dict.fromkeys(entries))

    def __contains__(self, value: object) -> bool:
        return value in self._entries

    def __iter__(self) -> Iterator:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def batch_and_remainder(x: Any, batch_size: int) -> tuple[Any, Any]:
    """Splits the leading axis of a tree of arrays into batches, and what is left.

    Returns:
        A tree with two axes in place of the leading one, and a tree of the entries that
        fill no batch, or None where there are none.
    """
    leaves, structure = tree.tree_flatten(x)
    count, rest = divmod(leaves[0].shape[0], batch_size)
    whole = count * batch_size
    batches = [
        leaf[:whole].reshape(count, batch_size, *leaf.shape[1:]) for leaf in leaves
    ]
    left = tree.tree_unflatten(structure, [leaf[whole:] for leaf in leaves])
    return tree.tree_unflatten(structure, batches), left if rest else None


_classes: set[type] = set()


def register_custom_decorator_type(cls: type) -> type:
    """A class decorator: objects of the class wrap functions that have rules of their own.

    Wrappers such as `jax.jit` show the attributes of any function that they wrap, so
    nothing has to be done for the class.
    """
    _classes.add(cls)
    return cls


class HashablePartial:
    """A function with its first arguments and some keywords fixed, as a key of caches.

    Two are equal if their functions have the same code, also where each was made anew,
    and what is fixed is equal: a function that is defined in another one must take from
    there what it depends on as arguments.

    Args:
        f: a function written in Python.
        args: its first arguments; they have hashes.
        kwargs: further ones by name.
    """

    def __init__(self, f: Callable, *args: Any, **kwargs: Any):
        self.f = f
        self.args = args
        self.kwargs = kwargs

    def __eq__(self, other: object) -> bool:
        if type(other) is not HashablePartial:
            return NotImplemented
        return (self.f.__code__, self.args, self.kwargs) == (
            other.f.__code__,
            other.args,
            other.kwargs,
        )

    def __hash__(self) -> int:
        return hash((self.f.__code__, self.args, frozenset(self.kwargs.items())))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.f(*self.args, *args, **self.kwargs, **kwargs)
