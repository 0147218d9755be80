"""Values of other libraries' dtypes, and the arrays that they stand for."""

from typing import Any

from jax._src import dtypes
from jax._src.base import scalars
from jax._src.core import avals, slots
from jax._src.core.primitive import declare
from jax._src.interpreters import ad
from jax._src.lax.ops import splitting
from jax._src.lax.ops.messages import value_error
from jax._src.lib import client
from jax._src.runtime.arrays import extended_arrays


def _moved(out, tangent):
    """The tangent of a value that became `out`; zero where one of both has none."""
    wanted = avals.get_aval(out).to_tangent_aval()
    if type(tangent) is ad.Zero or avals.is_float0(wanted):
        return ad.Zero(wanted)
    return slots.convert(tangent, wanted.dtype, False)


@declare("to_edtype")
class to_edtype_p:
    """Values of an extended dtype, of the arrays that they stand for."""

    def types(x, *, edtype):
        element, dtype = edtype.physical(())
        ndim = x.ndim - len(element)
        if x.dtype != dtype or ndim < 0 or x.shape[ndim:] != element:
            raise value_error(
                "lax.convert_element_type: the array does not hold elements of this "
                "extended dtype.",
                [
                    ("operand", x.str_short()),
                    ("new dtype", edtype.name),
                    ("an element", avals.ShapedArray(element, dtype).str_short()),
                ],
                "The last axes of the operand are those of an element, and its dtype "
                "is that of an element.",
            )
        return avals.ShapedArray(x.shape[:ndim], edtype)

    def sharding(x, *, edtype, out):
        splitting.whole_along("to_edtype", x, range(out.ndim, x.ndim))
        return splitting.entries(x)[: out.ndim]

    def lower(ctx, x, *, edtype):
        return x

    def jvp_all(primals, tangents, *, edtype):
        out = to_edtype_p.bind(*primals, edtype=edtype)
        return out, _moved(out, *tangents)

    def transpose(ct, x, *, edtype):
        return [slots.convert(ct, x.aval.dtype, False)]

    def batch(axis, args, dims, *, edtype):
        (x,), (dim,) = args, dims
        ndim = len(x.shape) - 1 - len(edtype.physical(())[0])
        if dim > ndim:
            x, dim = slots.move_axis(x, dim, 0), 0
        return to_edtype_p.bind(x, edtype=edtype), dim


@declare("from_edtype")
class from_edtype_p:
    """The arrays that values of an extended dtype stand for."""

    def types(x, *, dtype):
        shape, held = x.dtype.physical(x.shape)
        if held != dtype:
            raise value_error(
                "lax.convert_element_type: values of this extended dtype do not hold "
                "elements of the new dtype.",
                [
                    ("operand", x.str_short()),
                    ("holds", str(held)),
                    ("new dtype", str(dtype)),
                ],
                "They become arrays of the dtype that they hold.",
            )
        return avals.ShapedArray(shape, dtype)

    def sharding(x, *, dtype, out):
        return (*splitting.entries(x), *(None,) * (out.ndim - x.ndim))

    def lower(ctx, x, *, dtype):
        return x

    def jvp_all(primals, tangents, *, dtype):
        out = from_edtype_p.bind(*primals, dtype=dtype)
        return out, _moved(out, *tangents)

    def transpose(ct, x, *, dtype):
        return [slots.convert(ct, x.aval.dtype, False)]

    def batch(axis, args, dims, *, dtype):
        return from_edtype_p.bind(*args, dtype=dtype), dims[0]


def converted(x: Any, new_dtype: Any) -> Any:
    """A value in another dtype, one of both being extended.

    Raises:
        ValueError: the rules of the extended dtype do not allow it.
    """
    old_dtype = avals.get_aval(x).dtype
    to, back = dtypes.is_extended(new_dtype), dtypes.is_extended(old_dtype)
    if to and back:
        refuse(x, new_dtype, "Convert to the dtype that is held first, and from there.")
    if to:
        if not new_dtype.is_made_of(old_dtype):
            refuse(x, new_dtype)
        return to_edtype_p.bind(x, edtype=new_dtype)
    if not old_dtype.becomes(new_dtype):
        refuse(x, new_dtype)
    return from_edtype_p.bind(x, dtype=new_dtype)


def refuse(x: Any, new_dtype: Any, way: str = "") -> None:
    """Raises what says that there is no conversion."""
    raise value_error(
        "lax.convert_element_type: these dtypes do not convert.",
        [
            ("operand", avals.get_aval(x).str_short()),
            ("new dtype", getattr(new_dtype, "name", str(new_dtype))),
        ],
        "Values of extended dtypes, such as random keys, are no numbers. The rules of "
        "such a dtype say what it converts from and to.",
        way or "For the raw words of keys: jax.random.key_data(keys).",
    )


@scalars.value_of_array.fill
def value_of_array(array: Any, dtype: Any) -> Any:
    """The value of an extended dtype that stands for an array."""
    if isinstance(array, client.Array):
        return extended_arrays.EArray.of(dtype, array)
    return to_edtype_p.bind(array, edtype=dtype)


@scalars.array_behind.fill
def array_behind(value: Any) -> Any:
    """The array behind a value of an extended dtype."""
    if isinstance(value, extended_arrays.EArray):
        return value._base_array
    return from_edtype_p.bind(value, dtype=value.dtype.physical(())[1])
