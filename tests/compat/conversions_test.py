"""Classes of values that libraries bring: arrays are made of them where programs run."""

import enum
import warnings

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src import literals
from jax.extend import core as extend_core
from jax.extend.core import primitives
from jax.interpreters import xla

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")


class Celsius:
    """A value of a library: neither an array nor something that NumPy knows."""

    def __init__(self, degrees):
        self.degrees = np.asarray(degrees)


class Kelvin(Celsius):
    """A subclass of a class with a conversion: it is converted like its base class."""


def as_array(value):
    return xla.canonicalize_dtype_handlers[np.ndarray](value.degrees)


def type_of(value):
    return jax.typeof(as_array(value))


@pytest.fixture(autouse=True, scope="module")
def registered():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        table = jax.core.pytype_aval_mappings
    table[Celsius] = type_of
    xla.canonicalize_dtype_handlers[Celsius] = as_array
    yield
    del table[Celsius]


@pytest.mark.parametrize("kind", [Celsius, Kelvin])
@pytest.mark.parametrize(
    "use",
    [
        lambda v: jax.jit(lambda x: x + 1)(v),
        lambda v: jax.lax.add(v, v) - as_array(v) + 1,
        lambda v: jax.device_put(v) + 1,
    ],
    ids=["jit", "operation", "device_put"],
)
def test_values_of_a_library_become_arrays(kind, use):
    found = use(kind([1.0, 2.0]))
    assert found.dtype == jnp.float32
    np.testing.assert_array_equal(found, [2.0, 3.0])


def test_values_of_a_library_are_differentiated():
    assert jax.grad(lambda x: jax.lax.mul(x, x))(Celsius(3.0)) == 6.0


def test_the_general_conversion_narrows_numpy_arrays():
    general = xla.canonicalize_dtype_handlers[np.ndarray]
    assert general(np.zeros(2)).dtype == np.float32
    assert general(np.zeros(2, np.int8)).dtype == np.int8


def test_without_a_conversion_a_value_is_refused():
    class Stranger:
        pass

    with pytest.raises(TypeError, match="not a valid JAX type"):
        jax.device_put(Stranger())


def test_a_closed_call_runs_its_program_under_transformations():
    closed = jax.make_jaxpr(lambda x, y: (x * y, x + y))(1.0, 1.0)

    def product(x):
        return primitives.closed_call_p.bind(x, 3.0, call_jaxpr=closed)[0]

    assert isinstance(primitives.closed_call_p, extend_core.Primitive)
    assert product(2.0) == 6.0
    assert jax.grad(product)(2.0) == 3.0
    np.testing.assert_array_equal(jax.vmap(product)(jnp.arange(3.0)), [0.0, 3.0, 6.0])


class Level(enum.IntEnum):
    HIGH = 3


class Meters(float):
    pass


class Phase(complex):
    pass


class Named(np.ndarray):
    pass


def mapped(tmp_path):
    made = np.memmap(tmp_path / "numbers", np.float32, "w+", shape=(2,))
    made[:] = [1.0, 2.0]
    return made


DERIVED = {
    "IntEnum": lambda _: (Level.HIGH, 3),
    "float": lambda _: (Meters(2.0), 2.0),
    "complex": lambda _: (Phase(2j), 2j),
    "memmap": lambda path: (mapped(path), np.float32([1.0, 2.0])),
    "recarray": lambda _: (np.rec.array(np.ones(2)), np.ones(2)),
    "ndarray": lambda _: (np.ones(2).view(Named), np.ones(2)),
}
USES = {
    "eager": lambda x: jax.lax.neg(x),
    "numpy": lambda x: jnp.ones(2) + x,
    "asarray": jnp.asarray,
    "jit": jax.jit(lambda x: x + 1),
    "closed over": lambda x: jax.jit(lambda y: y * x)(1.0),
    "ahead of time": lambda x: jax.jit(lambda x: x + 1).lower(x).compile()(x),
    "vmap": lambda x: jax.vmap(lambda y: y + x)(jnp.ones((3, 2))),
    "cond": lambda x: jax.lax.cond(True, lambda a: a, lambda a: a, x),
    "loop": lambda x: jax.lax.fori_loop(0, 2, lambda i, c: c + 1, x * 1),
    "device_put": jax.device_put,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", DERIVED)
def test_classes_derived_from_arrays_and_numbers_are_what_they_derive_from(
    kind, use, tmp_path
):
    derived, plain = DERIVED[kind](tmp_path)
    got, want = USES[use](derived), USES[use](plain)
    assert jax.typeof(got) == jax.typeof(want)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("use", [jnp.sin, jax.jit(jnp.sin), jax.typeof, jnp.asarray])
def test_masked_arrays_are_refused(use):
    with pytest.raises(ValueError, match=r"(?s)masked.*float32.*x\.filled"):
        use(np.ma.masked_array(np.float32([1.0, 2.0]), [False, True]))


def test_numpy_computes_with_typed_arrays_as_with_plain_ones():
    typed = literals.TypedNdArray(np.ones(3, np.float32))
    held, where = typed.val, literals.TypedNdArray(np.array([True, False, True]))
    np.add(typed, typed, out=typed, where=where)
    assert held.tolist() == [2.0, 1.0, 2.0]
    typed += 1
    assert type(typed) is np.ndarray and held.tolist() == [3.0, 2.0, 3.0]
