"""Native functions as functions of arrays: LAPACK's Cholesky stands for them."""

import ctypes
import re

import numpy as np
import pytest
from scipy.linalg import cython_blas, cython_lapack

import jax
import jax.numpy as jnp
from jax._src.runtime import ffi as handlers
from jax.experimental.layout import Layout
from jax.extend import core
from jax.extend.core import Primitive
from jax.interpreters import mlir
from tests.testing import refusals


@pytest.fixture(autouse=True, scope="module")
def lapack():
    handlers.install_lapack(cython_lapack.__pyx_capi__, cython_blas.__pyx_capi__)


def cholesky(matrix, **options):
    shape = matrix.shape
    call = jax.ffi.ffi_call(
        "lapack_spotrf_ffi",
        (
            jax.ShapeDtypeStruct(shape, jnp.float32),
            jax.ShapeDtypeStruct(shape[:-2], jnp.int32),
        ),
        **{"input_layouts": [(1, 0)], "output_layouts": [(1, 0), None], **options},
    )
    factor, info = call(matrix, uplo=np.uint8(ord("L")))
    return jnp.tril(factor), info


ROOT = np.tril(np.arange(1.0, 10.0, dtype=np.float32).reshape(3, 3))


def test_a_handler_is_called_alone_and_under_jit():
    for f in (cholesky, jax.jit(cholesky)):
        factor, info = f(jnp.asarray(ROOT @ ROOT.T))
        assert info == 0
        np.testing.assert_allclose(factor, ROOT, rtol=1e-5)


def test_an_operand_gives_its_memory():
    factor, _ = cholesky(jnp.asarray(ROOT @ ROOT.T), input_output_aliases={0: 0})
    np.testing.assert_allclose(factor, ROOT, rtol=1e-5)
    with pytest.raises(ValueError, match="Shape and dtype must be equal"):
        cholesky(jnp.asarray(ROOT), input_output_aliases={0: 1})
    with pytest.raises(ValueError, match="names what is not there"):
        cholesky(jnp.asarray(ROOT), input_output_aliases={1: 0})


@pytest.mark.parametrize("method", ["sequential", "sequential_unrolled"])
def test_rows_are_called_one_by_one(method):
    roots = jnp.stack([ROOT, 2 * ROOT, np.eye(3, dtype=np.float32)])
    stack = roots @ roots.transpose(0, 2, 1)
    factors, info = jax.vmap(lambda x: cholesky(x, vmap_method=method))(stack)
    assert not info.any()
    np.testing.assert_allclose(factors, roots, rtol=1e-5)


def test_rows_are_called_together_where_the_handler_takes_batches():
    roots = jnp.stack([ROOT, 2 * ROOT])
    stack = roots @ roots.transpose(0, 2, 1)

    def upper(x):
        # Row-major memory read by columns is the transpose, which is the same matrix.
        call = jax.ffi.ffi_call(
            "lapack_spotrf_ffi",
            (
                jax.ShapeDtypeStruct(x.shape, jnp.float32),
                jax.ShapeDtypeStruct((), jnp.int32),
            ),
            vmap_method="broadcast_all",
        )
        return jnp.tril(call(x, uplo=np.uint8(ord("U")))[0])

    np.testing.assert_allclose(jax.vmap(upper)(stack), roots, rtol=1e-5)


def test_a_lowering_rule_calls_a_column_major_routine():
    potrf_p = core.Primitive("potrf")
    potrf_p.multiple_results = True
    potrf_p.def_abstract_eval(
        lambda x: [x, jax.core.ShapedArray(x.shape[:-2], jnp.int32)]
    )
    rule = jax.ffi.ffi_lowering(
        "lapack_spotrf_ffi", operand_layouts=[(0, 1)], result_layouts=[(0, 1), ()]
    )
    jax.interpreters.mlir.register_lowering(
        potrf_p, lambda ctx, x: rule(ctx, x, uplo=np.uint8(ord("L")))
    )
    factor, info = jax.jit(potrf_p.bind)(jnp.asarray(ROOT @ ROOT.T))
    assert info == 0
    np.testing.assert_allclose(jnp.tril(factor), ROOT, rtol=1e-5)


def call_of(name="no_such_target", **options):
    return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct((2,), jnp.float32), **options)


test_misuse_is_refused = refusals.each(
    [
        (lambda: call_of()(jnp.ones(2)), jax.errors.JaxRuntimeError, "No FFI handler"),
        (
            lambda: jax.grad(lambda x: call_of()(x).sum())(jnp.ones(2)),
            ValueError,
            "cannot be diff",
        ),
        (
            lambda: jax.vmap(call_of())(jnp.ones((2, 2))),
            NotImplementedError,
            "vmap_method",
        ),
        (lambda: call_of(vmap_method="rows"), ValueError, "does not exist"),
        (lambda: call_of(custom_call_api_version=7), NotImplementedError, "typed FFI"),
        (lambda: call_of(input_layouts=[])(jnp.ones(2)), ValueError, "0 entries"),
        (
            lambda: call_of()(jnp.ones(2), x=object()),
            TypeError,
            "cannot be an attribute",
        ),
        (
            lambda: jax.ffi.ffi_lowering("x", colour=1),
            TypeError,
            "does not know colour",
        ),
    ]
)


@pytest.mark.parametrize(("name", "handler"), [("odd", object()), (3, None)])
def test_what_is_no_handler_is_refused_and_forgotten(name, handler):
    with pytest.raises(TypeError, match=r"no name and handler(?s:.*)pycapsule"):
        jax.ffi.register_ffi_target(name, handler)
    # It would be offered again with each handler to come, such as that of callbacks.
    assert not [key for key in handlers._handlers if key[1] == name]


def test_a_capsule_of_a_native_function():
    capsule = jax.ffi.pycapsule(ctypes.CDLL(None).printf)
    assert type(capsule).__name__ == "PyCapsule"


def layouts_in(text):
    (line,) = [line for line in text.splitlines() if "custom_call" in line]
    return [
        [int(n) for n in numbers.split(", ")]
        for numbers in re.findall(r"dense<\[([\d, ]+)\]> : tensor<\dxindex>", line)
    ]


@pytest.mark.parametrize(
    "layout, more, found",
    [
        ((1, 2, 0), {}, [1, 2, 0]),  # of custom calls: from minor to major
        (Layout((1, 2, 0)), {}, [0, 2, 1]),
        (None, {}, [2, 1, 0]),
        ((1, 2, 0), {"skip_ffi_layout_processing": True}, [2, 1, 0]),
    ],
)
def test_layouts_of_a_lowering_rule_are_those_of_custom_calls(layout, more, found):
    called_p = Primitive("with_layouts")
    called_p.multiple_results = True
    called_p.def_abstract_eval(lambda x: [x])
    rule = jax.ffi.ffi_lowering(
        "with_layouts", operand_layouts=[layout], result_layouts=[layout], **more
    )
    mlir.register_lowering(called_p, rule)
    text = jax.jit(called_p.bind).lower(jnp.ones((2, 3, 4))).as_text()
    assert layouts_in(text) == [found, found]


def test_layouts_of_a_call_are_from_major_to_minor():
    out = jax.ShapeDtypeStruct((2, 3, 4), jnp.float32)
    for layout in ((1, 2, 0), Layout((1, 2, 0))):
        call = jax.ffi.ffi_call(
            "with_layouts", out, input_layouts=[layout], output_layouts=layout
        )
        text = jax.jit(call).lower(jnp.ones((2, 3, 4))).as_text()
        assert layouts_in(text) == [[0, 2, 1]] * 2
