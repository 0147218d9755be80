"""Functions of JAX as functions of TensorFlow: exported, and held by one operation."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.base import errors
from jax._src.core import avals
from jax._src.export import checks, export, symbols
from jax._src.jax2tf import package
from jax._src.jit import jit
from jax._src.transforms import shape_dtype_struct

DisabledSafetyCheck = checks.DisabledSafetyCheck

# The version of XlaCallModule that takes disabled checks and platforms.
_OLDEST_VERSION = 9


def dtype_of_val(val: Any) -> Any:
    """The dtype that TensorFlow gives to a value which enters a converted function.

    Args:
        val: a tensor, array or number.

    Raises:
        ModuleNotFoundError: TensorFlow is not installed.
    """
    return _tensor(val).dtype


def _tensor(value):
    """A tensor of the dtype that JAX gives to the value."""
    tf = package.tensorflow()
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return tf.convert_to_tensor(value)
    dtype = dtypes.canonicalize_dtype(avals.get_aval(value).dtype)
    return tf.convert_to_tensor(np.asarray(value), dtype=tf.as_dtype(dtype))


def convert(
    fun_jax: Callable,
    *,
    polymorphic_shapes: Any = None,
    polymorphic_constraints: Sequence[str] = (),
    with_gradient: bool = True,
    enable_xla: bool = True,
    native_serialization: bool = True,
    native_serialization_platforms: Sequence[str] | None = None,
    native_serialization_disabled_checks: Sequence[DisabledSafetyCheck] = (),
) -> Callable:
    """A function of TensorFlow that computes what a function of JAX does.

    The function is exported for the types of the arguments and runs as one operation,
    ``XlaCallModule``, also in ``tf.function`` and saved models.

    Args:
        fun_jax: the function.
        polymorphic_shapes: symbolic shapes of the arguments, as for
            `jax.symbols.symbolic_args_specs`; None: sizes are those of the tensors.
        polymorphic_constraints: what is known of the symbols.
        with_gradient: whether ``tf.GradientTape`` differentiates it.
        enable_xla: must be True.
        native_serialization: must be True.
        native_serialization_platforms: the platforms to compile for; None: that of the
            default backend.
        native_serialization_disabled_checks: checks of the export to leave out.

    Returns:
        A function that takes trees of tensors, arrays and numbers, and returns tensors.

    Raises:
        ModuleNotFoundError: TensorFlow is not installed; when the function is called.
        NotImplementedError: an option has another value than the one that it must have.
    """
    if not (enable_xla and native_serialization):
        raise errors.not_implemented(
            "jax2tf.convert: functions run as compiled programs alone.",
            [
                ("enable_xla", str(enable_xla)),
                ("native_serialization", str(native_serialization)),
            ],
            "Programs are not rewritten in TensorFlow's operations.",
            "Leave both options out.",
        )

    def converted(*args_tf: Any, **kwargs_tf: Any) -> Any:
        leaves, in_tree = tree.tree_flatten((args_tf, kwargs_tf))
        tensors = [_tensor(x) for x in leaves]

        def flat(*values):
            args, kwargs = tree.tree_unflatten(in_tree, values)
            return fun_jax(*args, **kwargs)

        specs = _specs(tensors, in_tree, polymorphic_shapes, polymorphic_constraints)
        exported = export.export(
            jit.jit(flat),
            platforms=native_serialization_platforms,
            disabled_checks=native_serialization_disabled_checks,
        )(*specs)
        outs = _call(exported, tensors, with_gradient)
        return tree.tree_unflatten(exported.out_tree, outs)

    return converted


def _specs(tensors, in_tree, shapes, constraints):
    """The types of the arguments, of symbolic shapes where these are given."""
    args, kwargs = tree.tree_unflatten(in_tree, [_Sized(t) for t in tensors])
    if shapes is None:
        unknown = [t.shape for t in tensors if not t.shape.is_fully_defined()]
        if unknown:
            raise errors.value_error(
                "jax2tf.convert: a size of an argument is not known.",
                [("shape", str(unknown[0]))],
                "What is not known is a symbol.",
                "Name it: convert(f, polymorphic_shapes=('b, ...',)).",
            )
        return [
            shape_dtype_struct.ShapeDtypeStruct(s.shape, s.dtype)
            for s in map(_Sized, tensors)
        ]
    found = symbols.symbolic_args_specs(args, shapes, constraints)
    return [*tree.tree_leaves(found), *map(_struct, tree.tree_leaves(kwargs))]


class _Sized:
    """The shape and dtype of a tensor, as those of an array; unknown sizes are None."""

    def __init__(self, tensor: Any):
        self.shape = tuple(tensor.shape.as_list())
        self.dtype = np.dtype(tensor.dtype.as_numpy_dtype)


def _struct(sized):
    return shape_dtype_struct.ShapeDtypeStruct(sized.shape, sized.dtype)


def _call(exported, tensors, with_gradient):
    """The results of a program that was exported, with its gradient."""
    tf = package.tensorflow()
    if not with_gradient:
        return [tf.raw_ops.PreventGradient(input=x) for x in _run(exported, tensors)]

    @tf.custom_gradient
    def run(*operands):
        def gradient(*cotangents, variables=None):
            backward = exported.vjp()
            given = [*operands, *map(_cotangent, exported.out_avals, cotangents)]
            found = _run(backward, given)
            # Whole numbers have no gradient.
            return [
                g if x.dtype.is_floating or x.dtype.is_complex else None
                for x, g in zip(operands, found, strict=True)
            ]

        return _run(exported, operands), gradient

    return run(*tensors)


def _cotangent(aval, cotangent):
    tf = package.tensorflow()
    if np.issubdtype(aval.dtype, np.inexact) or aval.dtype == dtypes.bfloat16:
        return cotangent
    return tf.zeros(tf.shape(cotangent), tf.bool)


def _run(exported, tensors):
    tf = package.tensorflow()
    used = [tensors[i] for i in exported.module_kept_var_idx]
    sizes = [
        [n if isinstance(n, int) else None for n in a.shape] for a in exported.out_avals
    ]
    return package.tf2xla().call_module(
        used,
        version=max(exported.calling_convention_version, _OLDEST_VERSION),
        Tout=[tf.as_dtype(_tangent_dtype(a.dtype)) for a in exported.out_avals],
        Sout=sizes,
        module=exported.mlir_module_serialized,
        platforms=[name.upper() for name in exported.platforms],
        function_list=(),
        has_token_input_output=False,
        disabled_checks=[],
    )


def _tangent_dtype(dtype):
    return np.dtype(bool) if dtype == dtypes.float0 else dtype
