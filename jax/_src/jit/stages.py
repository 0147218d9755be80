"""What the stages of a jitted call, `Traced`, `Lowered` and `Compiled`, have in common."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from jax._src import tree
from jax._src.base import errors, records
from jax._src.core import (
    avals as avals_lib,
    jaxpr as jaxpr_lib,
    mutable_types,
    reference_links,
)
from jax._src.jit.options import JitOptions

CompilerOptions = dict[str, str | bool]


@runtime_checkable
class Wrapped(Protocol):
    """What `jax.jit` returns: a function that can be traced, lowered and compiled."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the compiled function."""

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        """Traces a call: a `Traced`."""

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """Traces and lowers a call: a `Lowered`."""


Wrapped.__module__ = "jax.stages"


@records.record
class ArgInfo:
    """The type of an argument, and whether it is donated."""

    _aval: Any
    donated: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self._aval.shape

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self._aval.dtype


class _WeaklyReferable:
    __slots__ = ("__weakref__",)


@records.identity_record
class Stage(_WeaklyReferable):
    """The program of a call at certain types: what each stage knows."""

    jaxpr: jaxpr_lib.ClosedJaxpr
    fun_name: str
    # The tree of ``(args, kwargs)``, static ones left out.
    in_tree: Any
    # The tree of the results.
    out_tree: Any
    # Which leaves of the arguments are donated.
    donated: tuple[bool, ...]
    options: JitOptions
    # How references take part; none of them: false.
    links: reference_links.Links
    # How many traced values that the function closes over are its first inputs.
    lifted: int
    # Leaves of the arguments that are no inputs, for the function gets them as they are:
    # the number of each and its type.
    held: tuple[tuple[int, Any], ...]

    __repr__ = object.__repr__

    def per_leaf(
        self, entries: Iterable[Any], held: Callable = lambda aval: None
    ) -> list:
        """Entries for the arguments, with those of what is held in between.

        Args:
            entries: one for each argument that is an input.
            held: the entry of one that is held, by its type.
        """
        full = list(entries)
        for number, aval in self.held:
            full.insert(number, held(aval))
        return full

    @property
    def result_avals(self) -> list[Any]:
        """The types of the leaves of the results."""
        avals = self.jaxpr.out_avals
        return avals[: len(avals) - self.links.result_count]

    @property
    def argument_avals(self) -> list[Any]:
        """The types of the leaves of the arguments, arrays where they are references."""
        avals = self.jaxpr.in_avals
        return avals[self.lifted : len(avals) - len(self.links.captured)]

    @property
    def donated_inputs(self) -> tuple[bool, ...]:
        """Which inputs are donated."""
        return (False,) * self.lifted + self.donated

    def operands(self, leaves: Sequence[Any], what: Callable[[], str]) -> list[Any]:
        """The inputs of the program for a call with these leaves.

        Args:
            leaves: those of the arguments.
            what: says what is called, if an error must.

        Raises:
            ValueError: a reference would have two names in the function.
        """
        if len(self.links.arguments) + len(self.links.captured) > 1:
            names = self.jaxpr.debug_info.arg_names or ()
            self.links.check_call(leaves, what(), names[self.lifted :])
        return reference_links.arrays(leaves) + self.links.operands()

    @property
    def in_avals(self) -> Any:
        """The types of the arguments."""
        avals = self.per_leaf(self.argument_avals, lambda aval: aval)
        return tree.tree_unflatten(self.in_tree, avals)

    @property
    def args_info(self) -> Any:
        """Types of the arguments, and whether they are donated."""
        # Behind the arguments are the arrays of references from outside.
        pairs = zip(self.argument_avals, self.donated, strict=False)
        infos = self.per_leaf(
            [ArgInfo(a, d) for a, d in pairs], lambda aval: ArgInfo(aval, False)
        )
        return tree.tree_unflatten(self.in_tree, infos)

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The numbers of the donated leaves."""
        return tuple(i for i, d in enumerate(self.donated) if d)

    def checked_leaves(self, args: tuple, kwargs: dict, stage: str) -> list[Any]:
        """The leaves of arguments that are of the types of this stage.

        Raises:
            TypeError: they are of other types, or the tree is another one.
        """
        leaves, in_tree = tree.tree_flatten((args, kwargs))
        if in_tree != self.in_tree:
            raise errors.type_error(
                f"Function {stage} with input pytree does not match the input pytree "
                "it was called with.",
                [(stage, str(self.in_tree)), ("called", str(in_tree))],
            )
        leaves, held = reference_links.hold_objects(leaves)
        self._check_objects([x for _, x in held], stage)
        for leaf, aval in zip(leaves, self.argument_avals, strict=True):
            given = avals_lib.get_aval(leaf)
            if not avals_lib.same_form(given, aval):
                raise errors.type_error(
                    "Argument types differ from the types for which this computation "
                    f"was {stage}.",
                    [(stage, aval.str_short()), ("called", given.str_short())],
                )
        return leaves

    def _check_objects(self, objects, stage):
        """Values that change are the very ones that it was made for, in that state."""
        links = self.links
        known = mutable_types.objects_of(links.captured)
        if not objects and not known:
            return
        if not links.are_current or any(
            all(x is not k for k in known) for x in objects
        ):
            raise errors.type_error(
                f"Another value that changes, or another type of state, than that for "
                f"which this computation was {stage}.",
                [
                    (
                        "values",
                        ", ".join(avals_lib.get_aval(x).str_short() for x in objects),
                    )
                ],
                "A computation made ahead changes the objects that it was made for.",
                "Call the jitted function itself.",
            )
