"""What the steps of a kernel add up, one after the other, as one sum over all of them.

A kernel that sets memory at the first step along some axes of its grid, adds a term to it in
each, and uses the sum at the last one means a sum over these axes. Here it is taken as one:
terms are mapped over the steps and summed, and a sum of products is one product. The same
holds for largest and smallest values.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.core import evaluate, jaxpr as jaxpr_lib
from jax._src.interpreters import partial_eval as pe
from jax._src.numpy import lax_api as lax
from jax._src.pallas import dependences, grid_mapping, independence, specialization
from jax._src.transforms import vectorize

_Op = Callable[[Any, Any], Any]
# For each operation that may be done in any order: between two values, and along dimensions.
_OPS: dict[str, tuple[_Op, _Op]] = {
    "add": (lax.add, lax.reduce_sum),
    "max": (lax.max, lax.reduce_max),
    "min": (lax.min, lax.reduce_min),
}
# Of grids with more steps than this the predicates are not computed.
_MOST_STEPS = 1 << 16


@records.identity_record
class Term:
    """What each step adds.

    Args:
        program: from the kernel's inputs to the term, or to the factors of a product.
        depends: for each result of the program, the summed axes on which it depends.
        product: the parameters of the product; None where the result is the term.
    """

    program: jaxpr_lib.ClosedJaxpr
    depends: tuple[tuple[int, ...], ...]
    product: dict[str, Any] | None


@records.identity_record
class Total:
    """A sum, or what else all steps make of a memory.

    Args:
        op: the name of the operation.
        first: from the kernel's inputs at the first step to what terms are added to; None
            where that is zero.
        terms: what is added.
    """

    op: str
    first: jaxpr_lib.ClosedJaxpr | None
    terms: tuple[Term, ...]


@records.identity_record
class Sums:
    """The sums of a kernel.

    Args:
        axes: the axes of the grid over which they are, ascending.
        sizes: the number of steps along each.
        ids: for each input of the kernel's program that is a program id along one of them,
            its number, and the axis.
        totals: the sums.
        last: from the kernel's inputs at the last step, and the sums, to what it writes.
    """

    axes: tuple[int, ...]
    sizes: tuple[int, ...]
    ids: tuple[tuple[int, int], ...]
    totals: tuple[Total, ...]
    last: jaxpr_lib.ClosedJaxpr

    def kernel(self, depends: Sequence[Sequence[int]]) -> Callable[..., list[Any]]:
        """What the kernel writes, as a function of what its references hold at all steps.

        Args:
            depends: for each input of the kernel's program, the axes that are in front of it.
        """
        of = [[a for a in axes if a in self.axes] for axes in depends]

        def run(*values: Any) -> list[Any]:
            totals = [self._total(total, of, values) for total in self.totals]
            return evaluate.eval_closed(self.last, *self._at(of, values, -1), *totals)

        return run

    def _at(self, of, values, step):
        """What the inputs are at the first or last step."""
        size_of = dict(zip(self.axes, self.sizes, strict=True))
        axis_of = dict(self.ids)
        found = []
        for number, (axes, value) in enumerate(zip(of, values, strict=True)):
            if number in axis_of:
                last = size_of[axis_of[number]] - 1
                value = np.int32(last if step else 0)
            else:
                for axis in axes:
                    index = size_of[axis] - 1 if step else 0
                    value = lax.index_in_dim(value, index, 0, keepdims=False)
            found.append(value)
        return found

    def _total(self, total, of, values):
        combine, _ = _OPS[total.op]
        result = None
        if total.first is not None:
            (result,) = evaluate.eval_closed(total.first, *self._at(of, values, 0))
        for term in total.terms:
            value = self._over_steps(total.op, term, of, values)
            result = value if result is None else combine(result, value)
        return result

    def _over_steps(self, op, term, of, values):
        program = lambda *v: tuple(evaluate.eval_closed(term.program, *v))  # noqa: E731
        for axis in reversed(self.axes):
            in_axes = tuple(0 if axis in axes else None for axes in of)
            out_axes = tuple(0 if axis in axes else None for axes in term.depends)
            program = vectorize.vmap(program, in_axes=in_axes, out_axes=out_axes)
        found = program(*values)
        if term.product is not None:
            return _product(found, len(self.axes), term.product)
        (value,), (axes,) = found, term.depends
        if axes:
            value = _OPS[op][1](value, axes=tuple(range(len(axes))))
        pairs = zip(self.axes, self.sizes, strict=True)
        times = math.prod(size for axis, size in pairs if axis not in axes)
        if op == "add" and times > 1:
            value = value * np.asarray(times, value.dtype)
        return value


def _product(factors, n_axes, params):
    """A product of factors that both have the summed axes in front, summed over these."""
    (lhs_sum, rhs_sum), (lhs_batch, rhs_batch) = params["dimension_numbers"]
    front = tuple(range(n_axes))

    def behind(dims):
        return tuple(d + n_axes for d in dims)

    numbers = (
        (front + behind(lhs_sum), front + behind(rhs_sum)),
        (behind(lhs_batch), behind(rhs_batch)),
    )
    options = {k: v for k, v in params.items() if k != "dimension_numbers"}
    return lax.dot_general(*factors, numbers, **options)


def sums_of(
    mapping: grid_mapping.GridMapping,
    operands: Sequence[independence.Operand],
    program: jaxpr_lib.ClosedJaxpr,
    written: Sequence[int],
    independent: Sequence[int],
) -> Sums | None:
    """The sums that a kernel is; None where it is something else.

    Args:
        mapping: the grid, and which blocks each step gets.
        operands: how these move.
        program: the kernel, as `interpret.run` takes it.
        written: the references that it writes.
        independent: the axes of the grid along which steps are independent.
    """
    axes = tuple(
        axis
        for axis, size in enumerate(mapping.grid)
        if axis not in independent and size != 1
    )
    if not axes or not written or not _may_be_sums(mapping, operands, written, axes):
        return None
    return _Finder(mapping, operands, program, written, axes).sums()


def _may_be_sums(mapping, operands, written, axes):
    """Whether nothing but what is in the kernel's program speaks against sums."""
    first_result = mapping.num_index_operands + mapping.num_inputs
    if mapping.num_dynamic_grid_bounds or any(i < first_result for i in written):
        return False
    sizes = [mapping.grid[axis] for axis in axes]
    if not all(isinstance(n, int) and n > 1 for n in sizes):
        return False
    if math.prod(sizes) > _MOST_STEPS or not set(axes) <= set(mapping.kernel_axes):
        return False
    results = (
        operands[i - mapping.num_index_operands]
        for i in written
        if i < mapping.slice_scratch_ops.start
    )
    return all(result.depends.isdisjoint(axes) for result in results)


class _Finder:
    """Finds the sums in the program of a kernel."""

    def __init__(self, mapping, operands, program, written, axes):
        self.axes = axes
        self.sizes = tuple(mapping.grid[axis] for axis in axes)
        n_ids = len(mapping.kernel_axes)
        self.ids = tuple(
            (number, axis)
            for number, axis in enumerate(mapping.kernel_axes)
            if axis in axes
        )
        self.labels = list(_labels(mapping, operands, written, axes))
        # The numbers of inputs that hold what is written, in the order of the results.
        self.memory = [n_ids + i for i in written]
        self.program = program
        self.known = _known_ids(mapping, axes, self.sizes)
        self.whole = self._at(program, slice(None))
        self.facts = self._facts()
        self.producer = {
            var: eqn for eqn in self.whole.program.jaxpr.eqns for var in eqn.outvars
        }

    def _at(self, program, which):
        """The program at some of the steps."""
        known = {number: values[which] for number, values in self.known.items()}
        return specialization.specialized(program, known)

    def _facts(self):
        """For each variable of the whole program, the labels on which it depends."""
        program = self.whole.program.jaxpr
        variables = [*program.invars, *(v for e in program.eqns for v in e.outvars)]
        every = program.replace(outvars=variables)
        walk = dependences.Walk()
        found = walk.outputs(every, self._inputs())
        self.is_opaque = walk.is_opaque
        return {v: f.depends for v, f in zip(variables, found, strict=True)}

    def _inputs(self):
        return [dependences.on(labels) for labels in self.labels]

    def _depends(self, atom):
        return self.facts.get(atom, frozenset())

    def sums(self) -> Sums | None:
        """The sums, where all that passes from step to step is one."""
        if self.is_opaque:
            return None
        program = self.whole.program.jaxpr
        found = {}  # by the variable that holds what is written
        for number, out in zip(self.memory, program.outvars, strict=True):
            total = self._total(number, out)
            if total is not None:
                found[out] = total
        last = self._last(list(found))
        if last is None:
            return None
        return Sums(self.axes, self.sizes, self.ids, tuple(found.values()), last)

    def _last(self, totals):
        """The program of the last step, from the inputs and the sums."""
        whole = self.whole.program
        inner = whole.jaxpr
        rest = [eqn for eqn in inner.eqns if not any(v in totals for v in eqn.outvars)]
        given = inner.replace(invars=[*inner.invars, *totals], eqns=rest)
        at_last = self._at(jaxpr_lib.ClosedJaxpr(given, whole.consts), slice(-1, None))
        inputs = [*self._inputs(), *[dependences.NOTHING] * len(totals)]
        kept = _sliced(at_last.program, at_last.program.jaxpr.outvars)
        return kept if not _memory_in(kept, inputs) else None

    def _total(self, number, out):
        """The sum that a memory is; None where it is something else."""
        label = ("memory", number)
        memory = self.whole.program.jaxpr.invars[number]
        op, terms, atom = None, [], out
        while atom is not memory and not self._is_choice(atom, memory):
            eqn = self.producer.get(atom)
            name = None if eqn is None else eqn.primitive.name
            if name not in _OPS or op not in (None, name):
                return None
            before = [a for a in eqn.invars if label in self._depends(a)]
            added = [a for a in eqn.invars if label not in self._depends(a)]
            if len(before) != 1:
                return None
            op, (atom,) = name, before
            terms += added
        made = [self._term(term) for term in terms]
        if not made or any(term is None for term in made):
            return None
        return Total(op, self._first(op, atom), tuple(made))

    def _is_choice(self, atom, memory):
        """Whether it is the memory, but something else at the first step."""
        eqn = self.producer.get(atom)
        if eqn is None or eqn.primitive.name not in ("cond", "select_n"):
            return False
        index, *operands = eqn.invars
        which = self.whole.known_of(index)
        if which is None or len(which) < 2 or (which[1:] != which[1]).any():
            return False
        if int(which[0]) == int(which[1]):
            return False
        later = int(which[1])
        if eqn.primitive.name == "select_n":
            return operands[later] is memory
        branches = eqn.params["branches"]
        branch = branches[min(max(later, 0), len(branches) - 1)].jaxpr
        out = branch.outvars[eqn.outvars.index(atom)]
        return out in branch.invars and operands[branch.invars.index(out)] is memory

    def _first(self, op, atom):
        """What terms are added to: a program of the first step, or None for zero, in a sum."""
        whole = self.whole.program
        given = whole.jaxpr.replace(outvars=[atom])
        closed = jaxpr_lib.ClosedJaxpr(given, whole.consts)
        at_first = self._at(closed, slice(0, 1)).program
        kept = _sliced(at_first, at_first.jaxpr.outvars)
        is_nothing = op == "add" and _is_zero(kept.jaxpr.outvars[0], kept)
        return None if is_nothing else kept

    def _term(self, atom):
        """A term, where it is the same operations in every step on what is not written."""
        if isinstance(atom, jaxpr_lib.Literal) or _has_memory(self._depends(atom)):
            return None
        eqn = self.producer.get(atom)
        results, product = [atom], None
        if eqn is not None and eqn.primitive.name == "dot_general":
            axes = [self._axes(a) for a in eqn.invars]
            if axes == [self.axes, self.axes]:
                results, product = list(eqn.invars), dict(eqn.params)
        kept = _sliced(self.whole.program, results)
        walk = dependences.Walk()
        walk.outputs(kept, self._inputs())
        if walk.is_opaque or not walk.choices.isdisjoint(self.axes):
            return None
        return Term(kept, tuple(map(self._axes, results)), product)

    def _axes(self, atom):
        depends = self._depends(atom)
        return tuple(axis for axis in self.axes if axis in depends)


def _known_ids(mapping, axes, sizes):
    """For inputs of the kernel's program that are known program ids, those of each step."""
    steps = np.indices(sizes).reshape(len(axes), -1)
    by_axis = dict(zip(axes, steps, strict=True))
    alone = np.zeros_like(steps[0])
    return {
        number: by_axis.get(axis, alone)
        for number, axis in enumerate(mapping.kernel_axes)
        if axis in by_axis or mapping.grid[axis] == 1
    }


def _labels(mapping, operands, written, axes) -> Iterator[set[Any]]:
    """On what each input of the kernel's program depends: summed axes, memory."""
    n_ids = len(mapping.kernel_axes)
    for axis in mapping.kernel_axes:
        yield {axis} & set(axes)
    for number in range(mapping.slice_scratch_ops.stop):
        label = {("memory", n_ids + number)} if number in written else set()
        block = number - mapping.num_index_operands
        if 0 <= block < len(operands):
            label |= operands[block].depends & set(axes)
        yield label


def _has_memory(depends):
    return any(isinstance(label, tuple) for label in depends)


def _memory_in(program, inputs):
    """Whether what a program returns depends on memory that is written."""
    found = dependences.Walk().outputs(program, inputs)
    return any(_has_memory(fact.depends) for fact in found)


def _sliced(program, outvars):
    """What a program computes for some of its variables; it keeps its inputs."""
    closed = jaxpr_lib.ClosedJaxpr(
        program.jaxpr.replace(outvars=list(outvars)), program.consts
    )
    smaller, _ = pe.dce_closed(
        closed, [True] * len(outvars), [True] * len(program.jaxpr.invars)
    )
    return smaller


def _is_zero(atom, program):
    """Whether it is zero in every element."""
    producer = {var: eqn for eqn in program.jaxpr.eqns for var in eqn.outvars}
    while atom in producer:
        eqn = producer[atom]
        if eqn.primitive.name not in ("broadcast_in_dim", "convert_element_type"):
            return False
        atom = eqn.invars[0]
    return isinstance(atom, jaxpr_lib.Literal) and not np.any(atom.val)
