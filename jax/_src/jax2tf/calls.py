"""Functions of TensorFlow in JAX's programs, called on the host."""

from collections.abc import Callable
from typing import Any

import numpy as np

from jax._src import dtypes, tree
from jax._src.callbacks import calls
from jax._src.core import avals as avals_lib
from jax._src.jax2tf import package
from jax._src.transforms import custom_vjp, shape_dtype_struct


def call_tf(
    callable_tf: Callable,
    has_side_effects: bool = True,
    ordered: bool = False,
    output_shape_dtype: Any = None,
    call_tf_graph: bool = False,
) -> Callable:
    """A function that computes what a function of TensorFlow does.

    It works under `jax.jit`, where the host calls TensorFlow while the program runs, and
    under reverse-mode differentiation, for which TensorFlow differentiates.

    Args:
        callable_tf: takes and returns trees of tensors.
        has_side_effects: accepted: a call whose results are not used may be left out.
        ordered: accepted: calls have no order among themselves.
        output_shape_dtype: types of the results, a tree of `jax.ShapeDtypeStruct`; None:
            TensorFlow infers them from the types of the arguments.
        call_tf_graph: accepted: the function is always called by the host.

    Raises:
        ModuleNotFoundError: TensorFlow is not installed; when the function is called.
        ValueError: TensorFlow cannot infer the shapes of the results.
    """

    @custom_vjp.custom_vjp
    def called(*args: Any) -> Any:
        avals = tree.tree_map(avals_lib.get_aval, args)
        kinds = output_shape_dtype
        if kinds is None:
            kinds = _inferred(callable_tf, avals)
        return calls.pure_callback(
            lambda *given: _on_host(callable_tf, given), kinds, *args
        )

    def forward(*args):
        return called(*args), args

    def backward(args, cotangents):
        kinds = tree.tree_map(
            lambda x: shape_dtype_struct.ShapeDtypeStruct(
                np.shape(x), _tangent_dtype(x)
            ),
            args,
        )
        return calls.pure_callback(
            lambda given, cts: _gradient_on_host(callable_tf, given, cts),
            kinds,
            args,
            cotangents,
        )

    called.defvjp(forward, backward)
    return called


def _tangent_dtype(value):
    dtype = avals_lib.get_aval(value).dtype
    return dtype if dtypes.issubdtype(dtype, np.inexact) else dtypes.float0


def _tensors(values):
    tf = package.tensorflow()
    return tree.tree_map(lambda x: tf.convert_to_tensor(np.asarray(x)), values)


def _arrays(results):
    tf = package.tensorflow()
    return tree.tree_map(lambda x: tf.convert_to_tensor(x).numpy(), results)


def _on_host(callable_tf, args):
    return _arrays(callable_tf(*_tensors(args)))


def _gradient_on_host(callable_tf, args, cotangents):
    tf = package.tensorflow()
    inputs = _tensors(args)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(
            [
                x
                for x in tree.tree_leaves(inputs)
                if x.dtype.is_floating or x.dtype.is_complex
            ]
        )
        outs = callable_tf(*inputs)
    pairs = zip(tree.tree_leaves(outs), tree.tree_leaves(cotangents), strict=True)
    pairs = [(o, c) for o, c in pairs if o.dtype.is_floating or o.dtype.is_complex]
    found = tape.gradient(
        [o for o, _ in pairs],
        tree.tree_leaves(inputs),
        output_gradients=[tf.convert_to_tensor(np.asarray(c)) for _, c in pairs],
        unconnected_gradients=tf.UnconnectedGradients.ZERO,
    )
    leaves, structure = tree.tree_flatten(args)
    grads = [
        np.zeros(np.shape(x), dtypes.float0)
        if _tangent_dtype(x) == dtypes.float0
        else g.numpy()
        for x, g in zip(leaves, found, strict=True)
    ]
    return tree.tree_unflatten(structure, grads)


def _inferred(callable_tf, avals):
    """The types of the results, as TensorFlow infers them."""
    tf = package.tensorflow()
    specs = tree.tree_map(
        lambda aval: tf.TensorSpec(aval.shape, tf.as_dtype(np.dtype(aval.dtype))), avals
    )
    graph = tf.function(callable_tf).get_concrete_function(*specs)
    return tree.tree_map(
        lambda t: shape_dtype_struct.ShapeDtypeStruct(
            tuple(t.shape.as_list()), np.dtype(t.dtype.as_numpy_dtype)
        ),
        graph.structured_outputs,
    )
