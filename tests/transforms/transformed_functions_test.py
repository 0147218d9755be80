"""What transformations return serves as an object: signatures, weak references, calls, trees."""

import inspect
import weakref

import numpy as np
import pytest

import jax
import jax.numpy as jnp


def f(x, y: int = 2, *, z=3):
    return x * y + z


WRAPPERS = [jax.jit, jax.custom_jvp, jax.custom_vjp, jax.vmap, jax.grad, jax.checkpoint]


@pytest.mark.parametrize("wrap", WRAPPERS, ids=lambda wrap: wrap.__name__)
def test_signatures_are_those_of_the_function(wrap):
    assert inspect.signature(wrap(f)) == inspect.signature(f)


@pytest.mark.parametrize("wrap", [jax.jit, jax.custom_jvp, jax.custom_vjp])
def test_full_argument_specifications_are_found(wrap):
    assert inspect.getfullargspec(wrap(f)).args == ["x", "y"]


class Identity:
    def __call__(self, x):
        return x


@pytest.mark.parametrize("function", [jnp.sin, jax.nn.relu, jax.jit(Identity())])
def test_compiled_functions_have_argument_specifications(function):
    assert "x" in inspect.getfullargspec(function).args


def test_compiled_functions_are_known_by_the_name_of_their_class():
    assert "PjitFunction" in str(type(jax.jit(f)))
    assert type(jax.jit(f)).__name__ == "PjitFunction"


def test_classes_have_the_signatures_of_their_constructors():
    assert "fun" in inspect.signature(jax.custom_jvp).parameters
    assert "fun" in inspect.signature(jax.custom_vjp).parameters


def results():
    traced = jax.jit(f).trace(1.0)
    lowered = traced.lower()
    yield from (traced, lowered, lowered.compile())
    yield jax.vjp(f, 1.0)[1]
    yield jax.linearize(f, 1.0)[1]
    yield jax.linear_transpose(lambda x: 2 * x, 1.0)


@pytest.mark.parametrize("result", list(results()), ids=lambda r: type(r).__name__)
def test_results_can_be_referred_to_weakly(result):
    assert weakref.ref(result)() is result


def test_a_traced_call_evaluates_its_program():
    traced = jax.jit(lambda x, y=2.0: x * y).trace(1.0, y=3.0)
    assert traced(2.0, y=4.0) == 8.0
    assert jax.jit(lambda a: traced(a, y=a))(3.0) == 9.0
    assert jax.grad(lambda a: traced(a, y=a))(3.0) == 6.0
    assert jax.vmap(lambda a: traced(a, y=a))(jnp.arange(3.0)).tolist() == [0, 1, 4]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((1.0,), "input pytree"),
        ((jnp.ones(2), 1.0), "Argument types differ"),
        ((1, 1.0), "int32"),
    ],
)
def test_a_traced_call_takes_the_types_that_it_was_traced_for(args, says):
    traced = jax.jit(lambda x, y: x * y).trace(1.0, 3.0)
    with pytest.raises(TypeError, match=says):
        traced(*args)


def test_linear_functions_are_trees_of_the_arrays_that_they_use():
    c = jnp.arange(3.0)
    functions = [
        jax.vjp(lambda x: x * c, c)[1],
        jax.linearize(lambda x: x * c, c)[1],
        jax.linear_transpose(lambda x: x * c, c),
    ]
    for function in functions:
        (leaf,) = jax.tree.leaves(function)
        assert leaf.tolist() == [0, 1, 2]
        (found,) = jax.tree.leaves(jax.jit(lambda g: g(c))(function))
        assert found.tolist() == [0, 1, 4]


@pytest.mark.parametrize(
    "function",
    [jnp.array, jnp.asarray, jnp.real, jnp.ravel, jnp.positive, jnp.conj, jnp.squeeze],
)
def test_arrays_of_numpy_that_come_back_are_arrays_of_ours(function):
    x = np.arange(6.0).reshape(2, 3)
    assert isinstance(jax.vmap(function)(x), jax.Array)
    for found in jax.jvp(function, (x,), (x,)):
        assert isinstance(found, jax.Array)
        assert found.dtype == jnp.float32
    assert jax.vmap(function)(x).dtype == jnp.float32


def test_tangents_of_integers_stay_of_no_type():
    zeros = np.zeros(3, jax.dtypes.float0)
    _, tangent = jax.jvp(jnp.positive, (np.arange(3),), (zeros,))
    assert tangent.dtype == jax.dtypes.float0


class Matrix:
    """A node that holds a matrix, and refuses anything else."""

    def __init__(self, values):
        if jnp.shape(values) != (2, 2):
            raise ValueError("no matrix")
        self.values = values


jax.tree_util.register_pytree_node(
    Matrix, lambda m: ((m.values,), None), lambda _, children: Matrix(*children)
)


def test_nodes_that_refuse_numbers_go_through_programs():
    matrix = Matrix(jnp.eye(2))
    double = lambda m: Matrix(2 * m.values)
    assert jax.jit(double)(matrix).values[0, 0] == 2
    assert jax.jit(double).lower(matrix).compile()(matrix).values[1, 1] == 2
    (device, *_) = jax.devices()
    sharding = jax.sharding.SingleDeviceSharding(device)
    assert jax.jit(double, out_shardings=sharding)(matrix).values[0, 0] == 2
    last, _ = jax.lax.scan(lambda m, x: (double(m), x), matrix, jnp.arange(3.0))
    assert last.values[0, 0] == 8
    picked = jax.lax.cond(True, double, lambda m: m, matrix)
    assert picked.values[0, 0] == 2
    slope = jax.grad(lambda m: jnp.sum(double(m).values))(matrix)
    np.testing.assert_array_equal(slope.values, np.full((2, 2), 2.0))
