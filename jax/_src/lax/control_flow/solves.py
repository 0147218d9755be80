"""Solutions of equations as operations: linear solves and roots with their derivatives."""

from collections.abc import Callable
from typing import Any, NamedTuple

from jax._src import tree as trees
from jax._src.base import traceback_filter
from jax._src.core import evaluate, reference_links, vma
from jax._src.core.avals import get_aval
from jax._src.core.primitive import BY_TYPES, declare
from jax._src.interpreters import ad, batching
from jax._src.jit.primitive import jvp_jaxpr
from jax._src.lax.control_flow import programs
from jax._src.lax.ops.arithmetic import neg, sub
from jax._src.lax.ops.messages import explain, not_implemented, type_error, value_error
from jax._src.lax.ops.reference_programs import run_closed_by_reference


class SolveParts(NamedTuple):
    """Something for each of the four functions of a linear solve."""

    matvec: Any
    vecmat: Any
    solve: Any
    transpose_solve: Any

    def transposed(self) -> "SolveParts":
        """The parts of the solve with the transposed matrix."""
        return SolveParts(self.vecmat, self.matvec, self.transpose_solve, self.solve)


def _split(args, const_lengths):
    """The captured values of each function, and the right side."""
    groups, start = [], 0
    for length in const_lengths:
        groups.append(list(args[start : start + length]))
        start += length
    return SolveParts(*groups), list(args[start:])


@declare("custom_linear_solve", multiple_results=True)
class linear_solve_p:
    """Solves a linear equation by a given function."""

    manual = vma.AS_TYPES

    def types(*avals, const_lengths, jaxprs):
        return jaxprs.solve.out_avals

    sharding = BY_TYPES

    def decompose(*args, const_lengths, jaxprs):
        consts, b = _split(args, const_lengths)
        return evaluate.eval_closed(jaxprs.solve, *consts.solve, *b)

    def jvp_all(primals, tangents, **params):
        return _solve_jvp(primals, tangents, **params)

    def transpose(cts, *operands, const_lengths, jaxprs):
        consts, b = _split(operands, const_lengths)
        if jaxprs.transpose_solve is None:
            raise type_error(
                "lax.custom_linear_solve: transpose_solve required for backwards mode automatic differentiation "
                "of custom_linear_solve.",
                [("b", ", ".join(x.aval.str_short() for x in b))],
                "Reverse-mode differentiation solves it for the cotangents.",
                "Give transpose_solve, or symmetric=True if the matrix is.",
            )
        swapped = consts.transposed()
        cts = [ad.instantiate_zeros(ct) for ct in cts[: len(b)]]
        outs = linear_solve_p.bind(
            *[c for group in swapped for c in group],
            *cts,
            const_lengths=const_lengths.transposed(),
            jaxprs=jaxprs.transposed(),
        )
        return [*[None] * sum(const_lengths), *outs[: len(b)]]

    def batch(axis, args, dims, **params):
        return _solve_batch(axis, args, dims, **params)

    def reference(*args, const_lengths, jaxprs):
        consts, b = _split(args, const_lengths)
        return run_closed_by_reference(jaxprs.solve, *consts.solve, *b)


def _solve_jvp(primals, tangents, *, const_lengths, jaxprs):
    params = {"const_lengths": const_lengths, "jaxprs": jaxprs}
    consts, b = _split(primals, const_lengths)
    t_consts, t_b = _split(tangents, const_lengths)
    outs = linear_solve_p.bind(*primals, **params)
    x, aux = outs[: len(b)], outs[len(b) :]
    t_matrix = t_consts.matvec
    if any(type(t) is not ad.Zero for t in t_matrix):
        # From A x = b: A dx = db - dA x.
        fixed = [*t_matrix, *(ad.Zero(get_aval(v).to_tangent_aval()) for v in x)]
        program, _ = jvp_jaxpr(jaxprs.matvec, programs.nonzero_mask(fixed), True)
        live = [t for t in t_matrix if type(t) is not ad.Zero]
        found = evaluate.eval_closed(program, *consts.matvec, *x, *live)
        t_b = [
            sub(ad.instantiate_zeros(t), d)
            for t, d in zip(t_b, found[len(b) :], strict=True)
        ]
    no_aux = [ad.Zero(get_aval(v).to_tangent_aval()) for v in aux]
    if all(type(t) is ad.Zero for t in t_b):
        return outs, [*(ad.Zero(get_aval(v).to_tangent_aval()) for v in x), *no_aux]
    flat_consts = [c for group in consts for c in group]
    moved = linear_solve_p.bind(
        *flat_consts, *(ad.instantiate_zeros(t) for t in t_b), **params
    )
    return outs, [*moved[: len(b)], *no_aux]


def _solve_batch(axis, args, dims, *, const_lengths, jaxprs):
    consts, b = _split(args, const_lengths)
    const_dims, b_dims = _split(dims, const_lengths)
    rows = batching.all_at_front(b, b_dims, axis.size)
    batched = [
        None
        if program is None
        else batching.batch_jaxpr(program, axis, [*ds, *[0] * len(b)], True)[0]
        for program, ds in zip(jaxprs, const_dims, strict=True)
    ]
    outs = linear_solve_p.bind(
        *[c for group in consts for c in group],
        *rows,
        const_lengths=const_lengths,
        jaxprs=SolveParts(*batched),
    )
    return outs, [0] * len(outs)


def custom_linear_solve(
    matvec: Callable,
    b,
    solve: Callable,
    transpose_solve: Callable | None = None,
    symmetric: bool = False,
    has_aux: bool = False,
):
    """Solves ``matvec(x) = b`` by a given function, with derivatives of the equation.

    Args:
        matvec: a linear function from the unknown to the right side.
        b: a tree of arrays of floating or complex dtype, the right side.
        solve: from `matvec` and `b` to the solution.
        transpose_solve: the same for the transposed function; reverse-mode derivatives
            need it.
        symmetric: whether `matvec` equals its transpose.
        has_aux: whether `solve` returns a pair of the solution and other values.

    The functions may read references from outside. `solve` may write to them, which is
    done once, not again for derivatives.

    Returns:
        The solution, or with `has_aux` a pair.

    Raises:
        TypeError: structures differ, or a derivative needs `transpose_solve`.
        ValueError: shapes differ, or there is no pair where `has_aux` asks for one.
        NotImplementedError: `transpose_solve` writes to a reference.
    """
    if transpose_solve is None and symmetric:
        transpose_solve = solve
    leaves, structure = trees.tree_flatten(b)
    avals = [get_aval(x) for x in leaves]
    name = "lax.custom_linear_solve"
    forward, forward_consts = _trace_equation(name, "matvec", matvec, structure, avals)
    solve_program, solve_consts, solve_tree, written = _trace_solve(
        name, "solve", lambda v: solve(matvec, v), structure, avals, has_aux
    )
    backward = back_solve = None
    backward_consts: list = []
    back_consts: list = []
    if transpose_solve is not None:
        if symmetric:
            backward, backward_consts = forward, forward_consts
            vecmat = matvec
        else:
            vecmat = _transposed(forward, forward_consts, structure, avals)
            backward, backward_consts = _trace_equation(
                name, "matvec", vecmat, structure, avals
            )
        back_solve, back_consts, _, back_written = _trace_solve(
            name,
            "transpose_solve",
            lambda v: transpose_solve(vecmat, v),
            structure,
            avals,
            has_aux,
        )
        if back_written:
            raise not_implemented(
                f"{name}: transpose_solve writes to a reference.",
                [("reference", repr(back_written[0].aval))],
                "It solves for cotangents, which is no part of the function.",
                "Write in solve, and give a transpose_solve that only reads.",
            )
    groups = SolveParts(forward_consts, backward_consts, solve_consts, back_consts)
    outs = linear_solve_p.bind(
        *[c for group in groups for c in group],
        *leaves,
        const_lengths=SolveParts(*map(len, groups)),
        jaxprs=SolveParts(forward, backward, solve_program, back_solve),
    )
    found = trees.tree_unflatten(solve_tree, reference_links.stored(written, outs))
    return tuple(found) if has_aux else found


def _trace_equation(what, name, fun, structure, avals):
    """The program of a function that keeps its type, without its writes to references.

    Derivatives use it. What the function does to references is what `solve` calls it for.
    """
    one = trees.treedef_tuple([structure])
    return _trace_pure(what, name, fun, one, avals, structure, avals)


def _trace_pure(what, name, fun, in_tree, in_avals, structure, avals):
    """The program of a function whose result is like `structure`, without its writes to references."""
    traced = programs.trace_flat(what, fun, in_tree, in_avals)
    program, consts, tree_out, written = traced
    if written:
        n_in, n_out = len(program.jaxpr.invars), len(program.jaxpr.outvars)
        program = programs.reordered(program, range(n_in), range(n_out - len(written)))
    _require_same(what, name, structure, avals, tree_out, program.out_avals)
    return program, consts


def _trace_solve(what, name, fun, structure, avals, has_aux):
    """What `trace_flat` returns of a function that solves the equation."""
    one = trees.treedef_tuple([structure])
    program, consts, tree_out, written = programs.trace_flat(what, fun, one, avals)
    x_tree = _without_aux(what, name, tree_out, has_aux)
    _require_same(what, name, structure, avals, x_tree, program.out_avals)
    return program, consts, tree_out, written


def _transposed(program, consts, structure, avals):
    """The transpose of a linear program as a function of trees."""

    def vecmat(tree):
        cts = trees.tree_leaves(tree)
        known = [*consts, *(ad.UndefinedPrimal(aval) for aval in avals)]
        outs = ad.backward_pass(program.jaxpr, program.consts, known, cts)
        found = [ad.instantiate_zeros(o) for o in outs[len(consts) :]]
        return trees.tree_unflatten(structure, found)

    return vecmat


def _without_aux(what, name, tree_out, has_aux):
    """The structure of the first of two results, or that of the only one."""
    if not has_aux:
        return tree_out
    parts = trees.treedef_children(tree_out)
    if len(parts) != 2:
        raise value_error(
            f"{what}: {name}() produced a pytree with structure {tree_out}, but a pytree tuple "
            "with auxiliary output was expected because has_aux was set to True.",
            [("leaves", tree_out.num_leaves)],
            "It returns the solution and other values.",
            "Return (x, auxiliary), or leave out has_aux.",
        )
    return parts[0]


def _require_same(what, name, tree_in, avals_in, tree_out, avals_out) -> None:
    """Refuses another structure and other shapes; more values may follow."""
    avals_out = avals_out[: tree_out.num_leaves]
    fits = tree_in == tree_out
    if fits and [a.shape for a in avals_in] == [a.shape for a in avals_out]:
        return
    like = {"lax.custom_linear_solve": "b", "tangent_solve": "x"}
    same = like.get(what) or like.get(name) or "initial_guess"
    shapes = [[a.shape for a in avals] for avals in (avals_out, avals_in)]
    text = (
        f"{what}: {name}() output shapes must match {same}, got {shapes[0]} and {shapes[1]}."
        if fits
        else f"{what}: {name}() output pytree structure must match {same}, got {tree_out} and "
        f"{tree_in}."
    )
    raise (ValueError if fits else TypeError)(
        explain(
            text,
            [
                ("takes", _types(avals_in)),
                ("returns", _types(avals_out)),
            ],
            "Structure and shapes stay the same.",
        )
    )


def _types(avals) -> str:
    return ", ".join(a.str_short() for a in avals)


@declare("custom_root", multiple_results=True)
class custom_root_p:
    """Finds a root by a given function."""

    manual = vma.AS_TYPES

    def types(*avals, solve_jaxpr, **params):
        return solve_jaxpr.out_avals

    sharding = BY_TYPES

    def decompose(*args, solve_jaxpr, num_consts, **params):
        return evaluate.eval_closed(solve_jaxpr, *args[sum(num_consts) :])

    def jvp_all(primals, tangents, **params):
        return _root_jvp(primals, tangents, **params)

    def batch(axis, args, dims, *, solve_jaxpr, num_consts, **params):
        start = sum(num_consts)
        program, out_dims = batching.batch_jaxpr(solve_jaxpr, axis, dims[start:])
        return evaluate.eval_closed(program, *args[start:]), out_dims


def _root_jvp(
    primals, tangents, *, f_jaxpr, solve_jaxpr, tangent_jaxpr, num_consts, num_x
):
    """From f(x) = 0: the derivative of f in x times dx is minus that of the rest."""
    params = {
        "f_jaxpr": f_jaxpr,
        "solve_jaxpr": solve_jaxpr,
        "tangent_jaxpr": tangent_jaxpr,
        "num_consts": num_consts,
        "num_x": num_x,
    }
    outs = custom_root_p.bind(*primals, **params)
    x, aux = outs[:num_x], outs[num_x:]
    n_f, n_tangent = num_consts
    consts, t_consts = primals[:n_f], tangents[:n_f]
    none = [ad.Zero(get_aval(v).to_tangent_aval()) for v in outs]
    if all(type(t) is ad.Zero for t in t_consts):
        return outs, none
    _, moved = ad.jvp(
        lambda *cs: evaluate.eval_closed(f_jaxpr, *cs, *x), consts, t_consts
    )
    right = [ad.instantiate_zeros(t) for t in moved]
    more = primals[n_f : n_f + n_tangent]
    steps = evaluate.eval_closed(tangent_jaxpr, *more, *x, *right)
    steps = [neg(v) for v in steps]
    return outs, [*steps, *none[len(x) : len(x) + len(aux)]]


def _trace_tangent_solve(what, tangent_solve, equation, structure, avals):
    """The program that solves for a step: from the root and a right side.

    It is traced with the function, whose traced values `tangent_solve` may use.

    Args:
        what: what is called, for messages.
        tangent_solve: the user's function.
        equation: the program of the function whose root is sought, and what it captures.
        structure: the structure of the root.
        avals: the types of its leaves.
    """
    f_program, f_consts = equation

    def solve(x, right):
        leaves = trees.tree_leaves(x)
        _, linear = ad.linearize(
            lambda *v: evaluate.eval_closed(f_program, *f_consts, *v), leaves
        )

        def jacobian(v):
            found = linear.apply(trees.tree_leaves(v))
            filled = [ad.instantiate_zeros(t) for t in found]
            return trees.tree_unflatten(structure, filled)

        return tangent_solve(jacobian, right)

    two = trees.treedef_tuple([structure, structure])
    return _trace_pure(
        what, "tangent_solve", solve, two, [*avals] * 2, structure, avals
    )


def custom_root(
    f: Callable,
    initial_guess,
    solve: Callable,
    tangent_solve: Callable,
    has_aux: bool = False,
):
    """Finds a root of a function by a given function, with derivatives of the equation.

    Args:
        f: a function of a tree of arrays that keeps its structure.
        initial_guess: a tree of arrays of floating or complex dtype.
        solve: from `f` and the guess to a root.
        tangent_solve: from a linear function and a right side to the solution.
        has_aux: whether `solve` returns a pair of the root and other values.

    The functions may read references from outside, and `solve` may write to them.

    Returns:
        The root, or with `has_aux` a pair.

    Raises:
        TypeError: a function changes the structure.
        ValueError: a function changes shapes, or `solve` returns no pair with `has_aux`.
    """
    leaves, structure = trees.tree_flatten(initial_guess)
    avals = [get_aval(x) for x in leaves]
    name = "lax.custom_root"
    program, consts = _trace_equation(name, "f", f, structure, avals)
    solve_program, solve_consts, solve_tree, written = _trace_solve(
        name, "solve", lambda guess: solve(f, guess), structure, avals, has_aux
    )
    tangent_program, tangent_consts = _trace_tangent_solve(
        name, tangent_solve, (program, consts), structure, avals
    )
    outs = custom_root_p.bind(
        *consts,
        *tangent_consts,
        *solve_consts,
        *leaves,
        f_jaxpr=program,
        solve_jaxpr=solve_program,
        tangent_jaxpr=tangent_program,
        num_consts=(len(consts), len(tangent_consts)),
        num_x=len(leaves),
    )
    return trees.tree_unflatten(solve_tree, reference_links.stored(written, outs))


traceback_filter.hide_frames(globals())
