"""What a jitted call is: its options, its arguments taken apart, its program."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import caches, config, errors, monitoring, options, records, util
from jax._src.core import (
    avals as av,
    jaxpr as jx,
    partition_spec as ps,
    reference_links as rl,
    shardings as sh,
    state,
    trace as tr,
)
from jax._src.interpreters import hijax, partial_eval as pe
from jax._src.runtime import layouts
from jax._src.transforms import cache_misses, calls, inlining, jit_primitive as jp


@records.record
class JitOptions:
    """The arguments of `jit`, in one form."""

    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
    donate_argnums: tuple[int, ...] = ()
    donate_argnames: tuple[str, ...] = ()
    keep_unused: bool = False
    inline: Any = inlining.DEFAULT
    in_shardings: Any = jp.UNSPECIFIED
    out_shardings: Any = jp.UNSPECIFIED
    device: Any = None
    backend: str | None = None
    compiler_options: tuple[tuple[str, Any], ...] = ()
    # Whether the function itself is called inside of a trace; see `jit_outermost`.
    is_itself_inside: bool = False


def _numbers(argnums, what):
    return () if argnums is None else calls.argnums_tuple(argnums, what)


def _names(argnames, what):
    if argnames is None:
        return ()
    if isinstance(argnames, str):
        return (argnames,)
    names = tuple(argnames)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be strings, got {name!r}.")
    return names


_log = logging.getLogger("jax.jit")


def _complete(fun, numbers, names, what):
    """Adds the names that belong to numbers, and the numbers that belong to names."""
    parameters = calls.parameters_of(fun) if numbers or names else None
    if parameters is None:
        return numbers, names
    positional, named = parameters.positional, parameters.named
    is_open = parameters.takes_any_position
    for number in numbers:
        if not is_open and not -len(positional) <= number < len(positional):
            raise ValueError(
                errors.explain(
                    f"Jitted function has {what}argnums={tuple(numbers)}, but only accepts "
                    f"{len(positional)} positional arguments.",
                    [("function", calls.describe(fun))],
                )
            )
    known = positional + parameters.by_name
    for name in names:
        if name not in known and not parameters.takes_any_name:
            raise ValueError(
                errors.explain(
                    f"Jitted function has invalid argnames {{{name!r}}} in {what}argnames. "
                    "Function does not take these args.",
                    [
                        ("function", calls.describe(fun)),
                        ("parameters", ", ".join(known) or "none"),
                    ],
                )
            )
        if name in parameters.by_position:
            raise ValueError(
                errors.explain(
                    f"jit: {what}argnames has {name!r}, which is passed by position only.",
                    [("function", calls.describe(fun))],
                    ways=f"Give its position in {what}argnums.",
                )
            )
    if names and not numbers:
        numbers = tuple(positional.index(n) for n in names if n in positional)
    elif numbers and not names:
        by_name = [
            positional[n]
            for n in numbers
            if -len(positional) <= n < len(positional) and positional[n] in named
        ]
        names = tuple(by_name)
    return numbers, names


def make_options(
    fun: Callable,
    static_argnums: int | Sequence[int] | None,
    static_argnames: str | Iterable[str] | None,
    donate_argnums: int | Sequence[int] | None,
    donate_argnames: str | Iterable[str] | None,
    compiler_options: dict[str, Any] | None,
    **others: Any,
) -> JitOptions:
    """The options of `jit`, checked against the signature of the function.

    Raises:
        ValueError: an argument is named that does not exist, or is static and donated.
        TypeError: a sharding is none.
    """
    static = _complete(
        fun,
        _numbers(static_argnums, "static_argnums"),
        _names(static_argnames, "static_argnames"),
        "static_",
    )
    donated = _complete(
        fun,
        _numbers(donate_argnums, "donate_argnums"),
        _names(donate_argnames, "donate_argnames"),
        "donate_",
    )
    both = set(static[0]) & set(donated[0]) or set(static[1]) & set(donated[1])
    if both:
        raise ValueError(
            errors.explain(
                "static_argnames and donate_argnames cannot intersect.",
                [
                    ("both", ", ".join(map(str, sorted(both)))),
                    ("function", calls.describe(fun)),
                ],
                "Static arguments are no arrays: there is nothing to donate.",
            )
        )
    for name in ("in_shardings", "out_shardings"):
        check_shardings(f"jit: {name}", others.get(name))
        others[name] = _frozen(others.get(name))
    items = compiler_items(compiler_options)
    return JitOptions(*static, *donated, compiler_options=items, **others)


@records.record
class ShardingTree:
    """A tree of shardings, hashable whatever its nodes are."""

    structure: Any
    leaves: tuple[Any, ...]

    @property
    def tree(self) -> Any:
        """The tree as it was given."""
        return tree.tree_unflatten(self.structure, self.leaves)


SHARDING_LEAVES = (sh.Sharding, ps.PartitionSpec, layouts.Format, jp.Unspecified)


def is_sharding_leaf(x: Any) -> bool:
    """Whether something is a leaf in a tree of shardings."""
    return x is None or isinstance(x, SHARDING_LEAVES)


def _frozen(shardings):
    if is_sharding_leaf(shardings):
        return shardings
    leaves, structure = tree.tree_flatten(shardings, is_leaf=is_sharding_leaf)
    return ShardingTree(structure, tuple(leaves))


def check_shardings(what: str, shardings: Any) -> None:
    """Refuses trees with leaves that are no shardings.

    Raises:
        TypeError: a leaf is no sharding.
        NotImplementedError: a leaf asks for an order that arrays cannot have.
    """
    for leaf in tree.tree_leaves(shardings, is_leaf=is_sharding_leaf):
        if not is_sharding_leaf(leaf):
            raise TypeError(
                errors.explain(
                    f"{what.removeprefix('jit: ')} leaf specifications are expected to be "
                    f"PartitionSpec instances or None, but got {leaf}.",
                    [("type", type(leaf).__name__)],
                    "Its leaves are shardings, PartitionSpecs or None.",
                    "On one device: jax.sharding.SingleDeviceSharding(device).",
                )
            )
        if isinstance(leaf, layouts.Format):
            leaf.check()


def as_given(shardings: Any) -> Any:
    """A tree of shardings as the user gave it."""
    return shardings.tree if isinstance(shardings, ShardingTree) else shardings


def compiler_items(given: Mapping[str, Any] | None) -> tuple[tuple[str, Any], ...]:
    """Options for the compiler, sorted by name; which there are, the compiler knows.

    Raises:
        TypeError: they are no dict of names and booleans, numbers or strings.
    """
    if not isinstance(given or {}, Mapping):
        raise TypeError(
            errors.explain(
                "compiler_options must be a dict.",
                [("got", type(given).__name__)],
                ways='Write compiler_options={"name": value}.',
            )
        )
    found = {}
    for name, value in (given or {}).items():
        plain = value.item() if isinstance(value, np.generic) else value
        if not isinstance(name, str) or not isinstance(plain, bool | int | float | str):
            raise TypeError(
                errors.explain(
                    "An option for the compiler is not of a type that options have.",
                    [("name", repr(name)), ("value", f"a {type(value).__name__}")],
                    "Names are strings; values are booleans, numbers or strings.",
                    "Leave out an option that shall have its default.",
                )
            )
        found[name] = plain
    return tuple(sorted(found.items()))


class Arguments:
    """The arguments of one call: traced leaves and their tree, and static values."""

    __slots__ = (
        "donated",
        "fun",
        "held",
        "in_tree",
        "key",
        "leaves",
        "names",
        "traced",
        "types",
    )

    def __init__(self, fun: Callable, opts: JitOptions, args: tuple, kwargs: dict):
        # References that the function gets as they are, instead of as inputs.
        self.held: tuple[tuple[int, Any], ...] = ()
        # The leaves that are mere types, by their numbers.
        self.types: tuple[int, ...] = ()
        count = len(args)
        if not (opts.static_argnums or opts.static_argnames):
            self.traced = (args, kwargs)
            self.leaves, self.in_tree = tree.tree_flatten(self.traced)
            self.key: tuple[Any, ...] = ()
            self.fun = fun
            self.donated = _donated(opts, count, (), args, kwargs)
            self.names = (fun, args, kwargs)
            return
        _check_low_numbers(fun, opts.static_argnums, count)
        static = {n % count for n in opts.static_argnums if n < count}
        fixed_kwargs = {k: v for k, v in kwargs.items() if k in opts.static_argnames}
        dynamic = tuple(a for i, a in enumerate(args) if i not in static)
        traced_kwargs = {k: v for k, v in kwargs.items() if k not in fixed_kwargs}
        self.traced = (dynamic, traced_kwargs)
        self.leaves, self.in_tree = tree.tree_flatten(self.traced)
        fixed = tuple((i, args[i]) for i in sorted(static))
        statics = fixed + tuple(sorted(fixed_kwargs.items()))
        for name, value in statics:
            _check_hashable(fun, name, value)
        # 1, 1.0 and True are equal, and must not share a program.
        self.key = tuple((name, _classes(value), value) for name, value in statics)
        self.fun = (
            _with_statics(fun, count, dict(fixed), fixed_kwargs) if statics else fun
        )
        self.donated = _donated(opts, count, static, dynamic, traced_kwargs)
        self.names = (fun, dynamic, traced_kwargs)

    def hold_references(self) -> None:
        """Gives references to the function as they are, under a transformation.

        What it does to them then concerns themselves: rules of derivatives that keep
        them find them again.
        """
        self._without(*rl.hold(self.leaves, "a jitted function"))

    def _without(self, leaves, held):
        """Takes leaves out that the function gets as they are."""
        if not held:
            return
        self.leaves, self.held = leaves, held
        self.key += tuple((i, util.IdentityKey(ref)) for i, ref in held)
        if self.donated:
            indices = {i for i, _ in held}
            self.donated = tuple(
                d for i, d in enumerate(self.donated) if i not in indices
            )

    def hold_objects(self) -> None:
        """Gives values of libraries that change to the function as they are."""
        self._without(*rl.hold_objects(self.leaves))

    def leaf_names(self) -> tuple[str, ...]:
        """What the user calls each leaf."""
        names = calls.arg_names(*self.names)
        if not self.held:
            return names
        indices = {i for i, _ in self.held}
        return tuple(name for i, name in enumerate(names) if i not in indices)


def _check_low_numbers(fun, numbers, count):
    for number in numbers:
        if number < -count:
            raise ValueError(
                errors.explain(
                    "jit: static_argnums has a number from the end that no argument has.",
                    [
                        ("number", str(number)),
                        ("arguments", f"{count} by position"),
                        ("function", calls.describe(fun)),
                    ],
                    "-1 is the last of the arguments of a call.",
                )
            )


def _check_hashable(fun, name, value):
    try:
        hash(value)
    except TypeError:
        raise ValueError(
            errors.explain(
                "Non-hashable static arguments are not supported: a jitted function is "
                "compiled once per value of its static arguments.",
                [
                    ("argument", str(name)),
                    ("type", f"{type(value).__name__}"),
                    ("function", calls.describe(fun)),
                ],
                ways="Use a tuple instead of a list, or make the argument an array.",
            )
        ) from None


def _classes(value):
    """The class of a static value, of a tuple those of its parts: (1,) and (1.0,) differ."""
    return tuple(map(_classes, value)) if type(value) is tuple else type(value)


def _with_statics(fun, count, fixed, fixed_kwargs):
    def dynamic(*xs, **kwargs):
        rest = iter(xs)
        full = [fixed[i] if i in fixed else next(rest) for i in range(count)]
        return fun(*full, **kwargs, **fixed_kwargs)

    dynamic.__name__ = util.function_name(fun)
    dynamic.__wrapped__ = fun
    return dynamic


def _donated(opts, count, static, dynamic, kwargs):
    if not opts.donate_argnums and not opts.donate_argnames:
        return None
    given = {n % count for n in opts.donate_argnums if -count <= n < count}
    flags: list[bool] = []
    positions = [i for i in range(count) if i not in static]
    for position, value in zip(positions, dynamic, strict=True):
        flags += [position in given] * len(tree.tree_leaves(value))
    for name in sorted(kwargs):
        flags += [name in opts.donate_argnames] * len(tree.tree_leaves(kwargs[name]))
    return tuple(flags)


class Program:
    """The program of a call at certain types, and what was compiled from it."""

    __slots__ = (
        "arguments_tree",
        "closed",
        "donated",
        "executables",
        "held",
        "links",
        "lifted",
        "name",
        "options",
        "out_tree",
        "shardings",
    )

    def __init__(
        self,
        closed,
        name,
        arguments_tree,
        out_tree,
        donated,
        opts,
        links=rl.Links(),
        lifted=0,
        held=(),
    ):
        self.closed: jx.ClosedJaxpr = closed
        self.name: str = name
        self.arguments_tree = arguments_tree
        self.out_tree = out_tree
        self.donated: tuple[bool, ...] = donated
        self.options: JitOptions = opts
        self.executables: dict[Any, Any] = {}
        # Its `ResolvedShardings`, once they are computed.
        self.shardings: Any = None
        # How references take part; none of them: false.
        self.links: rl.Links = links
        # How many traced values that the function closes over are its first inputs.
        self.lifted: int = lifted
        # Leaves of the arguments that are no inputs, for the function gets them as they
        # are: the number of each and its type.
        self.held: tuple[tuple[int, Any], ...] = held

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
        avals = self.closed.out_avals
        return avals[: len(avals) - self.links.result_count]

    @property
    def argument_avals(self) -> list[Any]:
        """The types of the leaves of the arguments, arrays where they are references."""
        avals = self.closed.in_avals
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
            names = self.closed.jaxpr.debug_info.arg_names or ()
            self.links.check_call(leaves, what(), names[self.lifted :])
        arguments = rl.arrays(leaves)
        return arguments + self.links.operands()

    def params(self) -> dict[str, Any]:
        """The parameters of the primitive `jit`."""
        n_in, n_out = len(self.closed.jaxpr.invars), len(self.closed.jaxpr.outvars)
        params = jp.default_params(self.closed, self.name, n_in, n_out)
        params["donated_invars"] = self.donated_inputs
        params["keep_unused"] = self.options.keep_unused
        params["inline"] = self.options.inline
        params["compiler_options_kvs"] = self.options.compiler_options
        return params


def low_program(program: Program, inputs: Sequence[Any] = ()) -> tuple[Program, list]:
    """The program that is compiled of another one, and the inputs that it takes.

    They are the same where all values are arrays. Inputs may be types. In the trees of
    arguments and results lists of arrays are where values above them were.
    """
    closed = program.closed
    if not hijax.is_high_program(closed):
        return program, list(inputs)
    numbers = hijax.counts(closed.in_avals)
    lows: list[Any] = []
    for aval, value in zip(closed.in_avals, inputs, strict=bool(inputs)):
        is_type = isinstance(value, av.AbstractValue)
        lows += (
            hijax.lo_avals([value]) if is_type else hijax.lower_values([aval], [value])
        )
    made = Program(
        hijax.lowered(closed),
        program.name,
        _low_tree(
            program.arguments_tree,
            program.per_leaf(_lists(program.argument_avals), lambda aval: 0),
        ),
        _low_tree(program.out_tree, _lists(program.result_avals)),
        hijax.repeated(program.donated, numbers[program.lifted :]),
        program.options,
        program.links,
        sum(numbers[: program.lifted]),
        _low_held(program, numbers[program.lifted :]),
    )
    return made, lows


def _lists(avals):
    return [[0] * len(a.lo_ty()) if a.is_high else 0 for a in avals]


def _low_tree(structure, leaves):
    """Returns the tree with each hi-type value replaced by the list of its arrays."""
    return tree.with_leaves(structure, iter(map(tree.tree_structure, leaves)))


def _low_held(program, numbers):
    count = len(program.argument_avals)
    sizes = program.per_leaf(numbers[:count], lambda aval: 1)
    return tuple((sum(sizes[:number]), aval) for number, aval in program.held)


_programs = caches.FunctionCache("jit.programs")


def program_of(
    fun: Callable,
    opts: JitOptions,
    arguments: Arguments,
    avals: tuple[Any, ...] | None = None,
) -> tuple[Program, list[Any]]:
    """The program of a call, and the traced values that it closes over.

    Programs are kept per function, unless they close over traced values.

    Args:
        fun: the function.
        opts: the options of `jit`.
        arguments: the arguments of the call.
        avals: their types, where the arguments may be types themselves.

    Raises:
        TypeError: a leaf of the arguments is no value.
    """
    if avals is None:
        avals = _avals_of(fun, arguments)
    key = (
        opts,
        arguments.in_tree,
        avals,
        arguments.key,
        arguments.donated,
        config.config.trace_key(),
        state.axes_key(),
    )
    entries = _programs.entries(fun)
    found = entries.get(key)
    if found is not None and found.links.are_current:
        _programs.hits += 1
        return found, []
    _programs.misses += 1
    program, consts = trace_program(fun, opts, arguments, avals)
    if not consts and all(r.home is tr.evaluation for r in program.links.captured):
        entries[key] = program
    return program, consts


def not_a_jit_argument(fun: Callable, leaf: Any, name: str) -> TypeError:
    """The error for an argument of a traced function that is no array."""
    cause = av.not_a_value(leaf)
    return TypeError(
        f"Error interpreting argument to {calls.describe(fun)} as an abstract array. The "
        f"problematic value "
        f"is of type {type(leaf)} and was passed to the function at path {name}.\n"
        f"{cause.args[0]}"
    )


def _avals_of(fun, arguments):
    try:
        return tuple([av.get_aval(leaf) for leaf in arguments.leaves])
    except TypeError:
        names = calls.arg_names(*arguments.names)
        for leaf, name in zip(arguments.leaves, names, strict=False):
            if not (av.is_value(leaf) or av.describes_type(leaf)):
                raise not_a_jit_argument(fun, leaf, name) from None
        found = tuple([av.typeof(leaf) for leaf in arguments.leaves])
        leaves = enumerate(arguments.leaves)
        arguments.types = tuple(i for i, leaf in leaves if not av.is_value(leaf))
        return found
    except OverflowError as error:
        names = calls.arg_names(*arguments.names)
        for leaf, name in zip(arguments.leaves, names, strict=False):
            if isinstance(leaf, int) and not _fits(leaf):
                raise OverflowError(
                    "An overflow was encountered while parsing an argument to a jitted "
                    f"computation, whose argument path is {name}. Got {type(leaf)} with "
                    f"value {leaf}.\n{error}"
                ) from None
        raise


def _fits(number: int) -> bool:
    try:
        av.get_aval(number)
    except OverflowError:
        return False
    return True


def with_stand_ins(program: "Program", arguments: Arguments) -> list[Any]:
    """The leaves, with zeros in place of mere types, whose values no result needs.

    Raises:
        TypeError: a result needs one.
    """
    is_used = _inputs_read(program.closed.jaxpr)
    leaves = list(arguments.leaves)
    names = arguments.leaf_names()
    for i in arguments.types:
        aval: Any = program.argument_avals[i]
        if is_used[program.lifted + i] or program.options.keep_unused:
            raise TypeError(
                errors.explain(
                    f"Argument {names[i]!r} of shape {aval.str_short()} of type "
                    f"{type(leaves[i])} is not a valid JAX type.",
                    [("function", calls.describe(arguments.fun))],
                    "A type has no value, and the result depends on it.",
                    "Pass an array, or use the shape and the dtype alone.",
                )
            )
        physical = av.physical_aval(aval)
        leaves[i] = np.broadcast_to(np.zeros((), physical.dtype), physical.shape)
    return leaves


def _inputs_read(jaxpr):
    """For each input of a program, whether a result or an effect depends on it."""
    live = {v for v in jaxpr.outvars if isinstance(v, jx.Var)}
    for eqn in reversed(jaxpr.eqns):
        used = [v in live for v in eqn.outvars]
        if not any(used) and not eqn.effects:
            continue
        read = [True] * len(eqn.invars)
        rule = eqn.primitive.rules.get("dce")
        if eqn.primitive is jp.jit_p:
            read = _inputs_read(eqn.params["jaxpr"].jaxpr)
        elif rule is not None:
            read, _ = rule(used, eqn)
        pairs = zip(eqn.invars, read, strict=True)
        live.update(v for v, is_read in pairs if is_read and isinstance(v, jx.Var))
    return [v in live for v in jaxpr.invars]


def trace_program(
    fun: Callable, opts: JitOptions, arguments: Arguments, avals: Sequence[Any]
) -> tuple[Program, list[Any]]:
    """The program of a call, made anew of a trace that may be there."""
    traced, consts = trace_of(fun, arguments, avals)
    links = traced.links
    donated = arguments.donated or (False,) * len(avals)
    if links:
        # Who has read a reference has its array.
        given = [d and i not in links.arguments for i, d in enumerate(donated)]
        donated = (*given, *[False] * len(links.captured))
    program = Program(
        traced.closed,
        util.function_name(fun),
        arguments.in_tree,
        traced.out_tree,
        donated,
        opts,
        links,
        len(consts),
        tuple((number, av.get_aval(x)) for number, x in arguments.held),
    )
    return program, consts


@records.identity_record
class TracedCall:
    """What a function does at certain types, shared by all calls."""

    closed: jx.ClosedJaxpr
    out_tree: Any
    # How references take part; none of them: false.
    links: rl.Links


_traces = caches.FunctionCache("jit.traces")


def trace_of(
    fun: Callable,
    arguments: Arguments,
    avals: Sequence[Any],
    flat: calls.FlatFunction | None = None,
) -> tuple[TracedCall, list[Any]]:
    """The trace of a call, and the traced values that it closes over.

    All wrappers of one function share its traces: what it makes at each trace, such as
    functions in the metadata of a tree, is then equal between them.

    Args:
        fun: the function.
        arguments: the arguments of the call.
        avals: their types.
        flat: the function of leaves, where mistakes are another's than those of `jit`.
    """
    key = (
        arguments.in_tree,
        tuple(avals),
        arguments.key,
        config.config.trace_key(),
        state.axes_key(),
    )
    entries = _traces.entries(fun)
    found = entries.get(key)
    if found is not None and found.links.are_current:
        return found, []
    if flat is None:
        flat = calls.FlatFunction(
            arguments.fun, arguments.in_tree, "jit", arguments.held
        )
    if options.explain_cache_misses.value and cache_misses.is_of_user(fun):
        names = arguments.leaf_names()
        _log.warning("%s", cache_misses.explain(fun, names, key, entries))
    traced, consts = _trace(fun, flat, arguments, avals)
    is_free = all(r.home is tr.evaluation for r in traced.links.captured)
    if flat.is_program and not consts and is_free:
        entries[key] = traced
    return traced, consts


def _trace(fun, flat, arguments, avals):
    names, source = arguments.leaf_names(), util.function_source(fun)
    debug = jx.DebugInfo("jit", source, names, None)
    if options.log_compiles.value:
        _log.warning(
            "Tracing %s for %s",
            calls.describe(fun),
            ", ".join(a.str_short() for a in avals),
        )
    with monitoring.timed("/jax/core/compile/jaxpr_trace_duration"):
        jaxpr, consts, links = pe.trace_with_references(flat, avals, debug)
    paths = calls.result_paths(flat.out_tree)
    if links:
        debug = debug.replace(arg_names=(*names, *[None] * len(links.captured)))
        paths = (*paths, *["reference"] * links.result_count)
    jaxpr = jaxpr.replace(debug_info=debug.replace(result_paths=paths))
    closed, consts = pe.split_traced_consts(jx.ClosedJaxpr(jaxpr, consts))
    return TracedCall(closed, flat.out_tree, links), consts
