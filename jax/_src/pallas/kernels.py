"""Tracing kernels and index maps to programs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors, records
from jax._src.core import avals as avals_lib, jaxpr as jaxpr_lib, state
from jax._src.interpreters import partial_eval as pe
from jax._src.pallas import grid_mapping, program_ids


@records.identity_record
class Kernel:
    """A kernel as a program, and the references whose new contents it returns."""

    program: jaxpr_lib.ClosedJaxpr
    written: tuple[int, ...]


def trace_kernel(
    body: Callable[..., Any],
    grid: Sequence[Any],
    ref_avals: Sequence[Any],
    debug: jaxpr_lib.DebugInfo,
    what: str,
    names: Sequence[Any] = (),
) -> Kernel:
    """The program of a kernel.

    Args:
        body: the kernel, a function of a flat list of references.
        grid: the number of steps along each axis.
        ref_avals: the types of its references.
        debug: what the trace is called in messages.
        what: what the kernel is, in the user's words.
        names: the names of the axes of the grid; the kernel may ask for its index along them.

    Raises:
        ValueError: it returns something, or uses an array from outside.
    """
    dynamic = [
        i for i, size in enumerate(grid) if size is grid_mapping.dynamic_grid_dim
    ]
    n = len(grid)

    def run(*values):
        sizes = list(grid)
        for i, size in zip(dynamic, values[n:], strict=False):
            sizes[i] = size
        point = program_ids.GridPoint(values[:n], sizes)
        with program_ids.at(point), _named_axes(point, names):
            out = body(*values[n + len(dynamic) :])
        if out is not None:
            raise errors.value_error(
                f"{what} returned something.",
                [("returned", type(out).__name__)],
                "A kernel writes its results to references, and returns None.",
            )
        return []

    scalars = [grid_mapping.INDEX] * (n + len(dynamic))
    closed, links = _trace(run, [*scalars, *ref_avals], debug, what)
    written = tuple(i - len(scalars) for i in links.written_arguments)
    return Kernel(closed, written)


def _named_axes(point, names):
    """Binds names of axes whose sizes are known to the steps at which the kernel runs."""
    known = [
        (name, size, index)
        for name, size, index in zip(names, point.sizes, point.ids, strict=False)
        if isinstance(size, int)
    ]
    return state.bind_axis_indices(
        {name: size for name, size, _ in known},
        {name: index for name, _, index in known},
    )


def trace_index_map(
    index_map: Callable[..., Sequence[Any]],
    avals: Sequence[Any],
    n_axes: int,
    rank: int,
    debug: jaxpr_lib.DebugInfo,
    what: str,
) -> jaxpr_lib.ClosedJaxpr:
    """The program of an index map: int32 scalars, one per dimension of the array.

    Args:
        index_map: a function of a flat list: a scalar per axis of the grid, and references
            to prefetched scalars.
        avals: their types.
        n_axes: the number of axes.
        rank: the number of dimensions of the array.
        debug: what the trace is called in messages.
        what: the index map, in the user's words.

    Raises:
        ValueError: it returns something else, writes, or uses an array from outside.
    """

    def run(*args):
        with program_ids.at(program_ids.GridPoint(args[:n_axes], [None] * n_axes)):
            indices = index_map(*args)
        if len(indices) != rank:
            raise errors.value_error(
                f"{what} returned too many or too few indices.",
                [
                    ("returned", str(len(indices))),
                    ("dimensions of the array", str(rank)),
                ],
                "It returns the index of a block along each dimension.",
            )
        return [_index(x, what) for x in indices]

    closed, links = _trace(run, avals, debug, what)
    if links.written_arguments:
        raise errors.value_error(
            f"{what} wrote to a reference.", rule="It may read them."
        )
    return closed


def _index(x, what):
    aval = avals_lib.get_aval(x)
    dtype = getattr(aval, "dtype", None)
    if getattr(aval, "shape", None) != () or dtype not in (np.int32, np.int64):
        raise errors.value_error(
            f"{what} returned something that is no index.",
            [("returned", aval.str_short())],
            "An index is an int32 scalar.",
        )
    return np.int32(x) if isinstance(x, int | np.integer) else x


def _trace(run, avals, debug, what):
    jaxpr, consts, links = pe.trace_with_references(run, avals, debug)
    if links.captured:
        raise errors.value_error(
            f"{what} uses a reference from outside.",
            [("reference", repr(links.captured[0].aval))],
            "It uses its own references.",
            "Pass what the reference holds, ref[...].",
        )
    captured = [*consts, *_captured_scalars(jaxpr)]
    if captured:
        raise errors.value_error(
            f"{what} captures arrays.",
            [("array", avals_lib.get_aval(captured[0]).str_short())],
            "It may use numbers from outside, and no arrays.",
            "Pass the array as an argument, and make arrays in the kernel with "
            "functions such as jnp.full and jax.lax.iota.",
        )
    return jaxpr_lib.ClosedJaxpr(jaxpr, []), links


def _captured_scalars(jaxpr):
    """Arrays without dimensions that a program uses: numbers of Python are none."""
    found = []
    for eqn in jaxpr.eqns:
        found += [v.val for v in eqn.invars if _is_array(v)]
        for inner in jaxpr_lib.jaxprs_in_params(eqn.params):
            found += _captured_scalars(inner)
    found += [v.val for v in jaxpr.outvars if _is_array(v)]
    return found


def _is_array(atom):
    known = bool | int | float | complex | np.generic | np.ndarray
    return isinstance(atom, jaxpr_lib.Literal) and not isinstance(atom.val, known)
