"""The release of upstream's that this process answers as, and every rule that differs between releases.

The environment variable ``JAX_COMPAT`` chooses the release when jax is imported; without it, that is the
release of the wheel. `RULES` has one row for each difference: a name, what it is about, and the rule of each
release, oldest first. Code asks `rule` for the one that holds and never compares versions. What a newer
release only added is there under every release and has no row.

`GONE` lists the names that a release dropped from a module: the module is as it was before for older ones.
"""

import math
import os
import types
from collections.abc import Callable
from typing import Any

# Value of JAX_COMPAT -> `jax.__version__`, oldest first.
RELEASES = {"0.10.2": "0.10.2", "0.12.0": "0.12.0.1"}

# What JAX_COMPAT may say for a library that needs what upstream dropped before 0.10 -> the release answered as.
LIBRARIES = {"oryx": "0.10.2"}

# The release of the wheel.
DEFAULT = "0.10.2"


class Difference:
    """A rule that differs: what it is about, and its value in each release of `RELEASES`."""

    __slots__ = ("change", "new", "old")

    def __init__(self, change: str, old: Any, new: Any):
        self.change, self.old, self.new = change, old, new


RULES: dict[str, Difference] = {
    # Programs.
    "programs_are_one_class": Difference(
        "Jaxpr and ClosedJaxpr are one class, which may hold values of constants",
        False,
        True,
    ),
    # What functions are traced to.
    "log2_is_a_primitive": Difference(
        "jnp.log2 binds log2 instead of a quotient of logarithms", False, True
    ),
    "derivative_of_tanh_in_one_step": Difference(
        "the derivative of tanh is one_minus_square", False, True
    ),
    "polyval_is_a_primitive": Difference(
        "jnp.polyval binds polynomial, and starts at the highest coefficient",
        False,
        True,
    ),
    "empty_is_a_primitive": Difference(
        "jnp.empty and lax.empty bind empty instead of an array of zeros", False, True
    ),
    "extremes_name_their_sharding": Difference(
        "the parameters of reduce_max and reduce_min have out_sharding", False, True
    ),
    "top_k_says_whether_stable": Difference(
        "the parameters of top_k have is_stable", False, True
    ),
    "jit_keeps_a_kind_of_inlining": Difference(
        "jit(inline=True) is Inline.JAX_LATE instead of Inline.JAX_EARLY, and other "
        "values than truth values and kinds are refused",
        False,
        True,
    ),
    # Profiles.
    "trace_needs_no_folder": Difference(
        "jax.profiler.trace has a default for log_dir, None: the trace stays in memory",
        False,
        True,
    ),
    # The version of jaxlib.
    "jaxlib_version": Difference(
        "the release of jaxlib that libraries read", (0, 10, 2), (0, 12, 0, 1)
    ),
    "jaxlib_extension_version": Difference(
        "the number of the bindings that libraries read", 467, 505
    ),
    "ifrt_version": Difference("the number of IFRT that libraries read", 55, 76),
    # Exported programs.
    "version_of_exported_modules": Difference(
        "the version of StableHLO that exported programs are written in; that of 0.12.0 "
        "has custom_call_v2",
        "1.15.0",
        "1.18.0",
    ),
    # Functions whose arguments have another meaning.
    "ds_of_none_differs_from_no_size": Difference(
        "jax.ds takes None as a size: all that follows; and as a start: 0", False, True
    ),
    "compute_on_is_a_function": Difference(
        "compute_on takes a function, and is no block or decorator any more",
        False,
        True,
    ),
    # What raises an error.
    "memory_space_of_traced_values_is_refused": Difference(
        "the attribute memory_space of values in a trace raises ValueError", False, True
    ),
    "checkpoint_of_concrete_values": Difference(
        "the error of checkpoint(concrete=True)", NotImplementedError, TypeError
    ),
    "shapes_with_none": Difference(
        "the error of a ShapeDtypeStruct with None among its sizes",
        TypeError,
        ValueError,
    ),
    "no_square_matrix": Difference(
        "the error of eigh, eigvalsh and cholesky for matrices that are not square",
        TypeError,
        ValueError,
    ),
    "no_matrices_of_this_dtype": Difference(
        "the error of factorizations for dtypes that LAPACK does not have",
        NotImplementedError,
        TypeError,
    ),
    # Values at poles and at infinity, and derivatives there.
    "digamma_of_zero": Difference(
        "digamma and polygamma of order 0 at 0 of either sign", math.nan, -math.inf
    ),
    "sinc_vanishes_at_infinity": Difference(
        "jnp.sinc and its derivative are 0 at infinity instead of NaN", False, True
    ),
    "slope_of_arccosh_below_one": Difference(
        "the derivative of arccosh is NaN below 1, and not that at the mirrored argument",
        False,
        True,
    ),
    "slope_of_sici_at_infinity": Difference(
        "the derivatives of the sine and cosine integrals at infinity", math.nan, 0.0
    ),
    "slope_of_hypot_at_zero": Difference(
        "the derivatives of jnp.hypot at the origin", 0.5, math.nan
    ),
    "slope_of_kl_div_below_zero": Difference(
        "the derivative of kl_div in an argument that is not above 0", -1.0, 0.0
    ),
    "slope_of_rel_entr_of_nan": Difference(
        "the derivatives of rel_entr where an argument is NaN", 0.0, math.nan
    ),
    # Random numbers.
    "multinomial_shape_has_categories": Difference(
        "the argument shape of random.multinomial has the axis of the categories",
        True,
        False,
    ),
    "name_of_closed_call": Difference(
        "the name of the primitive closed_call_p", "closed_call", "eval_jaxpr"
    ),
    "call_is_closed_call": Difference(
        "call_p is the same primitive as closed_call_p", False, True
    ),
    # Meshes and shardings.
    "ppermute_keeps_the_order_of_the_mesh": Difference(
        "ppermute refuses axes in another order than the mesh's", False, True
    ),
    "axes_of_abstract_meshes": Difference(
        "the type of the axes of an AbstractMesh that names none", "Auto", "Explicit"
    ),
    "make_mesh_takes": Difference(
        "the name of the first parameter of make_mesh", "axis_shapes", "axis_sizes"
    ),
    "specs_show_that_parts_are_summed": Difference(
        "the text of a PartitionSpec with unreduced axes has unreduced_kind=sum",
        False,
        True,
    ),
    "update_keeps_unreduced_kind": Difference(
        "PartitionSpec.update keeps the kind when no axis is unreduced any more: an error",
        False,
        True,
    ),
    # Results and arguments of jax.numpy.
    "unroll_of_polyval": Difference(
        "the default of the argument of jnp.polyval", 16, None
    ),
    "several_results": Difference(
        "the type of the results of atleast_nd, broadcast_arrays, meshgrid and devices",
        list,
        tuple,
    ),
    "array_api_version": Difference(
        "the version of the array API standard that jax.numpy names",
        "2024.12",
        "2025.12",
    ),
    "array_options_by_position": Difference(
        "jnp.array takes copy, order and ndmin by position, with a warning", True, False
    ),
    "split_indices_as_in_slices": Difference(
        "jnp.split counts negative indices from the end and clips those beyond it",
        False,
        True,
    ),
    "cross_of_planes": Difference(
        "jnp.cross takes vectors of two components", True, False
    ),
    "wrap_negative_indices": Difference(
        "the default of the argument of jnp.take_along_axis; None is the same as True "
        "where it is the default, as False otherwise",
        None,
        True,
    ),
    "wrong_axes": Difference(
        "the error of jnp.permute_dims for axes that are no permutation",
        TypeError,
        ValueError,
    ),
}

# Module -> the names that it no longer has from 0.12.0 on.
GONE: dict[str, str] = {
    "jax.core": """
        CallPrimitive DebugInfo DropVar Effect Effects InconclusiveDimensionOperation
        JaxprPpContext JaxprPpSettings JaxprTypeError OutputType abstract_token
        aval_mapping_handlers call check_jaxpr concrete_or_error
        concretization_function_error custom_typechecks find_top_trace gensym
        get_opaque_trace_state is_concrete is_constant_dim is_constant_shape
        jaxprs_in_params literalable_types new_jaxpr_eqn no_axis_name no_effects
        nonempty_axis_env_DO_NOT_USE primal_dtype_to_tangent_dtype trace_ctx
        unsafe_am_i_under_a_jit_DO_NOT_USE unsafe_am_i_under_a_vmap_DO_NOT_USE
        unsafe_get_axis_names_DO_NOT_USE valid_jaxtype""",
    "jax.experimental": "cur_qdd",
    "jax.experimental.compute_on": "compute_on2",
    "jax.experimental.hijax": """
        AvalMutableQDD AvalQDD HiPrimitive MutableHiType VJPHiPrimitive""",
    "jax.experimental.ode": "ravel_first_arg_",
    "jax.experimental.pallas": "debug_checks_enabled dot",
    "jax.experimental.pallas.mosaic_gpu": "transform_ref",
    "jax.experimental.pallas.tpu": """
        DeviceIdType HOST semaphore semaphore_read semaphore_signal semaphore_wait""",
    "jax.experimental.scheduling_groups": """
        attr_get dce_jaxpr_xla_metadata_rule xla_metadata_call xla_metadata_call_p""",
    "jax.extend.core": "CallPrimitive call_impl",
    "jax.interpreters.pxla": """
        ArrayMapping Index MeshAxisName MeshExecutable are_hlo_shardings_equal
        array_mapping_to_axis_resources global_aval_to_result_handler
        global_result_handlers is_hlo_sharding_replicated op_sharding_to_indices""",
    "jax.lax": "dce_sink_p",
}

# Options of jax.config that are gone from 0.12.0 on.
GONE_OPTIONS = frozenset(
    {
        "jax_exec_time_optimization_effort",
        "jax_memory_fitting_effort",
        "jax_pallas_use_mosaic_gpu",
        "jax_ragged_dot_use_gpu_pallas_triton_lowering",
        "jax_refs_to_pins",
    }
)

# Modules that are gone from 0.12.0 on.
GONE_MODULES = frozenset(
    {
        "jax.cloud_tpu_init",
        "jax.experimental.control_deps",
        "jax.experimental.shard_alike",
    }
)


def _chosen() -> str:
    """The release that `JAX_COMPAT` names."""
    name = os.environ.get("JAX_COMPAT") or DEFAULT
    name = LIBRARIES.get(name, name)
    for known, version in RELEASES.items():
        if name in (known, version):
            return known
    raise ImportError(
        "JAX_COMPAT: there is no such release.\n"
        f"  JAX_COMPAT  {name!r}\n"
        f"  rule        It names the release to answer as: {', '.join(RELEASES)}; or a library "
        f"that needs names of older ones: {', '.join(LIBRARIES)}.\n"
        f"  way out     Unset it for {DEFAULT}."
    )


RELEASE = _chosen()
IS_NEW = RELEASE != "0.10.2"
# Whether names that upstream dropped before 0.10 are there too.
REACHES_BACK = os.environ.get("JAX_COMPAT") in LIBRARIES
_CHOSEN = {name: row.new if IS_NEW else row.old for name, row in RULES.items()}


def rule(name: str) -> Any:
    """The rule that holds in the chosen release.

    Args:
        name: a row of `RULES`.
    """
    return _CHOSEN[name]


def gone(module: str) -> list[str]:
    """The names that a module no longer has in the chosen release."""
    return GONE.get(module, "").split() if IS_NEW else []


def renames(**names: str) -> Callable[[Callable], Callable]:
    """A decorator: the function has some parameters under other names.

    Args:
        names: for the name that the function is written with, the one that callers use.
    """

    def rename(function: Any) -> Any:
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        parameters = [names.get(name, name) for name in code.co_varnames[:count]]
        named = types.FunctionType(
            code.replace(co_varnames=(*parameters, *code.co_varnames[count:])),
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        named.__dict__.update(function.__dict__)
        # From Python 3.14 on, annotations are evaluated when they are read.
        lazily = hasattr(function, "__annotate__")
        annotations = "__annotate__" if lazily else "__annotations__"
        for attribute in (annotations, "__doc__", "__kwdefaults__", "__module__"):
            setattr(named, attribute, getattr(function, attribute))
        named.__qualname__ = function.__qualname__
        return named

    return rename
