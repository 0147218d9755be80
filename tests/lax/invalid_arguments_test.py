"""Invalid arguments of `jax.lax` raise the class that upstream raises, and say what too large to convert."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax

X = np.ones((2, 3), np.float32)
V = np.arange(4, dtype=np.float32)
INTS = np.arange(3, dtype=np.int32)
ROWS = np.ones((1, 3, 2), np.float32)


def solve(matvec, solver, transposed=None, **options):
    """A call of a linear solve with these functions."""
    return lambda: lax.custom_linear_solve(matvec, V, solver, transposed, **options)


def root_slope(step):
    """The derivative of a root, where this solves the linear equation."""
    root = lambda b: lax.custom_root(lambda x: x - b, b, lambda f, x: x, step)
    return lambda: jax.jvp(root, (V,), (V,))


def in_rows(collective, *args, **options):
    """A call of a collective operation on rows of rank 1."""
    call = jax.vmap(lambda x: collective(x, "i", *args, **options), axis_name="i")
    return lambda: call(np.ones((3, 3), np.float32))


SC = lax.ScatterDimensionNumbers((), (0,), (0,))
GA = lax.GatherDimensionNumbers((), (0,), (0,))


def convolved(padding):
    """A convolution with this padding."""
    return lax.conv_general_dilated(V[None, None], V[None, None], (1,), padding)


def same(x):
    return x


def solution(f, x):
    return x


def keys(*shape):
    """Random keys: what operations on numbers refuse."""
    return jax.random.split(jax.random.key(0), shape)


IMAGE = np.ones((1, 5, 5, 2), np.float32)
KERNEL = np.ones((2, 2, 2, 3), np.float32)


def enlarged(strides=(1, 1), padding="SAME", **options):
    """A transposed convolution with these parameters."""
    return lambda: lax.conv_transpose(IMAGE, KERNEL, strides, padding, **options)


# What is wrong: the call, and what the message starts with.
TYPE_ERRORS = {
    "a key selects": (lambda: lax.select_n(keys(), X, X), "lax.select_n"),
    "window from a row": (
        lambda: lax.reduce_window(X, V, lax.add, (2, 2)),
        "lax.reduce_window: reduce_window expected init_values to be scalars",
    ),
    "fold from a row": (
        lambda: lax.reduce(X, V, lax.add, (0,)),
        "lax.reduce: reduce expected init_values to be scalars",
    ),
    "few strides": (enlarged(strides=(1,)), "lax.conv_transpose: strides"),
    "few gaps": (enlarged(rhs_dilation=(1,)), "lax.conv_transpose: rhs_dilation"),
    "few pairs": (
        enlarged(padding=[(0, 0)], use_consistent_padding=True),
        "lax.conv_transpose: padding",
    ),
    "strides of a shape": (
        lambda: lax.conv_transpose_shape_tuple(
            (1, 2, 5), (3, 2, 2), (1, 1), "SAME", ("NCH", "OIH", "NCH")
        ),
        "lax.conv_transpose_shape_tuple: conv_transpose_shape_tuple window and window_strides",
    ),
    "no layouts": (
        lambda: lax.conv_general_permutations(("NCH", "OIH")),
        "Convolution: these are not layouts",
    ),
    "window of other rank": (
        lambda: lax.padtype_to_pads((5, 5, 5), (2, 2), 1, "SAME"),
        "A window does not fit",
    ),
    "product of letters": (
        lambda: lax.dot_general(X, X, "NCHW"),
        "lax.dot_general: these are not dimension numbers",
    ),
    "conv sums": (
        lambda: lax.conv(
            np.ones((1, 1, 5), np.float32),
            np.ones((1, 1, 2), np.float32),
            (1,),
            "SAME",
            preferred_element_type=np.float16,
        ),
        "lax.conv_general_dilated: preferred_element_type",
    ),
    "dot sums": (
        lambda: lax.dot(
            np.ones((2, 2), np.int32),
            np.ones((2, 2), np.int32),
            preferred_element_type=np.int16,
        ),
        "lax.dot_general: preferred_element_type",
    ),
    **{
        f"conj {dtype}": (lambda d=dtype: lax.conj(jnp.ones(2, d)), "lax.conj")
        for dtype in ("bfloat16", "float16", "float8_e4m3fn", "int32", "bool")
    },
    **{
        f"random_gamma_grad {dtype}": (
            lambda d=dtype: lax.random_gamma_grad(jnp.ones(2, d), jnp.ones(2, d)),
            "lax.random_gamma_grad",
        )
        for dtype in ("int32", "uint8", "bool", "complex64")
    },
    "random_gamma_grad mixed": (
        lambda: lax.random_gamma_grad(np.float32(1), np.int32(2)),
        "lax.random_gamma_grad",
    ),
    "dot keys": (lambda: lax.dot(keys(2, 2), keys(2, 2)), "lax.dot_general"),
    "batch_matmul keys": (
        lambda: lax.batch_matmul(keys(2, 2), keys(2, 2)),
        "lax.dot_general",
    ),
    "conv keys": (
        lambda: lax.conv(keys(1, 1, 2, 2), keys(1, 1, 2, 2), (1, 1), "SAME"),
        "lax.conv_general_dilated",
    ),
    "rng_uniform keys": (
        lambda: lax.rng_uniform(keys(1)[0], keys(1)[0], (2,)),
        "lax.rng_uniform",
    ),
    "rng_uniform complex": (
        lambda: lax.rng_uniform(np.complex64(0), np.complex64(1), (2,)),
        "lax.rng_uniform",
    ),
    "ragged_dot numbers": (
        lambda: lax.ragged_dot(1.0, 1.0, INTS),
        "lax.ragged_dot_general",
    ),
    "ragged_dot lhs": (
        lambda: lax.ragged_dot(np.float32(1), ROWS, INTS[:1]),
        "lax.ragged_dot_general",
    ),
    "ragged_dot rhs": (
        lambda: lax.ragged_dot(X, np.float32(1), INTS[:1]),
        "lax.ragged_dot_general",
    ),
    "ragged_dot one size": (
        lambda: lax.ragged_dot(X, ROWS, np.int32(2)),
        "lax.ragged_dot_general",
    ),
    "ragged_dot keys": (
        lambda: lax.ragged_dot(X, ROWS, keys(1)),
        "lax.ragged_dot_general",
    ),
    "shape_as_value fraction": (
        lambda: lax.shape_as_value((1.5,)),
        "lax.shape_as_value",
    ),
    "shape_as_value text": (lambda: lax.shape_as_value(("a",)), "lax.shape_as_value"),
    "random_gamma_grad one": (
        lambda: lax.random_gamma_grad(V),
        "lax.random_gamma_grad",
    ),
    "random_gamma_grad three": (
        lambda: lax.random_gamma_grad(V, V, V),
        "lax.random_gamma_grad",
    ),
    "matvec tree": (solve(lambda x: (x,), solution), "lax.custom_linear_solve"),
    "solve tree": (solve(same, lambda f, x: (x,)), "lax.custom_linear_solve"),
    "transpose_solve tree": (
        solve(same, solution, lambda f, x: [x]),
        "lax.custom_linear_solve",
    ),
    "root tree": (
        lambda: lax.custom_root(same, V, lambda f, x: [x], solution),
        "lax.custom_root",
    ),
    "tangent_solve tree": (root_slope(lambda f, x: [x]), "lax.custom_root"),
    "dot_general axes": (
        lambda: lax.dot_general(X, X, (((5,), (0,)), ((), ()))),
        "lax.dot_general",
    ),
    "dot_general dup": (
        lambda: lax.dot_general(X, X, (((0, 0), (0, 0)), ((), ()))),
        "lax.dot_general",
    ),
    "add shapes": (lambda: lax.add(X, V), "lax.add"),
    "add dtypes": (lambda: lax.add(X, X.astype(np.int32)), "lax.add"),
    "sin int": (lambda: lax.sin(INTS), "lax.sin"),
    "reshape neg": (lambda: lax.reshape(X, (-1,)), "lax.reshape"),
    "transpose perm": (lambda: lax.transpose(X, (0, 0)), "lax.transpose"),
    "broadcast_in_dim": (
        lambda: lax.broadcast_in_dim(X, (2, 4), (0, 1)),
        "lax.broadcast_in_dim",
    ),
    "concatenate ranks": (lambda: lax.concatenate([X, V], 0), "lax.concatenate"),
    "concatenate axis": (lambda: lax.concatenate([X, X], 5), "lax.concatenate"),
    "slice limits": (lambda: lax.slice(X, (0, 0), (3, 3)), "lax.slice"),
    "slice order": (lambda: lax.slice(X, (1, 2), (0, 3)), "lax.slice"),
    "slice stride": (lambda: lax.slice(X, (0, 0), (2, 3), (0, 1)), "lax.slice"),
    "dynamic_slice size": (
        lambda: lax.dynamic_slice(X, (0, 0), (3, 3)),
        "lax.dynamic_slice",
    ),
    "dynamic_update_slice size": (
        lambda: lax.dynamic_update_slice(V, np.ones(9, np.float32), (0,)),
        "lax.dynamic_update_slice",
    ),
    "pad dtype": (lambda: lax.pad(X, np.int32(0), [(1, 1, 0)] * 2), "lax.pad"),
    "rev dup": (lambda: lax.rev(X, (0, 0)), "lax.rev"),
    "select shapes": (lambda: lax.select(X > 0, X, V), "lax.select_n"),
    "select pred": (lambda: lax.select(X, X, X), "lax.select_n"),
    "sort shapes": (lambda: lax.sort((X, V), num_keys=1), "lax.sort"),
    "argmax dtype": (lambda: lax.argmax(X, 0, np.float32), "lax.argmax"),
    "reduce_window rank": (
        lambda: lax.reduce_window(X, np.float32(0), lax.add, (2,), (1,), "VALID"),
        "lax.reduce_window",
    ),
    "conv padding": (
        lambda: lax.conv_general_dilated(
            np.ones((1, 1, 5), np.float32),
            np.ones((1, 1, 2), np.float32),
            (1,),
            [(1, 1), (1, 1)],
        ),
        "lax.conv_general_dilated",
    ),
    "conv dtypes": (
        lambda: lax.conv(
            np.ones((1, 1, 5), np.float32), np.ones((1, 1, 2), np.int32), (1,), "SAME"
        ),
        "lax.conv_general_dilated",
    ),
    "gather slices": (lambda: lax.gather(V, INTS[:, None], GA, (9,)), "lax.gather"),
    "gather numbers": (lambda: lax.gather(X, INTS[:, None], GA, (1, 1)), "lax.gather"),
    "scatter dtypes": (
        lambda: lax.scatter_add(V, INTS[:, None], INTS.astype(np.int32), SC),
        "lax.scatter_add",
    ),
    "scatter shapes": (
        lambda: lax.scatter_add(V, INTS[:, None], V, SC),
        "lax.scatter_add",
    ),
    "iota dtype": (lambda: lax.iota(np.bool_, 3), "lax.iota"),
    "iota neg": (lambda: lax.iota(np.int32, -3), "lax.broadcasted_iota"),
    "full neg": (lambda: lax.full((-1,), 0.0), "lax.full"),
    "clamp dtypes": (lambda: lax.clamp(0, X, 1.0), "lax.clamp"),
    "clamp shapes": (lambda: lax.clamp(V, X, V), "lax.clamp"),
    "while cond": (
        lambda: lax.while_loop(lambda c: c, lambda c: c + 1, 0),
        "lax.while_loop",
    ),
    "cond pred": (lambda: lax.cond(V, lambda: 1, lambda: 2), "lax.cond"),
    "cond branches": (lambda: lax.cond(True, lambda: 1, lambda: 2.0), "lax.cond"),
    "switch index": (lambda: lax.switch(0.5, [lambda: 1, lambda: 2]), "lax.switch"),
    "fori bounds": (lambda: lax.fori_loop(0, 2.5, lambda i, c: c, 0), "lax.fori_loop"),
    "cholesky": (lambda: lax.linalg.cholesky(X), "lax.linalg.cholesky"),
    "rng bits": (
        lambda: lax.rng_bit_generator(np.zeros(3, np.uint32), (2,)),
        "lax.rng_bit_generator",
    ),
    "shift float": (lambda: lax.shift_left(V, V), "lax.shift_left"),
    "nextafter int": (lambda: lax.nextafter(INTS, INTS), "lax.nextafter"),
    "population_count": (lambda: lax.population_count(V), "lax.population_count"),
    "complex": (lambda: lax.complex(INTS, INTS), "lax.complex"),
    "real": (lambda: lax.real(V), "lax.real"),
    "not": (lambda: lax.bitwise_not(V), "lax.not"),
}

INDEX_ERRORS = {
    "index_take scalar": (
        lambda: lax.index_take(np.float32(1), (INTS,), (0,)),
        "lax.index_take",
    ),
    "index_take axis": (lambda: lax.index_take(V, (INTS,), (5,)), "lax.index_take"),
}

VALUE_ERRORS = {
    "window from nothing": (
        lambda: lax.reduce_window(X, None, lax.add, (2, 2)),
        "lax.reduce_window: Operands must have the same tree structure as init_values",
    ),
    "window over nothing": (
        lambda: lax.reduce_window(None, None, lax.add, (2, 2)),
        "lax.reduce_window: Operands must have the same tree structure as init_values",
    ),
    "few gaps of a kernel": (
        lambda: lax.conv_general_dilated(ROWS, ROWS, (1,), "SAME", rhs_dilation=(1, 1)),
        "lax.conv_general_dilated: rhs_dilation",
    ),
    "dot_general of misfits": (lambda: lax.dot_general(X, X, None), "lax.dot"),
    "iota without dtype": (lambda: lax.iota(None, 3), "lax.iota"),
    "bitcast to nothing": (
        lambda: lax.bitcast_convert_type(V, None),
        "lax.bitcast_convert_type",
    ),
    "index_take axes": (
        lambda: lax.index_take(X, (INTS, INTS), (0,)),
        "lax.index_take",
    ),
    "approx_max_k more": (
        lambda: jax.eval_shape(lambda x: lax.approx_max_k(x, 10), V),
        "lax.approx_max_k",
    ),
    "approx_min_k none": (lambda: lax.approx_min_k(V, 0), "lax.approx_max_k, "),
    "conv padding number": (lambda: convolved(3), "lax.conv_general_dilated"),
    "conv padding numbers": (lambda: convolved((1,)), "lax.conv_general_dilated"),
    "conv padding triple": (lambda: convolved([(1, 2, 3)]), "lax.conv_general_dilated"),
    "all_gather axis": (in_rows(lax.all_gather, axis=2), "lax.all_gather"),
    "all_gather tiled": (
        in_rows(lax.all_gather, axis=1, tiled=True),
        "lax.all_gather",
    ),
    "all_to_all split": (in_rows(lax.all_to_all, 1, 0), "lax.all_to_all"),
    "all_to_all concat": (in_rows(lax.all_to_all, 0, 3), "lax.all_to_all"),
    "all_to_all scalar": (
        lambda: jax.vmap(lambda x: lax.all_to_all(x, "i", 0, 0), axis_name="i")(V),
        "lax.all_to_all",
    ),
    "psum_scatter axis": (
        in_rows(lax.psum_scatter, scatter_dimension=1),
        "lax.psum_scatter",
    ),
    "matvec shape": (solve(lambda x: x[:1], solution), "lax.custom_linear_solve"),
    "solve shape": (solve(same, lambda f, x: x[:1]), "lax.custom_linear_solve"),
    "transpose_solve shape": (
        solve(same, solution, lambda f, x: x[:1]),
        "lax.custom_linear_solve",
    ),
    "solve without aux": (
        solve(same, solution, has_aux=True),
        "lax.custom_linear_solve",
    ),
    "transpose_solve without aux": (
        solve(same, lambda f, x: (x, 0), solution, has_aux=True),
        "lax.custom_linear_solve",
    ),
    "root without aux": (
        lambda: lax.custom_root(same, V, solution, solution, has_aux=True),
        "lax.custom_root",
    ),
    "tangent_solve shape": (root_slope(lambda f, x: x[:1]), "lax.custom_root"),
    "conv stride": (
        lambda: lax.conv(X[None], X[None], (0,), "SAME"),
        "A window does not move",
    ),
    "dot sizes": (lambda: lax.dot(X, X), "lax.dot"),
    "reshape size": (lambda: lax.reshape(X, (5,)), "lax.reshape"),
    "concatenate none": (lambda: lax.concatenate([], 0), "lax.concatenate"),
    "dynamic_slice rank": (
        lambda: lax.dynamic_slice(X, (0,), (1, 1)),
        "lax.dynamic_slice",
    ),
    "pad rank": (lambda: lax.pad(X, np.float32(0), [(1, 1, 0)]), "lax.pad"),
    "pad interior": (lambda: lax.pad(X, np.float32(0), [(1, 1, -1)] * 2), "lax.pad"),
    "squeeze": (lambda: lax.squeeze(X, (0,)), "lax.squeeze"),
    "sort axis": (lambda: lax.sort(X, dimension=3), "lax.sort"),
    "sort num_keys": (lambda: lax.sort((V, V), num_keys=3), "lax.sort"),
    "top_k size": (lambda: lax.top_k(V, 9), "lax.top_k"),
    "top_k neg": (lambda: lax.top_k(V, -1), "lax.top_k"),
    "top_k scalar": (lambda: lax.top_k(np.float32(1), 1), "lax.top_k"),
    "cumsum axis": (lambda: lax.cumsum(X, axis=2), "lax.cumsum"),
    "argmax axis": (lambda: lax.argmax(X, 4, np.int32), "lax.argmax"),
    "reduce dims": (
        lambda: lax.reduce(X, np.float32(0), lax.add, (0, 0)),
        "lax.reduce_sum",
    ),
    "reduce_sum axes": (lambda: lax.reduce_sum(X, (4,)), "lax.reduce_sum"),
    "conv ranks": (lambda: lax.conv(X, X, (1,), "SAME"), "lax.conv_general_dilated"),
    "conv named padding": (
        lambda: lax.conv_general_dilated(
            np.ones((1, 1, 5), np.float32),
            np.ones((1, 1, 2), np.float32),
            (1,),
            "VALID",
            lhs_dilation=(2,),
        ),
        "lax.conv_general_dilated: String padding is not implemented",
    ),
    "conv features": (
        lambda: lax.conv(
            np.ones((1, 2, 5), np.float32), np.ones((1, 3, 2), np.float32), (1,), "SAME"
        ),
        "lax.conv_general_dilated",
    ),
    "conv groups": (
        lambda: lax.conv_general_dilated(
            np.ones((1, 4, 5), np.float32),
            np.ones((3, 2, 2), np.float32),
            (1,),
            "SAME",
            feature_group_count=2,
        ),
        "lax.conv_general_dilated",
    ),
    "gather float indices": (lambda: lax.gather(V, V[:, None], GA, (1,)), "lax.gather"),
    "expand dup": (lambda: lax.expand_dims(X, (0, 0)), "lax.expand_dims"),
    "fft": (lambda: lax.fft(X, "RFFT", (9,)), "lax.fft"),
    "fft complex": (lambda: lax.fft(X.astype(np.complex64), "RFFT", (3,)), "lax.fft"),
    "scan lengths": (lambda: lax.scan(lambda c, x: (c, x), 0, (X, V)), "lax.scan"),
    "scan none": (lambda: lax.scan(lambda c, x: (c, x), 0, None), "lax.scan"),
    "switch none": (lambda: lax.switch(0, []), "lax.switch"),
    "map scalar": (lambda: lax.map(lambda x: x, 1.0), "lax.scan"),
    "assoc scan lengths": (
        lambda: lax.associative_scan(lambda a, b: a, (X, V)),
        "lax.associative_scan",
    ),
    "triangular_solve": (
        lambda: lax.linalg.triangular_solve(np.eye(2, dtype=np.float32), V[:, None]),
        "lax.linalg.triangular_solve",
    ),
    "split": (lambda: lax.split(V, (1, 2)), "lax.split"),
    "reduce_precision": (
        lambda: lax.reduce_precision(V, -1, 3),
        "lax.reduce_precision",
    ),
}


def check(call, kind, name):
    with pytest.raises(kind, match=rf"^{re.escape(name)}\b") as caught:
        call()
    assert type(caught.value) is kind
    # Facts: a type, a number or a name in quotes, or that nothing was given.
    assert re.search(r"\d|\[|'|\bno\b", str(caught.value)), caught.value
    with pytest.raises(kind):
        jax.jit(call)()


@pytest.mark.parametrize("name", TYPE_ERRORS)
def test_misfits_of_types_are_type_errors(name):
    check(TYPE_ERRORS[name][0], TypeError, TYPE_ERRORS[name][1])


@pytest.mark.parametrize("name", VALUE_ERRORS)
def test_values_that_cannot_be_are_value_errors(name):
    check(VALUE_ERRORS[name][0], ValueError, VALUE_ERRORS[name][1])


@pytest.mark.parametrize("name", INDEX_ERRORS)
def test_axes_out_of_bounds_are_index_errors(name):
    check(INDEX_ERRORS[name][0], IndexError, INDEX_ERRORS[name][1])


BIG = 2**40
OVERFLOWS = {
    "binary": lambda: lax.add(X, BIG),
    "unary": lambda: lax.sin(BIG),
    "reduction": lambda: lax.reduce_sum(BIG, (0,)),
    "joined": lambda: lax.concatenate([X, BIG], 0),
    "selected": lambda: lax.select_n(np.ones((2, 3), bool), X, BIG),
    "its type": lambda: jax.typeof(BIG),
    "an abstract call": lambda: jax.eval_shape(lambda x: x, BIG),
    "a program": lambda: jax.make_jaxpr(jnp.sin)(-BIG),
}


@pytest.mark.parametrize("name", OVERFLOWS)
def test_python_integers_too_large_for_their_dtype_overflow(name):
    with pytest.raises(
        OverflowError, match="Python int -?1099511627776 too large to convert"
    ):
        OVERFLOWS[name]()


def test_python_integers_of_any_size_become_floats_where_one_is_requested():
    assert lax.convert_element_type(BIG, "float32") == np.float32(BIG)
    assert lax.convert_element_type(2**70, "float32") == np.float32(2**70)
    assert lax.full_like(X, BIG)[0, 0] == np.float32(BIG)
    with jax.enable_x64(True):
        assert jax.typeof(BIG).dtype == np.int64


def test_products_without_dimension_numbers_are_those_of_vectors_and_matrices():
    assert lax.dot_general(X.T, X, None).shape == (3, 3)
    assert lax.dot_general(X, X, ((1, 1), ((), ()))).shape == (2, 2)


def test_one_number_stands_for_all_axes_of_a_window():
    assert lax.padtype_to_pads(5, np.array([2, 3]), 1, "SAME") == [(0, 1), (1, 1)]
    pads = lax.padtype_to_pads(np.array([5, 5]), (2, 2), 1, "SAME")
    assert {type(side) for pair in pads for side in pair} == {int}


def test_a_number_is_a_shape_of_random_bits():
    state = np.arange(4, dtype=np.uint32)
    assert lax.rng_bit_generator(state, 3)[1].shape == (3,)
