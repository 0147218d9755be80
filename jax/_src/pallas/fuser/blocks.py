"""Blocks through functions: which block of each argument a block of the result needs.

Understood are elementwise operations, broadcasts and transposes; everything else refuses.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from jax._src import tree
from jax._src.base import errors
from jax._src.core import evaluate, jaxpr as jaxprs, primitive
from jax._src.jit import primitive as jit_primitive
from jax._src.pallas import specs
from jax._src.transforms import inspect_programs


def _same_blocks(*indices):
    return indices


@dataclasses.dataclass
class BlockIndexTransform:
    """Which blocks another specification's blocks become.

    Args:
        block_shape: the shape of blocks; None: as before.
        block_index_transform: from the number of a block to that of another.
        memory_space: the space of blocks; None: as before.
        pipeline_mode: how they are buffered; None: as before.
    """

    block_shape: Any
    block_index_transform: Callable[..., Any] = _same_blocks
    memory_space: Any = dataclasses.field(default=None, kw_only=True)
    pipeline_mode: Any = dataclasses.field(default=None, kw_only=True)


def get_fusion_values(
    fusion: Callable[..., Any], *args: Any, **kwargs: Any
) -> tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]]:
    """Splits a function from the arrays that it closes over.

    Args:
        fusion: the function.
        args: the types of its arguments.
        kwargs: the types of those by name.

    Returns:
        A function of these arrays, in one tuple, and of the arguments; the arrays; and the
        scalars among them that are prefetched: none.

    Raises:
        TypeError: the function does not take such arguments.
    """
    closed, out_tree = _traced(fusion, args, kwargs)

    def kernel_fn(values: Any, *args: Any, **kwargs: Any) -> Any:
        flat = tree.tree_leaves((args, kwargs))
        outs = evaluate.eval_jaxpr(closed.jaxpr, tuple(values), *flat)
        return tree.tree_unflatten(out_tree, outs)

    return kernel_fn, tuple(closed.consts), ()


def make_scalar_prefetch_handler(*args: Any) -> Callable[..., Any]:
    """A function that takes some of the prefetched scalars.

    Args:
        args: how each is reached: a number, or several, one within the other.

    Returns:
        A function of all prefetched scalars, which returns a tuple.
    """

    def taken(scalars, path):
        for number in path if isinstance(path, tuple) else (path,):
            scalars = scalars[number]
        return scalars

    return lambda *scalars: tuple(taken(scalars, path) for path in args)


def _traced(f, args, kwargs):
    """The program of a function, with captured arrays, and the tree of its results."""
    return inspect_programs.trace_call(f, args, kwargs, "fuser")


def _flat_eqns(jaxpr, consts, names):
    """Equations with operands by identity, those of called programs among them."""
    for eqn in jaxpr.eqns:
        operands = [
            v if isinstance(v, jaxprs.Literal) else names.get(v, v) for v in eqn.invars
        ]
        inner = (
            eqn.params.get("jaxpr") if eqn.primitive is jit_primitive.jit_p else None
        )
        if inner is None:
            yield eqn, operands
            continue
        names.update(zip(inner.jaxpr.invars, operands, strict=True))
        consts.update(zip(inner.jaxpr.constvars, inner.consts, strict=True))
        yield from _flat_eqns(inner.jaxpr, consts, names)
        for outer, v in zip(eqn.outvars, inner.jaxpr.outvars, strict=True):
            names[outer] = v if isinstance(v, jaxprs.Literal) else names.get(v, v)


@dataclasses.dataclass
class _Flat:
    """A program without calls: equations with their operands, and results."""

    eqns: list
    invars: list
    outvars: list
    consts: dict

    @staticmethod
    def of(closed):
        """The program `closed` without calls."""
        jaxpr = closed.jaxpr
        names: dict = {}
        consts = dict(zip(jaxpr.constvars, closed.consts, strict=True))
        eqns = list(_flat_eqns(jaxpr, consts, names))
        outs = [
            v if isinstance(v, jaxprs.Literal) else names.get(v, v)
            for v in jaxpr.outvars
        ]
        return _Flat(eqns, jaxpr.invars, outs, consts)


def _refused(eqn, what):
    return errors.not_implemented(
        f"{what}: no rule for {eqn.primitive.name}.",
        [("operation", str(eqn)[:80])],
        "Blocks go through elementwise operations, broadcasts and transposes.",
        "Compute the rest before the fused function.",
    )


def _is_elementwise(eqn):
    rank = len(eqn.outvars[0].aval.shape)
    ranks = {len(v.aval.shape) for v in eqn.invars} - {0, rank}
    return not ranks and bool(eqn.primitive.traits & primitive.Trait.ELEMENTWISE)


_SCALAR = specs.BlockSpec((), lambda *indices: ())


def _repeated(spec, sizes, dims, out_sizes):
    """Blocks of an array whose dimensions are some of the result's, or repeated there."""
    is_repeated = [n == 1 != out_sizes[d] for n, d in zip(sizes, dims, strict=True)]
    if not any(is_repeated) and list(dims) == list(range(len(out_sizes))):
        return spec
    pairs = list(zip(is_repeated, dims, strict=True))
    shape = tuple(1 if repeated else spec.block_shape[d] for repeated, d in pairs)

    def index_map(*indices):
        found = spec.index_map(*indices)
        return tuple(0 if repeated else found[d] for repeated, d in pairs)

    return spec.replace(block_shape=shape, index_map=index_map)


def _permuted(spec, order):
    """Blocks of an array with dimensions in another order."""

    def index_map(*indices):
        found = spec.index_map(*indices)
        return tuple(found[i] for i in order)

    shape = tuple(spec.block_shape[i] for i in order)
    return spec.replace(block_shape=shape, index_map=index_map)


def _pulled(eqn, spec):
    """The specification of each operand's blocks."""
    if spec.block_shape is None:
        return [specs.BlockSpec() for _ in eqn.invars]
    out_sizes = eqn.outvars[0].aval.shape
    if _is_elementwise(eqn):
        every = range(len(out_sizes))
        return [
            _repeated(spec, v.aval.shape, every, out_sizes) if v.aval.shape else _SCALAR
            for v in eqn.invars
        ]
    if eqn.primitive.name == "broadcast_in_dim":
        dims = eqn.params["broadcast_dimensions"]
        return [_repeated(spec, eqn.invars[0].aval.shape, dims, out_sizes)]
    if eqn.primitive.name == "transpose":
        order = eqn.params["permutation"]
        return [_permuted(spec, [order.index(d) for d in range(len(order))])]
    raise _refused(eqn, "fuser.pull_block_spec")


def _pushed(eqn, found):
    """The specification of the result's blocks."""
    size = eqn.outvars[0].aval.shape
    pairs = zip(found, eqn.invars, strict=True)
    given = [spec for spec, v in pairs if spec is not None and v.aval.shape == size]
    if _is_elementwise(eqn) and given:
        return given[0]
    if eqn.primitive.name == "transpose":
        return _permuted(found[0], eqn.params["permutation"])
    raise _refused(eqn, "fuser.push_block_spec")


def _block_sizes(spec):
    return tuple(getattr(size, "block_size", size) for size in spec.block_shape)


def _on_blocks(eqn, operands, spec):
    """What an equation makes of blocks of its operands."""
    params = dict(eqn.params)
    if eqn.primitive.name == "broadcast_in_dim":
        params["shape"] = _block_sizes(spec)
    return eqn.primitive.bind(*operands, **params)


def pull_block_spec(
    f: Callable[..., Any],
    out_block_specs: Any,
    *,
    scalar_prefetch_handler: Any = None,
    grid_len: int | None = None,
    strict_mode: bool = True,
) -> Callable[..., Any]:
    """Which block of each argument a block of the result needs.

    Args:
        f: a function of trees of arrays.
        out_block_specs: a tree of specifications like its result.
        scalar_prefetch_handler: accepted.
        grid_len: the number of axes of the grid; accepted.
        strict_mode: accepted.

    Returns:
        A function of the types of the arguments, which returns a function that computes a
        block, a tuple of trees of specifications, and a dict of those by name. The function
        of blocks takes the indices on the grid, the prefetched scalars, and blocks of the
        arguments.

    Raises:
        NotImplementedError: the returned function, for operations that blocks do not go
            through.
    """

    def pull(*args: Any, **kwargs: Any) -> Any:
        closed, out_tree = _traced(f, args, kwargs)
        flat = _Flat.of(closed)
        found = dict.fromkeys(flat.consts)
        wanted = tree.tree_leaves(
            out_block_specs, is_leaf=lambda x: isinstance(x, specs.BlockSpec)
        )
        for v, spec in zip(flat.outvars, wanted, strict=True):
            _note(found, v, spec)
        for eqn, operands in reversed(flat.eqns):
            spec = found.get(eqn.outvars[0])
            if spec is not None:
                for v, own in zip(operands, _pulled(eqn, spec), strict=True):
                    _note(found, v, own)
        leaves = [found.get(v) or specs.no_block_spec for v in flat.invars]
        in_tree = tree.tree_structure((args, kwargs))
        in_specs, kwarg_specs = tree.tree_unflatten(in_tree, leaves)

        def kernel_fn(
            program_ids: Any, scalar_prefetch: Any, *args: Any, **kwargs: Any
        ) -> Any:
            del program_ids, scalar_prefetch  # No operation here reads them.
            values = dict(flat.consts)
            values.update(
                zip(flat.invars, tree.tree_leaves((args, kwargs)), strict=True)
            )

            def read(v):
                return v.val if isinstance(v, jaxprs.Literal) else values[v]

            for eqn, operands in flat.eqns:
                spec = found.get(eqn.outvars[0])
                if spec is not None:
                    out = _on_blocks(eqn, [read(v) for v in operands], spec)
                    values[eqn.outvars[0]] = out
            return tree.tree_unflatten(out_tree, [read(v) for v in flat.outvars])

        return kernel_fn, in_specs, kwarg_specs

    return pull


def _note(found, v, spec):
    """Notes the blocks of a variable.

    Raises:
        NotImplementedError: other blocks of it are needed, too, or it is a whole array that
            the function closes over.
    """
    if isinstance(v, jaxprs.Literal) or spec is None:
        return
    before = found.get(v)
    if v in found and before is None and v.aval.shape:
        raise errors.not_implemented(
            "fuser.pull_block_spec: the function closes over an array.",
            [("array", str(v.aval))],
            "Blocks are of arguments.",
            "Split them off first: fuser.get_fusion_values.",
        )
    if before is not None and before != spec:
        raise errors.not_implemented(
            "fuser.pull_block_spec: an array is needed in two kinds of blocks.",
            [("array", str(v.aval)), ("blocks", f"{before}, {spec}")],
        )
    found[v] = spec


def push_block_spec(
    f: Callable[..., Any], *in_spec_args: Any, **in_spec_kwargs: Any
) -> Callable[..., Any]:
    """Which block of the result comes of blocks of the arguments.

    Args:
        f: a function of trees of arrays.
        in_spec_args: trees of specifications like its arguments.
        in_spec_kwargs: those of arguments by name.

    Returns:
        A function of the types of the arguments, which returns a tree of specifications
        like the result.

    Raises:
        NotImplementedError: the returned function, for operations that blocks do not go
            through.
    """

    def push(*args: Any, **kwargs: Any) -> Any:
        closed, out_tree = _traced(f, args, kwargs)
        flat = _Flat.of(closed)
        given = tree.tree_leaves(
            (in_spec_args, in_spec_kwargs),
            is_leaf=lambda x: isinstance(x, specs.BlockSpec),
        )
        found = dict(zip(flat.invars, given, strict=True))
        for eqn, operands in flat.eqns:
            own = [
                None if isinstance(v, jaxprs.Literal) else found.get(v)
                for v in operands
            ]
            found[eqn.outvars[0]] = _pushed(eqn, own)
        return tree.tree_unflatten(out_tree, [found[v] for v in flat.outvars])

    return push


def _stateful(name):
    def refuse(fusion: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Splits a function from the references that it closes over.

        Raises:
            NotImplementedError: always: fused functions close over arrays only.
        """
        raise errors.not_implemented(
            f"fuser.{name}: a fused function closes over references.",
            rule="Fused functions close over arrays only.",
            ways="Arrays: fuser.get_fusion_values.",
        )

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


get_stateful_input_fusion_values = _stateful("get_stateful_input_fusion_values")
get_stateful_output_fusion_values = _stateful("get_stateful_output_fusion_values")
