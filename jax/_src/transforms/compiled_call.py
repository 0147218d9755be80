"""From a program to an executable that takes the leaves of a call."""

import collections
import warnings
from collections.abc import Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, monitoring, options, records
from jax._src.core import avals as av, evaluate, jaxpr as jx, shardings as sh
from jax._src.interpreters import mlir, partial_eval as pe
from jax._src.lib import fastpath
from jax._src.runtime import (
    backends,
    checks,
    dispatch,
    extended,
    placement,
    tokens,
    transfers,
)
from jax._src.transforms import jit_call as jc, jit_primitive as jp


@records.record
class LoweredProgram:
    """A module made from a program for a platform, and which of its inputs it takes."""

    result: mlir.LoweringResult
    kept: tuple[int, ...]
    name: str
    closed: jx.ClosedJaxpr
    donates: bool


def lower_program(
    program: jc.Program, platforms: Sequence[str], *, hoist_constants: bool = True
) -> LoweredProgram:
    """Makes the StableHLO module of a program; large constants become arguments or not."""
    closed = program.closed
    n_in = len(closed.jaxpr.invars)
    smaller, used = pe.dce_closed(closed, (True,) * len(closed.jaxpr.outvars))
    if program.options.keep_unused:
        smaller, used = closed, [True] * n_in
    kept = tuple(i for i, u in enumerate(used) if u)
    debug = closed.debug_info
    names = debug.arg_names
    if names is not None and len(names) == n_in:
        names = tuple(names[i] for i in kept)
    else:
        names = None
    # A program derived from another one may have other results.
    paths = debug.result_paths
    if paths is not None and len(paths) != len(closed.jaxpr.outvars):
        paths = None
    donated = [program.donated_inputs[i] for i in kept]
    _warn_of_useless_donations(closed, program)
    signature = mlir.Signature(arg_names=names, result_paths=paths, donated=donated)
    _warn_of_large_constants(smaller, program.name)
    with monitoring.timed("/jax/core/compile/jaxpr_to_mlir_module_duration"):
        result = mlir.lower_to_module(
            f"jit_{program.name}",
            smaller,
            platforms,
            signature,
            hoist_constants=hoist_constants,
        )
    return LoweredProgram(result, kept, program.name, smaller, any(donated))


def _warn_of_large_constants(closed, name):
    """Tells of constants that make the program larger than the user wants."""
    limit = options.captured_constants_warn_bytes.value
    if not closed.consts or limit < 0:
        return
    total = sum(getattr(c, "nbytes", 0) for c in closed.consts)
    if total >= limit:
        warnings.warn(
            errors.explain(
                "A large amount of constants were captured during lowering.",
                [("bytes", str(total)), ("arrays", str(len(closed.consts)))]
                + [("function", name)],
                "jax_captured_constants_warn_bytes says from how many bytes on.",
                "Pass the arrays as arguments instead of closing over them.",
            ),
            UserWarning,
            stacklevel=2,
        )


def _warn_of_useless_donations(closed, program):
    """Tells which donated arguments fit no result, so that their memory is not reused."""
    if not any(program.donated):
        return
    results = collections.Counter((a.shape, a.dtype) for a in closed.out_avals)
    unused = []
    for aval, is_donated in zip(closed.in_avals, program.donated_inputs, strict=True):
        if not is_donated:
            continue
        if results[aval.shape, aval.dtype]:
            results[aval.shape, aval.dtype] -= 1
        else:
            unused.append(aval.str_short())
    if unused:
        warnings.warn(
            errors.explain(
                "Some donated buffers were not usable: no result has their shape and dtype.",
                [("arguments", ", ".join(unused)), ("function", program.name)],
                "Memory of an argument is reused for a result of the same type.",
            ),
            UserWarning,
            stacklevel=2,
        )


@records.record
class CompiledProgram:
    """An executable, and how to call it with the leaves of a call."""

    data: Any
    executable: Any
    kept: tuple[int, ...]
    closed: jx.ClosedJaxpr
    sharding: Any
    lowered: mlir.LoweringResult
    # Whether leaves or results have dtypes that stand for other arrays.
    in_extended: bool
    out_extended: bool
    # Per result, where it was asked to lie; None: as `sharding` says.
    out_places: tuple[Any, ...] | None = None

    @property
    def native_data(self) -> Any:
        """What the native call path may remember, or None."""
        is_native = not self.lowered.has_token and self.out_places is None
        return self.data if is_native else None

    @property
    def has_keys(self) -> bool:
        """Whether arguments, results or constants may be random keys."""
        consts = map(extended.is_extended, map(av.get_aval, self.closed.consts))
        return self.in_extended or self.out_extended or any(consts)

    def run(self, leaves: Sequence[Any]) -> list[Any]:
        """The leaves of the results."""
        if self.in_extended:
            leaves = [extended.physical_value(x) for x in leaves]
        outs = tokens.run(self.data, leaves, self.lowered, self.sharding)
        if self.out_extended:
            outs = [
                extended.logical_value(o, aval)
                for o, aval in zip(outs, self.closed.out_avals, strict=True)
            ]
        if self.out_places is not None:
            outs = [
                placement.device_put(o, s)
                for o, s in zip(outs, self.out_places, strict=True)
            ]
        return outs

    def is_watched(self, leaves: Sequence[Any]) -> bool:
        """Whether such a call needs transfers that must be checked each time."""
        if self.in_extended:
            leaves = [extended.physical_value(x) for x in leaves]
        return transfers.is_watched(leaves, self.sharding)


def _refuse_tokens(program):
    closed = program.closed
    for what, avals in (("argument", closed.in_avals), ("result", closed.out_avals)):
        if any(isinstance(aval, av.AbstractToken) for aval in avals):
            raise NotImplementedError(
                errors.explain(
                    f"A token is {what} of a compiled function.",
                    [("function", program.name)],
                    "Tokens order operations inside of one program.",
                    "Make and use the token in the same function.",
                )
            )


def compile_lowered(
    lowered: LoweredProgram,
    program: jc.Program,
    sharding: Any,
    committed: bool,
) -> CompiledProgram:
    """Compiles a lowered program for the devices of a place and prepares its calls."""
    _refuse_tokens(program)
    result = lowered.result
    executable = dispatch.compile_lowered(
        result,
        sharding.ordered_devices,
        f"jit({program.name})",
        dict(program.options.compiler_options),
    )
    closed = lowered.closed
    out_avals = [mlir.physical_aval(a) for a in closed.out_avals]
    kept = list(lowered.kept)
    if result.is_ordered:
        kept = [0, *(i + 1 for i in kept)]
    if result.has_token:
        out_avals = [dispatch.TOKEN_ARRAY, *out_avals]
    all_kept = len(lowered.kept) == len(program.closed.jaxpr.invars)
    data = fastpath.FastpathData(
        executable=executable,
        # A program with a token is never called natively.
        out_tree=_native_tree(
            None if result.has_token or program.links else program.out_tree,
            len(out_avals),
        ),
        out_types=[(a.shape, a.dtype, a.weak_type) for a in out_avals],
        out_shardings=[sharding] * len(out_avals),
        out_committed=committed,
        kept=None if all_kept else kept,
        in_shardings=dispatch.wanted_of(sharding, len(kept)),
        constants=[placement.put(c, sharding) for c in result.constants],
        donates=lowered.donates,
        out_wrappers=extended.wrappers(closed.out_avals),
        keepalive=result.keepalives,
    )
    return CompiledProgram(
        data,
        executable,
        lowered.kept,
        closed,
        sharding,
        result,
        any(extended.is_extended(a) for a in program.closed.in_avals),
        any(extended.is_extended(a) for a in closed.out_avals),
        _out_places(program, sharding),
    )


def _out_places(program, sharding):
    """Where the results on several devices were asked to lie."""
    if sharding.num_devices == 1 or not _asked(program.options.out_shardings):
        return None
    tops = tree.tree_unflatten(program.out_tree, [0] * program.out_tree.num_leaves)
    spread = tree.tree_broadcast(
        program.options.out_shardings, tops, is_leaf=lambda s: s is None
    )
    places = tree.tree_leaves(spread, is_leaf=lambda s: s is None)
    return tuple(s if isinstance(s, sh.Sharding) else sharding for s in places)


def _asked(shardings):
    return [s for s in tree.tree_leaves(shardings) if isinstance(s, sh.Sharding)]


def _native_tree(out_tree, count):
    """The tree of the results as the native path has it: None for a single leaf."""
    if out_tree is None:
        return tree.tree_structure([0] * count)
    return None if tree.treedef_is_strict_leaf(out_tree) else out_tree


_UNSPECIFIED = (jp.UNSPECIFIED, jp.UNSPECIFIED)


def place_of(program: jc.Program, leaves: Sequence[Any]) -> tuple[Any, bool]:
    """Where a call runs: the device asked for, that of its arguments, or the default one."""
    opts = program.options
    if opts.device is not None:
        return sh.of_device(opts.device), True
    if opts.backend is not None:
        return sh.of_device(backends.local_devices(backend=opts.backend)[0]), True
    given = opts.in_shardings, opts.out_shardings
    asked = () if given == _UNSPECIFIED else _asked(given)
    if asked:
        if any(s.ordered_devices != asked[0].ordered_devices for s in asked):
            raise ValueError(
                errors.explain(
                    "jit: the shardings name different devices.",
                    [("function", program.name)]
                    + [("sharding", repr(s)) for s in dict.fromkeys(asked)],
                    "A program runs on the same devices from beginning to end.",
                )
            )
        return asked[0].replicated, True
    return dispatch.choose_device([extended.physical_value(x) for x in leaves])


def compiled_for(program: jc.Program, leaves: Sequence[Any]) -> CompiledProgram:
    """The executable of a program for a call with these leaves; made once per place."""
    sharding, committed = place_of(program, leaves)
    key = (sharding, committed)
    found = program.executables.get(key)
    if found is None:
        platform = sharding.ordered_devices[0].platform
        lowered = lower_program(program, (platform,))
        found = compile_lowered(lowered, program, sharding, committed)
        program.executables[key] = found
    return found


def evaluate_jit(*args: Any, jaxpr: jx.ClosedJaxpr, **params: Any) -> list[Any]:
    """Evaluates the primitive `jit` outside every trace."""
    name = params["name"]
    if options.disable_jit.value:
        return evaluate.eval_closed(jaxpr, *args)
    key = ("program", name, params["keep_unused"], params["compiler_options_kvs"])

    def make():
        opts = jc.JitOptions(
            keep_unused=params["keep_unused"],
            compiler_options=params["compiler_options_kvs"],
        )
        return jc.Program(jaxpr, name, None, None, (False,) * len(args), opts)

    program = jaxpr.derived(key, make)
    outs = run_program(program, args)
    if checks.is_asked() and checks.find_bad_value(outs):
        # Operation by operation, to see which one it was.
        with options.disable_jit(True):
            evaluate.eval_closed(jaxpr, *args)
        checks.check(f"jit({name})", outs)
    return outs


def run_program(program: jc.Program, leaves: Sequence[Any]) -> list[Any]:
    """Runs a program outside every trace; returns values of its own types."""
    compiled = compiled_for(program, leaves)
    return compiled.run(leaves)


jp.jit_p.set_rule("impl", evaluate_jit)
