"""The few calls that go up a layer. Each is filled once, by the layer that it names."""

from jax._src.base.slot import Slot as Slot

# (primitive, args, params) -> value or list of values: evaluates on a device.
apply_primitive = Slot("eager evaluation", "runtime")
# (program, args, outs): looks for keys used twice, in a call outside of every trace.
follow_keys_in_call = Slot("following of random keys", "random")
# (primitive, args, params, out): the same for one primitive.
follow_keys_in_primitive = Slot("following of random keys", "random")
# (x, y) -> x + y for two cotangents of one type; y is linear.
add_cotangents = Slot("the sum of cotangents", "lax")
# (x) -> x, as a constant for derivatives.
stop_derivatives = Slot("values without derivatives", "lax")
# (aval) -> an array of zeros of that type.
zeros = Slot("arrays of zeros", "lax")
# (x, size, axis) -> x with a new axis at `axis`, along which it is repeated.
broadcast_axis = Slot("broadcasting along a new axis", "lax")
# (x, source, destination) -> x with one axis moved.
move_axis = Slot("moving an axis", "lax")
# (x, shape, dimensions) -> x broadcast; `dimensions` maps each axis of x to one of the result.
broadcast_in_dim = Slot("broadcasting", "lax")
# (x, shape) -> the elements of x in another shape.
reshape = Slot("reshaping", "lax")
# (x, dtype, weak_type) -> x converted.
convert = Slot("conversion of dtypes", "lax")
# (x, axis) -> the sum of x along one axis.
sum_axis = Slot("the sum along an axis", "lax")
# (x, manual_axis_type) -> x in that state along mesh axes; from one that devices share.
vary_as = Slot("values that vary along mesh axes", "lax")
# (x, aval) -> x, lying over Explicit mesh axes as the type says.
to_type = Slot("moving arrays over a mesh", "lax")
# (dimension) -> it as a scalar of the program that is being traced.
dimension_as_value = Slot("sizes as values", "lax")
# (trace, dimension) -> the same as a value of one trace.
stage_dimension = Slot("sizes as values", "lax")
# (aval, spec, mesh, manual axes, check_vma) -> the type of a part in the body of a shard_map.
part_type = Slot("types of parts", "shard_map")
# (aval, spec, mesh, check_vma) -> the type of the whole whose parts have the type `aval`.
whole_type = Slot("types of wholes", "shard_map")
# (aval, mesh, check_vma, axes) -> the spec by which values leave a body that names none.
open_spec = Slot("specs of parts", "shard_map")
# (primitive, args, params) -> results: a loop or choice whose checks are made behind it.
checks_after = Slot("checks of loops and choices", "checkify")
# (program, args, outs, name, "nan" or "inf"): raises the error about a bad value in the results.
explain_bad_value = Slot(
    "checks of NaNs", "checkify", "jax._src.checkify.bad_value_search", "explain"
)
# (lowered call, bytes) -> a lowered call with the same results that holds no more at once.
fit_memory = Slot(
    "programs within a memory budget",
    "memory_budget",
    "jax._src.memory_budget.fit",
    "fit",
)
# (client) -> what memory its arrays hold, in pprof's format.
heap_profile = Slot(
    "profiles of memory", "profiler", "jax._src.profiler.memory", "heap_profile"
)
