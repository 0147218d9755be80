"""Wrapped functions, and the helpers that flatten calls."""

import contextlib

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import api_util
from jax.experimental import sparse
from jax.experimental.sparse import transform
from jax.extend import linear_util as lu

INFO = api_util.debug_info("test", lambda x, y: x, (1, 2), {})


def pair(x, y):
    return x, {"second": y}


def wrapped():
    return lu.wrap_init(pair, debug_info=INFO)


def test_a_wrapped_function_is_called_through_its_transformations():
    @lu.transformation2
    def twice(f, number, *args):
        return f(*args), f(*args), number

    out = twice(wrapped(), 3).call_wrapped(1, 2)
    assert out == ((1, {"second": 2}), (1, {"second": 2}), 3)


def test_the_older_form_is_a_generator():
    @lu.transformation
    def add_one(number, *args):
        out = yield [a + number for a in args], {}
        yield out, number

    assert add_one(wrapped(), 1).call_wrapped(1, 2) == ((2, {"second": 3}), 1)


def test_a_generator_ends_with_an_error_of_its_function():
    left = []

    @contextlib.contextmanager
    def block():
        try:
            yield
        finally:
            left.append("block")

    @lu.transformation
    def in_a_block(*args):
        with block():
            out = yield args, {}
        yield out

    def fails():
        raise ValueError("of the function")

    info = api_util.debug_info("test", fails, (), {})
    with pytest.raises(ValueError, match="of the function") as raised:
        in_a_block(lu.wrap_init(fails, debug_info=info)).call_wrapped()
    # The error's traceback holds the frames: they are not what ends the block.
    assert left == ["block"] and raised.tb is not None


def test_auxiliary_output_is_there_once_the_function_ran():
    @lu.transformation_with_aux2
    def keep(f, store, number, *args):
        store.store(number)
        return f(*args)

    fun, aux = keep(wrapped(), 8)
    with pytest.raises(lu.StoreException, match="empty"):
        aux()
    fun.call_wrapped(1, 2)
    assert aux() == 8
    with pytest.raises(lu.StoreException, match="occupied"):
        fun.call_wrapped(1, 2)


def test_equal_parts_make_equal_functions():
    @lu.transformation2
    def same(f, number, *args):
        return f(*args)

    assert same(wrapped(), 1) == same(wrapped(), 1)
    assert hash(same(wrapped(), 1)) == hash(same(wrapped(), 1))
    assert same(wrapped(), 1) != same(wrapped(), 2)


def test_cache_calls_once_and_fills_the_stores():
    calls = []

    @lu.cache
    def run(fun, number):
        calls.append(number)
        return fun.call_wrapped(number, number)

    for _ in range(2):
        flat, out_tree = api_util.flatten_fun_nokwargs(
            wrapped(), jax.tree.structure((1, 2))
        )
        assert run(flat, 5) == [5, 5]
        assert out_tree().num_leaves == 2
    assert calls == [5]


def test_a_cache_reports_whether_a_function_is_new():
    told = []
    run = lu.cache(
        lambda fun, number: fun.call_wrapped(number, number),
        explain=lambda fun, is_new, *rest: told.append(is_new),
    )
    for number in (5, 6, 5):
        run(wrapped(), number)
    assert told == [True, False]


def test_flatten_fun_takes_and_returns_leaves():
    leaves, tree = jax.tree.flatten(((1,), {"y": 2}))
    flat, out_tree = api_util.flatten_fun(wrapped(), tree)
    assert flat.call_wrapped(*leaves) == [1, 2]
    assert out_tree() == jax.tree.structure((0, {"second": 0}))


def test_argnums_partial_fixes_the_rest():
    fun, dynamic = api_util.argnums_partial(wrapped(), 1, (5, 6))
    assert dynamic == (6,)
    assert fun.call_wrapped(7) == (5, {"second": 7})
    with pytest.raises(ValueError, match="Non-hashable static"):
        api_util.argnums_partial(wrapped(), 1, ([5], 6))
    fun, _ = api_util.argnums_partial(
        wrapped(), 1, ([5], 6), require_static_args_hashable=False
    )
    assert fun.call_wrapped(7) == ([5], {"second": 7})


def test_positions_of_donated_arguments():
    tree = jax.tree.structure(((1, (2, 3)), {"k": 4}))
    assert api_util.donation_vector((1,), ("k",), tree) == (False, True, True, True)
    assert api_util.rebase_donate_argnums((3, 4), (0, 1)) == (1, 2)


def test_flatten_axes_spreads_a_prefix():
    tree = jax.tree.structure((1, (2, 3)))
    assert api_util.flatten_axes("in_axes", tree, (0, 1)) == [0, 1, 1]
    assert api_util.flatten_axes("in_axes", tree, (None, 1)) == [None, 1, 1]
    with pytest.raises(ValueError, match="in_axes must be a tree prefix"):
        api_util.flatten_axes("in_axes", tree, (0, 1, 2))


def test_parameters_are_keyword_arguments():
    def scaled(x, *, factor):
        return x * factor

    info = jax.api_util.debug_info("test", scaled, (1,), {"factor": 3})
    f = lu.wrap_init(scaled, {"factor": 3}, debug_info=info)
    assert f.call_wrapped(2) == 6
    assert f != lu.wrap_init(scaled, {"factor": 4}, debug_info=info)


def test_a_wrapped_function_of_sparse_arrays_is_run():
    matrix, vector = sparse.BCOO.fromdense(jnp.eye(3)), jnp.arange(3.0)

    def products(matrix, vector):
        return [matrix * 2, matrix @ vector]

    info = api_util.debug_info("test", products, (matrix, vector), {})
    for fun in (products, lu.wrap_init(products, debug_info=info)):
        doubled, product = transform.sparsify_fun(fun, [matrix, vector])
        np.testing.assert_array_equal(doubled.todense(), 2 * np.eye(3))
        np.testing.assert_array_equal(product, vector)
