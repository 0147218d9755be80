"""Moving elements of dtypes that stand for arrays, such as random keys.

Behind ``key[2,3]`` lies an array with one more, trailing axis. To move keys is to move
rows along that axis: the batching rule of an operation says how.
"""

from jax._src import dtypes
from jax._src.core import slots
from jax._src.core.primitive import Primitive
from jax._src.interpreters import batching, mlir


def _is_extended(aval) -> bool:
    return dtypes.is_extended(getattr(aval, "dtype", None))


def _has_rows(aval) -> bool:
    """Whether an element is more than one number."""
    return _is_extended(aval) and len(mlir.physical_aval(aval).shape) > aval.ndim


def moves_elements(primitive: Primitive) -> Primitive:
    """Lets the primitive's lowering take operands of extended dtypes too."""
    plain = primitive.rules["lower"]

    def lower(ctx, *operands, **params):
        if not any(map(_is_extended, (*ctx.avals_in, *ctx.avals_out))):
            return plain(ctx, *operands, **params)
        if not any(map(_has_rows, (*ctx.avals_in, *ctx.avals_out))):
            arrays = [
                tuple(map(mlir.physical_aval, a)) for a in (ctx.avals_in, ctx.avals_out)
            ]
            bare = ctx.replace(avals_in=arrays[0], avals_out=arrays[1])
            return plain(bare, *operands, **params)
        run = _on_rows(primitive, ctx.avals_in, ctx.avals_out, params)
        physical = ctx.replace(
            avals_in=[mlir.physical_aval(aval) for aval in ctx.avals_in]
        )
        outs = mlir.lower_fun(run, multiple_results=True)(physical, *operands)
        return outs if primitive.multiple_results else outs[0]

    primitive.set_rule("lower", lower)
    return primitive


def _on_rows(primitive, avals_in, avals_out, params):
    """The operation on the arrays behind the operands, their last axis being mapped."""
    dims = tuple(aval.ndim if _is_extended(aval) else None for aval in avals_in)

    def run(*arrays):
        sizes = [x.shape[d] for x, d in zip(arrays, dims, strict=True) if d is not None]
        rule = primitive.resolved.get("batch") or batching.resolve_batch(primitive)
        outs, places = rule(batching.Axis(sizes[0]), arrays, dims, **params)
        if not primitive.multiple_results:
            outs, places = [outs], [places]
        if isinstance(places, int):
            places = [places] * len(outs)
        return [
            slots.move_axis(out, place, len(aval.shape)) if _is_extended(aval) else out
            for out, place, aval in zip(outs, places, avals_out, strict=True)
        ]

    return run
