"""How references take part in programs: as inputs, and as outputs if they change."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, records
from jax._src.core import mutable_types
from jax._src.core.references import AbstractRef, Ref


@records.record
class Links:
    """How the references of a traced function take part in its program.

    The last inputs of the program are the arrays behind `captured`. Its last outputs are
    new arrays: of the arguments at `written_arguments`, then of the captured references
    for which `is_written`.
    """

    # Which arguments are references.
    arguments: tuple[int, ...] = ()
    written_arguments: tuple[int, ...] = ()
    captured: tuple[Ref, ...] = ()
    is_written: tuple[bool, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.arguments or self.captured)

    @property
    def written(self) -> tuple[Ref, ...]:
        """The captured references that are written."""
        return self._where(True)

    @property
    def read_only(self) -> tuple[Ref, ...]:
        """The captured references that are only read."""
        return self._where(False)

    def _where(self, wanted):
        pairs = zip(self.captured, self.is_written, strict=True)
        return tuple(ref for ref, written in pairs if written is wanted)

    @property
    def result_count(self) -> int:
        """How many outputs of the program are new arrays of references."""
        return len(self.written_arguments) + sum(self.is_written)

    @property
    def are_current(self) -> bool:
        """Whether the captured references still hold arrays of the types that they had."""
        return all(ref.is_current() for ref in self.captured)

    def operands(self) -> list[Any]:
        """The values of the last inputs."""
        return [ref.read() for ref in self.captured]

    def take(self, outs: Sequence[Any], args: Sequence[Any] = ()) -> list[Any]:
        """Stores the new arrays among the outputs of the program, and returns the rest.

        Args:
            outs: the outputs.
            args: the arguments of the call, references at `arguments`.
        """
        arguments = [args[i] for i in self.written_arguments]
        return stored([*arguments, *self.written], outs)

    def check_call(
        self, args: Sequence[Any], what: str, names: Sequence[str | None] = ()
    ) -> None:
        """Refuses arguments that are the same reference, or one that is captured.

        Args:
            args: the arguments of the call.
            what: the function.
            names: those of the arguments, as far as they are known.

        Raises:
            ValueError: so it is.
        """
        refs = [*(args[i] for i in self.arguments), *self.captured]
        known = [names[i] if i < len(names) else None for i in self.arguments]
        refuse_twice(refs, what, [*known, *[_CLOSED_OVER] * len(self.captured)])


# The name of a reference that a function uses from outside.
_CLOSED_OVER = "closed over"


def refuse_results(
    outs: Sequence[Any],
    what: str,
    paths: Sequence[str] = (),
    arguments: Sequence[tuple[str, Any]] = (),
) -> None:
    """Refuses references among the results of a transformed function.

    Args:
        outs: the results.
        what: the function.
        paths: where each result stands, if there are several.
        arguments: the names and values of the arguments.

    Raises:
        ValueError: there is one.
    """
    for number, out in enumerate(outs):
        if type(out) is Ref:
            path = f" at output tree path {paths[number]}" if paths else ""
            names = [name for name, value in arguments if value is out]
            origin = (
                f"\nThe returned mutable array was passed in as the argument {names[0]}.\n"
                if names
                else ""
            )
            raise errors.value_error(
                f"{what} returned a mutable array reference of type {out.aval!r}"
                f"{path}, but mutable array references cannot be returned.\n{origin}",
                [],
                "Two names would stand for one array that changes.",
                "Return the array, ref[...], or write to a reference from outside.",
            )


def arrays(values: Sequence[Any]) -> list[Any]:
    """The values, references as the arrays that they hold."""
    return [x.read() if type(x) is Ref else x for x in values]


def stored(refs: Sequence[Ref], outs: Sequence[Any]) -> list[Any]:
    """Puts the last of `outs` into `refs`, and returns the others."""
    count = len(outs) - len(refs)
    for ref, value in zip(refs, outs[count:], strict=True):
        ref.write(value)
    return list(outs[:count])


def refuse_twice(
    refs: Sequence[Ref], what: str, names: Sequence[str | None] = ()
) -> None:
    """Refuses a reference that has two names in a function.

    Args:
        refs: those that are passed, and those that it uses from outside.
        what: the function.
        names: the name of each, as far as they are known.

    Raises:
        ValueError: there is one.
    """
    seen: dict[int, int] = {}
    for number, ref in enumerate(refs):
        first = seen.setdefault(id(ref), number)
        if first == number:
            continue
        one, other = (
            names[n] if n < len(names) and names[n] else f"reference {n}"
            for n in (first, number)
        )
        summary = (
            f"when tracing {what}, a mutable array reference of type {ref.aval!r} was both "
            f"closed over and passed as the argument {one}."
            if other == _CLOSED_OVER
            else "only one reference to a mutable array may be passed as an argument to a "
            f"function, but when tracing {what} the mutable array reference of type "
            f"{ref.aval!r} appeared at both {one} and {other}."
        )
        raise errors.value_error(
            summary,
            [],
            f"It would have two names in {what}: {ref.aval!r} would change unseen.",
            "Pass it once, and use what is passed.",
        )


def refuse_links(links: Links, what: str) -> None:
    """Refuses references from outside where a program cannot take them.

    Raises:
        NotImplementedError: there are some.
    """
    if links:
        raise from_outside(links.captured[:3], what)


def from_outside(refs: Sequence[Ref], what: str) -> NotImplementedError:
    """The error for references from outside where they cannot be used."""
    names = [repr(ref.aval) for ref in refs]
    return errors.not_implemented(
        f"A reference from outside is used in a function for {what}.",
        [("reference", ", ".join(names) or "an argument")],
        "Here only references that are made inside can be used.",
        "Pass the array, ref[...], and return what changes.",
    )


def hold(
    leaves: Sequence[Any], what: str
) -> tuple[list[Any], tuple[tuple[int, Any], ...]]:
    """Takes references and other mutable values out of a list of leaves.

    Returns:
        The other leaves; and the references, each with its index in the list.

    Raises:
        ValueError: a reference occurs twice.
    """
    if Ref not in map(type, leaves):  # most calls have none
        return hold_objects(leaves)
    refuse_twice([x for x in leaves if type(x) is Ref], what)
    return _without(leaves, lambda x: type(x) is Ref or mutable_types.is_changing(x))


def hold_objects(
    leaves: Sequence[Any],
) -> tuple[list[Any], tuple[tuple[int, Any], ...]]:
    """Separates the mutable values of third-party libraries from the other leaves."""
    if not mutable_types.seen.yes:
        return list(leaves), ()
    return _without(leaves, mutable_types.is_changing)


def _without(leaves, is_held):
    held = tuple((i, x) for i, x in enumerate(leaves) if is_held(x))
    indices = {i for i, _ in held}
    return [x for i, x in enumerate(leaves) if i not in indices], held


def put_back(leaves: Sequence[Any], held: Sequence[tuple[int, Any]]) -> list[Any]:
    """Returns the list of leaves from which `hold` took references."""
    whole = list(leaves)
    for index, ref in held:
        whole.insert(index, ref)
    return whole


class Arguments:
    """References that stand for inputs of a function while it is traced."""

    __slots__ = ("indices", "refs", "started")

    def __init__(self, values: Sequence[Any], avals: Sequence[Any]):
        """Makes the references, which belong to the current trace.

        Args:
            values: the inputs, all of them arrays.
            avals: their types; each `AbstractRef` makes a reference.
        """
        pairs = list(zip(values, avals, strict=True))
        self.indices = tuple(
            i for i, a in enumerate(avals) if isinstance(a, AbstractRef)
        )
        self.started = [values[i] for i in self.indices]
        self.refs = [Ref(aval, x) for x, aval in pairs if isinstance(aval, AbstractRef)]

    def among(self, values: Sequence[Any]) -> list[Any]:
        """Returns the inputs with the references instead of their arrays."""
        whole = list(values)
        for index, ref in zip(self.indices, self.refs, strict=True):
            whole[index] = ref
        return whole

    def finish(self) -> tuple[tuple[int, ...], list[Any]]:
        """Returns the indices of the references that were written, and their last values.

        Raises:
            ValueError: one was freed or frozen.
        """
        for ref in self.refs:
            ref.check_is_live("Ending a traced function with a reference it was given")
        changed = [
            (index, ref.held)
            for index, ref, start in zip(
                self.indices, self.refs, self.started, strict=True
            )
            if ref.held is not start
        ]
        return tuple(index for index, _ in changed), [value for _, value in changed]


def with_arguments(
    fun: Callable[..., Sequence[Any]], avals: Sequence[Any]
) -> tuple[Callable[..., list[Any]], list[tuple[int, ...]]]:
    """A function of references as one of arrays that returns their last values, too.

    Returns:
        The function; and a list that holds, after a call, the indices of those references
        that it wrote.
    """
    written: list[tuple[int, ...]] = []

    def of_arrays(*values: Any) -> list[Any]:
        arguments = Arguments(values, avals)
        outs = fun(*arguments.among(values))
        indices, last = arguments.finish()
        written.append(indices)
        return [*outs, *last]

    return of_arrays, written
