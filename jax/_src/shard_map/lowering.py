"""`shard_map` as a manual computation of the sdy dialect."""

from collections.abc import Sequence
from typing import Any

from jax._src.base import errors
from jax._src.core import avals as avals_lib, shardings
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import manual
from jax._src.runtime import backends
from jax._src.shard_map import specs as specs_lib


def lower(
    ctx: Any,
    operands: Sequence[Any],
    *,
    jaxpr: Any,
    mesh: Any,
    in_specs: Sequence[Any],
    out_specs: Sequence[Any],
    check_vma: bool,
    newly_manual_axes: frozenset,
) -> list[Any]:
    """The values of the results."""
    module = ctx.module_context
    outer = module.manual.axes if module.manual is not None else frozenset()
    axes = newly_manual_axes | outer
    region = manual.ManualRegion(mesh.abstract_mesh, axes)
    inside = [mlir.aval_to_ir_type(a) for a in jaxpr.in_avals]

    def body(*values):
        with module.in_manual(region):
            return mlir.inline_closed(module, jaxpr, values, ctx.name_stack)

    if operands and ctx.avals_in[0] is avals_lib.abstract_token:
        _refuse_partly_manual(ctx, mesh, axes)
    if mesh.size == 1:
        # The part is the whole, and there is nobody to speak with.
        return list(body(*operands))
    return manual.manual_computation(
        module,
        operands,
        in_texts=_texts(module, mesh, in_specs, ctx.avals_in, axes),
        out_texts=_texts(module, mesh, out_specs, ctx.avals_out, axes),
        out_types=[mlir.aval_to_ir_type(a) for a in ctx.avals_out],
        axes=specs_lib.in_mesh_order(mesh, newly_manual_axes),
        block_types=inside,
        body=body,
    )


def _refuse_partly_manual(ctx, mesh, axes):
    """Refuses ordered effects where another compiler divides the rest of a body.

    Raises:
        NotImplementedError: it would; XLA ends the process in such a program.
    """
    if axes != frozenset(mesh.axis_names) and backends.has_foreign(ctx.platforms[0]):
        raise NotImplementedError(
            errors.explain(
                "Ordered callbacks are only supported in spmd computations when all mesh "
                "axes are partitioned manually (no partial automatic sharding).",
                [("mesh", repr(mesh)), ("manual", repr(set(axes)))],
                ways="Leave axis_names out of jax.shard_map, or ordered=True.",
            )
        )


def ordered(eqn: Any, token: Any, out: Any) -> Any:
    """The equation with a token as first operand and result: each device has its own."""
    params = eqn.params
    more = {
        "jaxpr": mlir.with_token(params["jaxpr"]),
        "in_specs": (specs_lib.P(), *params["in_specs"]),
        "out_specs": (specs_lib.P(), *params["out_specs"]),
    }
    return eqn.replace(
        invars=[token, *eqn.invars],
        outvars=[out, *eqn.outvars],
        params={**params, **more},
    )


def _texts(module, mesh, specs, avals, axes):
    """How arguments or results are split: for the compiler along what is not manual."""
    is_full = axes == frozenset(mesh.axis_names)
    abstract = mesh.abstract_mesh
    texts = []
    for spec, aval in zip(specs, avals, strict=True):
        logical = len(getattr(aval, "shape", ()))
        ndim = len(getattr(mlir.physical_aval(aval), "shape", ()))
        open_dims = () if is_full else range(logical)
        # Sums that are due stay so: the body has the summands, or makes them.
        sums = {"unreduced": spec.unreduced} if spec.unreduced else {}
        placed = shardings.NamedSharding(abstract, type(spec)(*spec.partitions, **sums))
        texts.append(manual.text_of(module, placed, ndim, open_dims=tuple(open_dims)))
    return texts
