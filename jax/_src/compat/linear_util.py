"""Functions to which transformations are applied one after another.

A `WrappedFun` is a function and the list of what was put around it, innermost first.
It is equal to another one with equal parts, so that results can be kept by it.
"""

import functools
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from jax._src.base import traceback_filter
from jax._src.core import jaxpr


class StoreException(Exception):
    """An auxiliary output was read before its function ran, or was written twice."""


class Store:
    """Holds the auxiliary output of one transformation."""

    __slots__ = ("_full", "_value", "_may_repeat")

    def __init__(self, may_repeat: bool = False):
        self._full = False
        self._value: Any = None
        self._may_repeat = may_repeat

    def store(self, value: Any) -> None:
        """Writes the output.

        Raises:
            StoreException: another one is there already.
        """
        if self._full and not (self._may_repeat and value == self._value):
            raise StoreException("Store occupied")
        self._full, self._value = True, value

    def reset(self) -> None:
        """Empties the store, for another run of the function."""
        self._full, self._value = False, None

    @property
    def val(self) -> Any:
        """The output.

        Raises:
            StoreException: the function has not run.
        """
        if not self._full:
            raise StoreException("Store empty")
        return self._value

    def __bool__(self) -> bool:
        return self._full


class WrappedFun:
    """A function and the transformations around it.

    Args:
        f: the function.
        f_transformed: the function with everything around it.
        transforms: pairs of a transformation and its static arguments, newest first.
        stores: one `Store` per transformation, or None where it has no such output.
        params: pairs of names and values that are part of the identity.
        in_type: types of the arguments, where they are known.
        debug_info: what is transformed.
    """

    __slots__ = (
        "__weakref__",
        "debug_info",
        "f",
        "f_transformed",
        "in_type",
        "params",
        "stores",
        "transforms",
    )

    def __init__(
        self,
        f: Callable,
        f_transformed: Callable,
        transforms: tuple[tuple[Callable, tuple[Hashable, ...]], ...],
        stores: tuple[Store | None, ...],
        params: tuple[tuple[str, Hashable], ...],
        in_type: Any,
        debug_info: jaxpr.DebugInfo,
    ):
        self.f = f
        self.f_transformed = f_transformed
        self.transforms = transforms
        self.stores = stores
        self.params = params
        self.in_type = in_type
        self.debug_info = debug_info

    @property
    def __name__(self) -> str:
        return getattr(self.f, "__name__", "<unnamed function>")

    def wrap(
        self, gen: Callable, gen_static_args: tuple, out_store: Store | None
    ) -> "WrappedFun":
        """The function with one more transformation around it."""
        first = (
            (self.f_transformed,)
            if out_store is None
            else (self.f_transformed, out_store)
        )
        return WrappedFun(
            self.f,
            functools.partial(gen, *first, *gen_static_args),
            ((gen, gen_static_args), *self.transforms),
            (out_store, *self.stores),
            self.params,
            None,
            self.debug_info,
        )

    def call_wrapped(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function with everything around it."""
        return self.f_transformed(*args, **kwargs)

    def populate_stores(self, stores: tuple[Store | None, ...]) -> None:
        """Fills the empty stores from those of an equal function that has run."""
        for own, other in zip(self.stores, stores, strict=True):
            if own is not None and other is not None and other:
                own.store(other.val)

    def replace_debug_info(self, debug_info: jaxpr.DebugInfo) -> "WrappedFun":
        """Returns this function with another description."""
        parts = (self.f, self.f_transformed, self.transforms, self.stores, self.params)
        return WrappedFun(*parts, self.in_type, debug_info)

    def with_unknown_names(self) -> "WrappedFun":
        """Returns this function without names of arguments and results."""
        changes = {"arg_names": None, "result_paths": None}
        return self.replace_debug_info(self.debug_info.replace(**changes))

    def _key(self):
        return self.f, self.transforms, self.params, self.in_type, self.debug_info

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WrappedFun) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        names = [getattr(gen, "__name__", str(gen)) for gen, _ in self.transforms]
        return f"WrappedFun({' of '.join([*names, self.__name__])})"


def wrap_init(
    f: Callable, params: dict[str, Any] | None = None, *, debug_info: Any = None
) -> WrappedFun:
    """A function ready to be transformed.

    Args:
        f: the function.
        params: keyword arguments that it is called with, part of its identity.
        debug_info: what it is, for messages, as `jax.api_util.debug_info` makes it.
    """
    if isinstance(f, WrappedFun):
        f = f.call_wrapped
    pairs = () if params is None else tuple(sorted(params.items()))
    info = jaxpr.no_debug_info if debug_info is None else debug_info
    with_params = functools.partial(f, **params) if params else f
    return WrappedFun(f, with_params, (), (), pairs, None, info)


class _Gen:
    """A transformation written as a generator, called as one that takes the function.

    The generator yields the arguments for the function, receives the result, and
    yields what to return.
    """

    def __init__(self, generator: Callable, has_aux: bool):
        self._generator = generator
        self._has_aux = has_aux
        functools.update_wrapper(self, generator)

    def __call__(self, fun: Callable, *rest: Any, **kwargs: Any) -> Any:
        store, rest = (rest[0], rest[1:]) if self._has_aux else (None, rest)
        steps = self._generator(*rest, **kwargs)
        args, named = next(steps)
        try:
            out = steps.send(fun(*args, **named))
        finally:
            # The generator may be inside of a block, such as one that sets a trace.
            steps.close()
        if store is not None:
            out, aux = out
            store.store(aux)
        return out

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Gen) and self._generator is other._generator

    def __hash__(self) -> int:
        return hash(self._generator)


@traceback_filter.hides_frames
def _transformation2(
    gen: Callable, fun: WrappedFun, *gen_static_args: Any
) -> WrappedFun:
    """Puts a transformation around a function.

    Args:
        gen: ``gen(f, *gen_static_args, *args, **kwargs)``, which calls `f`.
        fun: the function.
        *gen_static_args: hashable arguments of the transformation.
    """
    return fun.wrap(gen, gen_static_args, None)


@traceback_filter.hides_frames
def _transformation_with_aux2(
    gen: Callable,
    fun: WrappedFun,
    *gen_static_args: Any,
    use_eq_store: bool = False,
    unk_names: bool = False,
) -> tuple[WrappedFun, Callable[[], Any]]:
    """Puts a transformation with an auxiliary output around a function.

    Args:
        gen: ``gen(f, store, *gen_static_args, *args, **kwargs)``, which calls `f` and
            ``store.store(output)``.
        fun: the function.
        *gen_static_args: hashable arguments of the transformation.
        use_eq_store: the output may be written again when it is equal.
        unk_names: forget the names of arguments and results.

    Returns:
        The function, and a function that returns the output once the former ran.
    """
    store = Store(may_repeat=use_eq_store)
    wrapped = fun.wrap(gen, gen_static_args, store)
    return (wrapped.with_unknown_names() if unk_names else wrapped), lambda: store.val


@traceback_filter.hides_frames
def _transformation(
    gen: Callable, fun: WrappedFun, *gen_static_args: Any
) -> WrappedFun:
    """Puts a transformation that is written as a generator around a function."""
    return fun.wrap(_Gen(gen, False), gen_static_args, None)


@traceback_filter.hides_frames
def _transformation_with_aux(
    gen: Callable, fun: WrappedFun, *gen_static_args: Any
) -> tuple[WrappedFun, Callable[[], Any]]:
    """Applies a transformation whose generator yields a pair of result and auxiliary output last."""
    store = Store()
    return fun.wrap(_Gen(gen, True), gen_static_args, store), lambda: store.val


def _decorator(put_around):
    """`put_around(gen, fun, ...)` as a decorator of `gen`."""

    @functools.wraps(put_around)
    def decorate(gen, *more):
        return functools.partial(put_around, gen, *more)

    return decorate


transformation = _decorator(_transformation)
transformation2 = _decorator(_transformation2)
transformation_with_aux = _decorator(_transformation_with_aux)
transformation_with_aux2 = _decorator(_transformation_with_aux2)


def merge_linear_aux(
    aux1: Callable[[], Any], aux2: Callable[[], Any]
) -> tuple[bool, Any]:
    """Returns whichever of two auxiliary outputs was written, and whether it is the first.

    Raises:
        StoreException: neither was written, or both were.
    """
    found = []
    for is_first, aux in ((True, aux1), (False, aux2)):
        try:
            found.append((is_first, aux()))
        except StoreException:
            continue
    if len(found) != 1:
        raise StoreException(
            "neither store occupied" if not found else "both stores occupied"
        )
    return found[0]


def cache(call: Callable, *, explain: Callable | None = None) -> Callable:
    """Keeps the results of a function whose first argument is a `WrappedFun`.

    Args:
        call: ``call(fun, *args)`` with hashable `args`.
        explain: called with the function, whether it is new, the results kept for it,
            the key and the seconds passed, after each new result.
    """
    kept: weakref.WeakKeyDictionary[Callable, dict] = weakref.WeakKeyDictionary()

    @functools.wraps(call)
    def memoized(fun, *args):
        entries = kept.setdefault(fun.f, {})
        key = (fun.transforms, fun.params, fun.in_type, args)
        if key in entries:
            result, stores = entries[key]
            fun.populate_stores(stores)
            return result
        is_new = not entries
        result = call(fun, *args)
        entries[key] = (result, fun.stores)
        if explain is not None:
            explain(fun, is_new, entries, key, 0.0)
        return result

    memoized.cache_clear = kept.clear
    memoized.evict_function = lambda f: kept.pop(f, None)
    return memoized
