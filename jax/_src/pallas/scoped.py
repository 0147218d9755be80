"""Memory that a kernel has for the length of a call."""

from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.core.references import Ref
from jax._src.pallas import access_log, checking, memory, uninitialized
from jax._src.state import refs


def run_scoped(
    f: Callable[..., Any], *types: Any, collective_axes: Any = (), **kw_types: Any
) -> Any:
    """Calls a function with references to fresh memory.

    Args:
        f: the function.
        *types: trees of types of memory, such as ``pltpu.VMEM(shape, dtype)``.
        collective_axes: axes of cores that share the memory.
        **kw_types: more of them, passed by name.

    Returns:
        What `f` returns. The memory ends with the call; it starts unspecified.

    Raises:
        AttributeError: something is no type of memory.
        NotImplementedError: `collective_axes` is given.
    """
    if collective_axes:
        raise errors.not_implemented(
            "pl.run_scoped: memory that cores share is not interpreted.",
            [("collective_axes", repr(collective_axes))],
        )
    made: list[Ref] = []

    def make(kind):
        made.append(fresh(kind))
        return made[-1]

    args, kwargs = tree.tree_map(make, (types, kw_types))
    out = f(*args, **kwargs)
    for ref in made:
        ref.end()
    return out


def fresh(kind: Any) -> Ref:
    """A reference to fresh memory.

    Args:
        kind: its type.

    Raises:
        AttributeError: it is no type of memory.
    """
    aval = _checked(memory.reference_type(kind, "pl.run_scoped"))
    return Ref(aval, uninitialized.scratch(aval))


def _checked(ref):
    """The type of a reference, whose accesses are reported where the kernel is checked."""
    checker = checking.checker_now()
    if checker is None:
        return ref
    shape, what = tuple(ref.shape), "memory of pl.run_scoped"
    number = checker.add(
        access_log.Memory(
            what, shape, shape, shape, len(checker.memories), ref.kind is not None, True
        )
    )
    checking.renewed(number)
    return memory.numbered(ref, number)


def with_scoped(
    *types: Any, collective_axes: Any = (), **kw_types: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`run_scoped` as a decorator: the call's own arguments come first.

    Raises:
        As `run_scoped`, where the function is called.
    """

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        @util.wraps(f)
        def call(*args: Any, **kwargs: Any) -> Any:
            def with_memory(*refs: Any, **named: Any) -> Any:
                return f(*args, *refs, **kwargs, **named)

            return run_scoped(
                with_memory, *types, collective_axes=collective_axes, **kw_types
            )

        return call

    return decorate


def run_state(f: Callable[[Any], None]) -> Callable[[Any], Any]:
    """Makes a function of a tree of arrays from one of references to them.

    Args:
        f: takes a tree of references; what it writes is the result.

    Returns:
        A function from a tree of arrays to the tree of last contents.

    Raises:
        TypeError: a leaf is no array.

    Examples:
        >>> def swap(pair):
        ...     first, second = pair
        ...     first[...], second[...] = second[...], first[...]
        >>> pl.run_state(swap)((jnp.zeros(2), jnp.ones(2)))
        (Array([1., 1.], dtype=float32), Array([0., 0.], dtype=float32))
    """

    def call(values: Any) -> Any:
        held = tree.tree_map(refs.new_ref, values)
        f(held)
        return tree.tree_map(refs.freeze, held)

    return call


def empty_ref_like(x: Any) -> Any:
    """References to unspecified contents, of the shapes and dtypes of a tree of types.

    Raises:
        AttributeError: a leaf has no shape.
    """
    return tree.tree_map(refs.empty_ref, x)
