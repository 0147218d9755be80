"""Moving elements of dtypes that stand for arrays, such as random keys.

Behind ``key[2,3]`` is an array with one more, trailing axis. To move keys is to move
rows along that axis: the batching rule of an operation says how. Elements with more axes
are moved as rows of all their parts, those without any as the numbers that they are.
"""

import math

from jax._src import dtypes
from jax._src.core import slots
from jax._src.core.primitive import Primitive
from jax._src.interpreters import batching, mlir


def _is_extended(aval) -> bool:
    return dtypes.is_extended(getattr(aval, "dtype", None))


def moves_elements(primitive: Primitive) -> Primitive:
    """Lets the primitive's lowering take operands of extended dtypes too."""
    plain = primitive.rules["lower"]

    def lower(ctx, *operands, **params):
        if not any(map(_is_extended, (*ctx.avals_in, *ctx.avals_out))):
            return plain(ctx, *operands, **params)
        avals_in, avals_out = ctx.avals_in, ctx.avals_out
        physical = ctx.replace(avals_in=[mlir.physical_aval(a) for a in avals_in])
        if not any(map(_parts, (*avals_in, *avals_out))):
            physical = physical.replace(
                avals_out=[mlir.physical_aval(a) for a in avals_out]
            )
            return plain(physical, *operands, **params)
        run = _on_rows(primitive, avals_in, avals_out, params)
        outs = mlir.lower_fun(run, multiple_results=True)(physical, *operands)
        return outs if primitive.multiple_results else outs[0]

    primitive.set_rule("lower", lower)
    return primitive


def _on_rows(primitive, avals_in, avals_out, params):
    """The operation on the arrays behind the operands, whose elements are rows."""
    parts_in, parts_out = (
        [_parts(a) for a in group] for group in (avals_in, avals_out)
    )
    dims = tuple(
        aval.ndim if parts else None
        for aval, parts in zip(avals_in, parts_in, strict=True)
    )

    def run(*arrays):
        rows = [
            _reshaped(x, dim, (math.prod(parts),)) if len(parts) > 1 else x
            for x, dim, parts in zip(arrays, dims, parts_in, strict=True)
        ]
        sizes = [x.shape[d] for x, d in zip(rows, dims, strict=True) if d is not None]
        rule = primitive.resolved.get("batch") or batching.resolve_batch(primitive)
        outs, out_dims = rule(batching.Axis(sizes[0]), rows, dims, **params)
        if not primitive.multiple_results:
            outs, out_dims = [outs], [out_dims]
        if isinstance(out_dims, int):
            out_dims = [out_dims] * len(outs)
        return [
            _as_elements(out, out_dim, aval, parts) if parts else out
            for out, out_dim, aval, parts in zip(
                outs, out_dims, avals_out, parts_out, strict=True
            )
        ]

    return run


def _parts(aval):
    """The shape of the array behind an element; () for a number."""
    return aval.dtype.physical(())[0] if _is_extended(aval) else ()


def _as_elements(out, out_dim, aval, parts):
    rows = slots.move_axis(out, out_dim, aval.ndim)
    return _reshaped(rows, aval.ndim, parts) if len(parts) > 1 else rows


def _reshaped(x, dim, parts):
    return slots.reshape(x, (*x.shape[:dim], *parts))
