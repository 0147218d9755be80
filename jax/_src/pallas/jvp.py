"""Derivatives of kernels, forwards: a kernel of twice as many operands and results."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes
from jax._src.core import evaluate, jaxpr
from jax._src.interpreters import ad, partial_eval as pe
from jax._src.pallas import cost, grid_mapping


def rule(
    bind: Callable[..., list],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    params: dict[str, Any],
) -> tuple[list[Any], list[Any]]:
    """The results of a kernel and their tangents.

    Whatever holds floats, operand, result or scratch, gets a tangent beside it.
    """
    mapping: grid_mapping.GridMapping = params["grid_mapping"]
    n_bounds = mapping.num_dynamic_grid_bounds
    n_whole = n_bounds + mapping.num_index_operands
    doubled = _Doubled(mapping)
    inputs, moved = primals[n_whole:], tangents[n_whole:]
    outs = bind(
        *primals,
        *(
            ad.instantiate_zeros(t)
            for x, t in zip(inputs, moved, strict=True)
            if _moves(x)
        ),
        **{
            **params,
            **doubled.kernel(params["jaxpr"], params["written"]),
            "grid_mapping": doubled.mapping,
            "input_output_aliases": doubled.aliases(params["input_output_aliases"]),
            "out_avals": tuple(doubled.mapping.out_shapes),
            "cost_estimate": cost.scaled(params["cost_estimate"], 2),
        },
    )
    results, rest = outs[: mapping.num_outputs], iter(outs[mapping.num_outputs :])
    moved = [next(rest) if _moves(x) else ad.zero_tangent(x) for x in results]
    if not params["jaxpr"].effects:
        # Computed apart from the tangents, they are known where these are not.
        results = bind(*primals, **params)
    return results, moved


def _moves(x):
    return dtypes.issubdtype(x.dtype, np.inexact)


def _movers(avals):
    return [i for i, aval in enumerate(avals) if _moves(aval)]


class _Doubled:
    """The mapping of a kernel with tangents, and where each operand and tangent stands."""

    def __init__(self, mapping: grid_mapping.GridMapping):
        ins = mapping.block_mappings[: mapping.num_inputs]
        outs = mapping.block_mappings_output
        scratch = mapping.scratch_avals
        groups = [ins, outs, scratch]
        kinds = [
            [m.array_aval for m in ins],
            [m.array_aval for m in outs],
            list(scratch),
        ]
        # In each group, which members have tangents.
        self.moving = [_movers(kind) for kind in kinds]
        self.counts = [len(group) for group in groups]
        self.n_index = mapping.num_index_operands
        self.n_scalars = len(mapping.kernel_axes) + mapping.num_dynamic_grid_bounds
        both = [
            (*group, *(group[i] for i in moving))
            for group, moving in zip(groups, self.moving, strict=True)
        ]
        self.mapping = mapping.replace(
            block_mappings=(*both[0], *both[1]),
            scratch_avals=both[2],
            num_inputs=len(both[0]),
            num_outputs=len(both[1]),
        )

    def operand_indices(self) -> tuple[list[int], dict[int, int]]:
        """Where the references of the kernel stand now, and the tangents of those."""
        primal = list(range(self.n_index))
        tangent: dict[int, int] = {}
        start = self.n_index
        for count, moving in zip(self.counts, self.moving, strict=True):
            first = len(primal)
            primal += range(start, start + count)
            for number, i in enumerate(moving):
                tangent[first + i] = start + count + number
            start += count + len(moving)
        return primal, tangent

    def aliases(
        self, aliases: Sequence[tuple[int, int]]
    ) -> tuple[tuple[int, int], ...]:
        """The aliases, and those of tangents."""
        n_in, n_out = self.counts[:2]
        found = list(aliases)
        for operand, result in aliases:
            index = operand - self.n_index
            if index in self.moving[0] and result in self.moving[1]:
                moved = self.n_index + n_in + self.moving[0].index(index)
                found.append((moved, n_out + self.moving[1].index(result)))
        return tuple(found)

    def kernel(
        self, program: jaxpr.ClosedJaxpr, written: Sequence[int]
    ) -> dict[str, Any]:
        """The kernel with tangents, and the references that it writes."""
        primal, tangent = self.operand_indices()
        n = self.n_scalars
        moves = [i in tangent for i in written]
        total = len(primal) + len(tangent)
        types: list[Any] = [*program.in_avals[:n], *[None] * total]
        for i, index in enumerate(primal):
            types[n + index] = program.in_avals[n + i]
        for i, index in tangent.items():
            types[n + index] = program.in_avals[n + i]

        def run(*values):
            scalars, held = values[:n], values[n:]
            xs = [*scalars, *(held[index] for index in primal)]
            ts = [ad.zero_tangent(x) for x in scalars] + [
                held[tangent[i]] if i in tangent else ad.zero_tangent(held[index])
                for i, index in enumerate(primal)
            ]
            outs, moved = ad.jvp(
                lambda *args: evaluate.eval_closed(program, *args), xs, ts
            )
            kept = [
                ad.instantiate_zeros(t)
                for t, has in zip(moved, moves, strict=True)
                if has
            ]
            return [*outs, *kept]

        indices = [primal[i] for i in written]
        indices += [tangent[i] for i in written if i in tangent]
        return {
            "jaxpr": pe.trace_to_closed(run, types),
            "written": tuple(indices),
        }
