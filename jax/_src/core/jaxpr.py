"""Programs: equations over typed variables."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from jax._src.base import errors, records, releases, source
from jax._src.core import avals, effects as effects_lib, state


class Var:
    """A variable. An input or an equation binds it once; two variables are equal only if they are one object."""

    __slots__ = ("aval",)

    # The state of a hi-type of a library before and after the program; no type of ours has a state.
    initial_qdd = None
    final_qdd = None

    def __init__(
        self, aval: avals.AbstractValue, initial_qdd: Any = None, final_qdd: Any = None
    ):
        if initial_qdd is not None or final_qdd is not None:
            raise NotImplementedError("Var: types that change while a program runs.")
        self.aval = aval

    def pretty_print(self, context: Any, *, print_dtype: bool = True) -> str:
        """Returns the variable's name in a `JaxprPpContext`; `print_dtype` matters for literals alone."""
        return context.var_names[self]

    def __repr__(self) -> str:
        return f"Var(id={id(self)}):{self.aval.str_short()}"


class DropVar(Var):
    """A result that nobody uses, printed as ``_``."""

    __slots__ = ()

    def pretty_print(self, context: Any, *, print_dtype: bool = True) -> str:
        """Returns an underscore in every context."""
        return "_"

    def __repr__(self) -> str:
        return "_"


class Literal:
    """A scalar constant that stands where a variable could."""

    __slots__ = ("aval", "val")

    def __init__(self, val: Any, aval: avals.AbstractValue):
        self.val = val
        self.aval = aval

    @property
    def hash(self) -> int | None:
        """The hash of the value; None if it cannot be hashed."""
        try:
            return hash(self.val)
        except TypeError:
            return None

    def pretty_print(self, context: Any, *, print_dtype: bool = True) -> str:
        """Returns the value as text, with its type if `print_dtype`; no name of the context is needed."""
        return repr(self) if print_dtype else str(self.val)

    def __repr__(self) -> str:
        return f"{self.val}:{self.aval.str_short(short_dtypes=True)}"


Atom = Var | Literal


@records.record
class SourceInfo:
    """Where an equation was traced: the user's frames and the named scopes."""

    traceback: source.Location
    name_stack: "NameStack"

    def replace(self, **changes: Any) -> "SourceInfo":
        """A copy with some fields changed."""
        return records.replace(self, **changes)


# Each operation has its path: whole paths would make the text of nested programs grow with
# the square of their depth.
_LONGEST_PATH = 2000
_LEFT_OUT = "/.../"


def _joined(path, name):
    return f"{path}/{name}" if path else name


def _shortened(path):
    """The path without the scopes in its middle, where it is very long."""
    half = _LONGEST_PATH // 2
    before = path.rfind("/", 0, half)
    after = path.find("/", len(path) - half)
    if not 0 < before < after:
        return path
    return path[:before] + _LEFT_OUT + path[after + 1 :]


class _Path(NamedTuple):
    """What is known of the first names of a stack, so that the others can be added to it."""

    length: int = 0
    text: str = ""
    # Transformations that enclose the next name.
    around: str = ""
    pending: int = 0
    annotations: tuple[state.Annotation, ...] = ()

    def after(self, names):
        """The path with more names."""
        length, text, around, pending, annotations = self
        for name in names:
            length += 1
            if isinstance(name, state.Annotation):
                annotations = (*annotations, name)
            elif isinstance(name, state.Transform):
                around += f"{name}("
                pending += 1
            elif name or pending:
                text = _joined(text, f"{around}{name}{')' * pending}")
                if len(text) > _LONGEST_PATH:
                    text = _shortened(text)
                around, pending = "", 0
        return _Path(length, text, around, pending, annotations)


class NameStack:
    """The names of the scopes around an operation, outermost first."""

    __slots__ = ("_path", "stack")

    def __init__(self, stack: tuple[str, ...] = (), path: "_Path | None" = None):
        self.stack = stack
        # Of the first names, as many as were read when they were a stack of their own.
        self._path = path

    def extend(self, name: str) -> "NameStack":
        """Returns this stack with one more scope inside."""
        return NameStack((*self.stack, name), self._path)

    def __add__(self, other: "NameStack") -> "NameStack":
        return NameStack(self.stack + other.stack, self._path)

    def __len__(self) -> int:
        return len(self.stack)

    def __getitem__(self, idx: slice) -> "NameStack":
        return NameStack(self.stack[idx])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NameStack) and self.stack == other.stack

    def __hash__(self) -> int:
        return hash(self.stack)

    @property
    def annotations(self) -> tuple[state.Annotation, ...]:
        """The annotations among the scopes."""
        return self._read().annotations

    def attributes(self) -> dict[str, str]:
        """Returns the attributes of operations in these scopes; the innermost value of a name wins."""
        noted = self.annotations
        merged = {k: v for one in noted for k, v in one.attributes}
        return {k: v for k, v in merged.items() if v is not None}

    def transform(self, transform_name: str) -> "NameStack":
        """Returns this stack with one more transformation inside, such as ``vmap``."""
        return NameStack((*self.stack, state.Transform(transform_name)), self._path)

    def _read(self):
        path = self._path or _Path()
        if path.length < len(self.stack):
            path = path.after(self.stack[path.length :])
        self._path = path
        return path

    def __str__(self) -> str:
        """Returns the path of scopes; transformations enclose the next name: ``out/vmap(jvp(in))/deeper``.

        An empty name closes the transformations before it and is not written itself.
        """
        path = self._read()
        if not path.pending:
            return path.text
        return _joined(path.text, path.around + ")" * path.pending)


no_names = NameStack()


class EquationContext:
    """The settings that upstream's programs keep for each equation. Ours keep none: traces depend on them."""

    __slots__ = ()

    compute_type = None
    xla_metadata = None

    @property
    def manager(self) -> contextlib.AbstractContextManager[None]:
        """A context in which the equation is evaluated as it was traced."""
        return contextlib.nullcontext()


_no_context = EquationContext()


class JaxprEqn:
    """One equation: `outvars = primitive[params] invars`."""

    __slots__ = (
        "effects",
        "invars",
        "name_stack",
        "outvars",
        "params",
        "location",
        "primitive",
    )

    # Lists that the trace which builds the equation may still change.
    invars: Any
    outvars: Any
    primitive: Any
    params: dict[str, Any]

    def __init__(
        self,
        invars: Sequence[Atom],
        outvars: Sequence[Var],
        primitive: Any,
        params: dict[str, Any],
        effects: effects_lib.Effects = effects_lib.no_effects,
        location: Any = source.UNKNOWN,
        name_stack: Any = no_names,
    ):
        if type(location) is SourceInfo:
            # Libraries pass one here, and the context where the name stack is.
            location, name_stack = location.traceback, location.name_stack
        self.invars = invars
        self.outvars = outvars
        self.primitive = primitive
        self.params = params
        self.effects = effects
        self.location = location
        self.name_stack = name_stack

    @property
    def source_info(self) -> SourceInfo:
        """Where the equation was traced."""
        return SourceInfo(self.location, self.name_stack)

    @property
    def ctx(self) -> EquationContext:
        """The settings of the trace, which are empty. Interpreters of libraries enter its `manager`."""
        return _no_context

    def replace(self, **changes: Any) -> "JaxprEqn":
        """A copy with some fields changed."""
        info = changes.pop("source_info", None)
        if info is not None:
            changes["location"], changes["name_stack"] = info.traceback, info.name_stack
        fields = {name: getattr(self, name) for name in self.__slots__}
        return JaxprEqn(**{**fields, **changes})

    def __repr__(self) -> str:
        return _printers[0](self)


def new_jaxpr_eqn(
    invars: Sequence[Atom],
    outvars: Sequence[Var],
    primitive: Any,
    params: dict[str, Any],
    effects: effects_lib.Effects,
    source_info: SourceInfo | None = None,
    ctx: Any = None,
) -> JaxprEqn:
    """Makes an equation."""
    location = source.UNKNOWN if source_info is None else source_info.traceback
    names = no_names if source_info is None else source_info.name_stack
    return JaxprEqn(invars, outvars, primitive, params, effects, location, names)


@records.record
class DebugInfo:
    """What a program was traced from."""

    traced_for: str
    # The function's name, and where it is defined: "loss at model.py:12".
    func_src_info: str
    arg_names: tuple[str | None, ...] | None
    result_paths: tuple[str, ...] | None

    @property
    def func_name(self) -> str:
        """The function's name."""
        return self.func_src_info.partition(" at ")[0]

    def with_unknown_names(self) -> "DebugInfo":
        """A copy that does not name arguments and results."""
        return self.replace(arg_names=None, result_paths=None)

    def replace(self, **changes: Any) -> "DebugInfo":
        """A copy with some fields changed."""
        return records.replace(self, **changes)


no_debug_info = DebugInfo("", "", None, None)


class AbstractPrinted:
    """A base for objects that are printed as programs."""

    __slots__ = ()

    def pretty_print(
        self,
        *,
        source_info: bool = False,
        print_shapes: bool = True,
        custom_pp_eqn_rules: bool = True,
        name_stack: bool = False,
        print_effects: bool = False,
        **options: Any,
    ) -> str:
        """The program as text.

        Args:
            source_info: whether to show where each equation was traced.
            print_shapes: whether to show the types of variables.
            custom_pp_eqn_rules: accepted for compatibility.
            name_stack: whether to show the named scopes of each equation.
            print_effects: whether to show the effects of programs.
            **options: `width`, the number of columns; others are accepted.
        """
        return _printers[0](
            self,
            source_info=source_info,
            print_shapes=print_shapes,
            name_stack=name_stack,
            print_effects=print_effects,
            **options,
        )

    def __str__(self) -> str:
        return _printers[0](self)

    __repr__ = __str__


class Jaxpr(AbstractPrinted):
    """A program: inputs, equations in order, outputs. Never changed once made."""

    __slots__ = (
        "__weakref__",
        "_is_high",
        "constvars",
        "debug_info",
        "effects",
        "eqns",
        "invars",
        "outvars",
    )

    def __init__(
        self,
        constvars: Sequence[Var],
        invars: Sequence[Var],
        outvars: Sequence[Atom],
        eqns: Sequence[JaxprEqn],
        effects: effects_lib.Effects = effects_lib.no_effects,
        debug_info: DebugInfo | None = None,
        is_high: bool = False,
    ):
        del is_high  # Derived from the equations.
        self.constvars = list(constvars)
        self.invars = list(invars)
        self.outvars = list(outvars)
        self.eqns = list(eqns)
        self.effects = frozenset(effects)
        self.debug_info = no_debug_info if debug_info is None else debug_info
        self._is_high: bool | None = None

    @property
    def is_high(self) -> bool:
        """Whether values of types above arrays occur in it, or inside its operations."""
        if self._is_high is None:
            self._is_high = self._holds_high()
        return self._is_high

    def _holds_high(self):
        for variables in (self.constvars, self.invars, self.outvars):
            for v in variables:
                if v.aval.is_high:
                    return True
        for eqn in self.eqns:
            for v in eqn.outvars:
                if v.aval.is_high:
                    return True
            if eqn.primitive.is_high(*[v.aval for v in eqn.invars], **eqn.params):
                return True
            for inner in jaxprs_in_params(eqn.params):
                if inner.is_high:
                    return True
        return False

    @property
    def in_avals(self) -> list[avals.AbstractValue]:
        """The types of the inputs."""
        return [v.aval for v in self.invars]

    @property
    def out_avals(self) -> list[avals.AbstractValue]:
        """The types of the outputs."""
        return [v.aval for v in self.outvars]

    def replace(self, **changes: Any) -> "Jaxpr":
        """A copy with some fields changed."""
        names = ("constvars", "invars", "outvars", "eqns", "effects", "debug_info")
        fields = {name: getattr(self, name) for name in names}
        return Jaxpr(**{**fields, **changes})


Jaxpr.__module__ = "jax.extend.core"


class ClosedJaxpr(AbstractPrinted):
    """A program together with the values of its constants."""

    __slots__ = ("__weakref__", "_derived", "consts", "jaxpr")

    def __init__(self, jaxpr: Jaxpr, consts: Sequence[Any]):
        if len(consts) != len(jaxpr.constvars):
            raise errors.JaxprTypeError(
                f"{len(consts)} constants for {len(jaxpr.constvars)} constant variables"
            )
        self.jaxpr = jaxpr
        self.consts = list(consts)
        # Programs made from this one, by the transformation that made them.
        self._derived: dict[Any, Any] = {}

    def derived(self, key: Any, make: Callable[[], Any]) -> Any:
        """Returns what `make` returns, which is called once for each `key`; the program keeps the result."""
        made = self._derived.get(key)
        if made is None:
            made = self._derived[key] = make()
        return made

    @property
    def in_avals(self) -> list[avals.AbstractValue]:
        """The types of the inputs, constants not among them."""
        return [v.aval for v in self.jaxpr.invars]

    @property
    def out_avals(self) -> list[avals.AbstractValue]:
        """The types of the outputs."""
        return [v.aval for v in self.jaxpr.outvars]

    @property
    def literals(self) -> list[Any]:
        """The older name of `consts`."""
        return self.consts

    @property
    def num_consts(self) -> int:
        """The number of constants."""
        return len(self.consts)

    def with_consts(self, consts: Sequence[Any]) -> "ClosedJaxpr":
        """Returns the program with other constants."""
        return ClosedJaxpr(self.jaxpr, consts)

    @property
    def eqns(self) -> list[JaxprEqn]:
        """The equations."""
        return self.jaxpr.eqns

    @property
    def invars(self) -> list[Var]:
        """The variables of the inputs."""
        return self.jaxpr.invars

    @property
    def outvars(self) -> list[Atom]:
        """The outputs."""
        return self.jaxpr.outvars

    @property
    def constvars(self) -> list[Var]:
        """The variables of the constants."""
        return self.jaxpr.constvars

    @property
    def is_high(self) -> bool:
        """See `Jaxpr.is_high`."""
        return self.jaxpr.is_high

    @property
    def effects(self) -> effects_lib.Effects:
        """The effects of all equations."""
        return self.jaxpr.effects

    @property
    def debug_info(self) -> DebugInfo:
        """What the program was traced from."""
        return self.jaxpr.debug_info

    def replace(
        self, *, jaxpr: Jaxpr | None = None, consts: Any = None
    ) -> "ClosedJaxpr":
        """A copy with another program or other constants."""
        return ClosedJaxpr(
            self.jaxpr if jaxpr is None else jaxpr,
            self.consts if consts is None else consts,
        )


ClosedJaxpr.__module__ = "jax.extend.core"


class _Program(Jaxpr):
    """A program, with or without the values of its constants: the one class that newer releases have."""

    __slots__ = ("_derived", "consts")

    consts: list[Any]

    def __init__(
        self,
        constvars: Any,
        invars: Sequence[Any] | None = None,
        outvars: Sequence[Atom] | None = None,
        eqns: Sequence[JaxprEqn] | None = None,
        effects: effects_lib.Effects = effects_lib.no_effects,
        debug_info: DebugInfo | None = None,
        is_high: bool = False,
        consts: Sequence[Any] | None = None,
    ):
        if isinstance(constvars, _Program):
            # The arguments of older releases: a program, and its constants.
            jaxpr, consts = constvars, invars or consts or constvars.consts
            constvars, invars, outvars = jaxpr.constvars, jaxpr.invars, jaxpr.outvars
            eqns, effects, debug_info = jaxpr.eqns, jaxpr.effects, jaxpr.debug_info
            if len(consts) != len(constvars):
                raise errors.JaxprTypeError(
                    f"{len(consts)} constants for {len(constvars)} constant variables"
                )
        super().__init__(
            constvars, invars or (), outvars or (), eqns or (), effects, debug_info
        )
        self.consts = list(consts or ())
        self._derived: dict[Any, Any] = {}

    derived = ClosedJaxpr.derived
    literals = ClosedJaxpr.literals
    num_consts = ClosedJaxpr.num_consts

    @property
    def jaxpr(self) -> "_Program":
        """The program itself."""
        return self

    def with_consts(self, consts: Sequence[Any]) -> "_Program":
        """Returns the program with other constants."""
        return self.replace(consts=consts)

    def replace(self, **changes: Any) -> "_Program":
        """Returns a copy with some fields changed. Other `constvars` without `consts` have no values yet."""
        jaxpr = changes.pop("jaxpr", None) or self
        if "constvars" not in changes:
            changes.setdefault("consts", jaxpr.consts or self.consts)
        names = ("constvars", "invars", "outvars", "eqns", "effects", "debug_info")
        fields = {name: getattr(jaxpr, name) for name in names}
        return type(self)(**{**fields, **changes})


if releases.rule("programs_are_one_class"):
    _Program.__name__ = _Program.__qualname__ = "Jaxpr"
    _Program.__module__, _Program.__doc__ = Jaxpr.__module__, Jaxpr.__doc__
    Jaxpr = ClosedJaxpr = _Program  # type: ignore[misc, assignment]


# The printer, which core.printing sets: this module is below it.
_printers: list[Callable[..., str]] = [lambda x, **_: object.__repr__(x)]


# Types of most parameters, in which no program is.
_without_programs = frozenset((type(None), bool, int, float, str))


def jaxprs_in_params(params: dict[str, Any]) -> Iterator[Jaxpr]:
    """The programs among the parameters of an equation."""
    for value in params.values():
        if type(value) in _without_programs:
            continue
        for entry in value if isinstance(value, tuple | list) else (value,):
            if type(entry) in _without_programs:
                continue
            if isinstance(entry, Jaxpr):
                yield entry
            elif isinstance(entry, ClosedJaxpr):
                yield entry.jaxpr


def subjaxprs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """The programs in the parameters of the equations of `jaxpr`."""
    for eqn in jaxpr.eqns:
        yield from jaxprs_in_params(eqn.params)


def join_effects(*all_effects: effects_lib.Effects) -> effects_lib.Effects:
    """The union of sets of effects."""
    return (
        effects_lib.no_effects.union(*all_effects)
        if all_effects
        else effects_lib.no_effects
    )


def count_eqns(jaxpr: Jaxpr) -> int:
    """The number of equations, those of inner programs included."""
    return len(jaxpr.eqns) + sum(count_eqns(sub) for sub in subjaxprs(jaxpr))


def to_text(what: Any, **shown: Any) -> str:
    """The text of a program, of an equation or of a variable; see `printing.to_text`."""
    return _printers[0](what, **shown)
