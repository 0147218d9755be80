"""Shardings that programs get from blocks, groups and formats, and what is refused of them."""

import pickle

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.jit.pjit import pjit
from jax.experimental.layout import Format, Layout
from jax.experimental.shard_alike import shard_alike
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

AUTO = (AxisType.Auto,) * 2
MESH = jax.make_mesh((4, 2), ("x", "y"), axis_types=AUTO)
ROWS = NamedSharding(MESH, P("x"))


MADE = {
    "zeros": lambda x: jnp.zeros(x.shape),
    "numbers": lambda x: jnp.arange(x.size, dtype="f4").reshape(x.shape),
    "random": lambda x: jax.random.uniform(jax.random.key(0), x.shape),
    "computed": lambda x: jnp.ones(x.shape) * 3 + 1,
}


@pytest.mark.parametrize("made", MADE)
def test_what_is_made_in_a_program_is_sharded_like_its_partner(made):
    """Also where it is used more than once, and through a chain of partners."""

    @jax.jit
    def program(x):
        y = MADE[made](x)
        z = MADE[made](x) * 2
        y1, z1 = shard_alike(y, z)
        x1, z2 = shard_alike(x, z1)
        return y, z, y1, z1, z2, x1

    x = jax.device_put(np.ones((8, 2), "f4"), ROWS)
    outs = program(x)
    for out in outs:
        assert out.sharding.is_equivalent_to(ROWS, 2)
    np.testing.assert_array_equal(outs[0], MADE[made](x))


OF_PJIT = {
    "a constant": (lambda: 1, (), P()),
    "an array of NumPy's": (lambda x: x * 2, (np.ones(8),), P()),
    "a value of one device": (lambda x: x, (jnp.ones(8),), P()),
    "a constraint": (
        lambda x: lax.with_sharding_constraint(x, P("x")),
        (np.ones(8),),
        P("x"),
    ),
}


@pytest.mark.parametrize("case", OF_PJIT)
@pytest.mark.filterwarnings("ignore:`with mesh.*:DeprecationWarning")
def test_pjit_runs_on_the_mesh_of_a_block(case):
    fun, args, spec = OF_PJIT[case]
    jitted = pjit(fun)
    with MESH:
        out = jitted(*args)
        compiled = jitted.lower(*args).compile()
    assert out.sharding.is_equivalent_to(NamedSharding(MESH, spec), out.ndim)
    assert isinstance(compiled.output_shardings, NamedSharding)
    if case != "a constraint":  # which needs the block
        assert jitted(*args).sharding.num_devices == 1


def negated(x):
    return -x


def test_pjit_makes_methods_and_pickles():
    class Model:
        @pjit
        def double(self_and_x):  # noqa: N805
            return self_and_x * 2

    assert Model.double(3.0) == 6
    assert pickle.loads(pickle.dumps(pjit(negated)))(3.0) == -3


@pytest.mark.parametrize("given", ["in", "out"])
def test_of_a_donated_argument_and_its_result_both_layouts_are_chosen(given):
    both = {"in_shardings": Format(Layout.AUTO), "out_shardings": Format(Layout.AUTO)}
    x = jax.ShapeDtypeStruct((8, 8), "f4")
    jax.jit(lambda x: x.T, donate_argnums=0, **both).lower(x).compile()
    one = {f"{given}_shardings": both[f"{given}_shardings"]}
    jax.jit(lambda x: x[0], donate_argnums=0, **one)  # The result is no such array.
    jax.jit(lambda x: x.T, **one).lower(x).compile()
    other = {"in": "output", "out": "input"}[given]
    with pytest.raises(
        ValueError, match=rf"Did you mean to set the \*\*{other} layout"
    ):
        jax.jit(lambda x: x.T, donate_argnums=0, **one).lower(x)


def test_meshes_without_devices_know_the_kinds_of_memory():
    mesh = MESH.abstract_mesh
    for kind in (None, "device", "pinned_host", "unpinned_host"):
        assert NamedSharding(mesh, P("x"), memory_kind=kind).memory_kind == kind
    with pytest.raises(ValueError, match="Got invalid memory kind: attic"):
        NamedSharding(mesh, P("x"), memory_kind="attic")


REFUSED = {
    "an axis that the mesh lacks": (
        lambda: NamedSharding(MESH, P("z")),
        ValueError,
        r"Resource axis: z of P\('z',\) is not found in mesh: \('x', 'y'\)",
    ),
    "no spec": (lambda: NamedSharding(MESH, None), TypeError, "Unexpected None"),
    "no mesh of a sharding": (
        lambda: NamedSharding(None, P("x")),
        TypeError,
        "Unexpected None",
    ),
    "two ways to say where": (
        lambda: jax.jit(lambda x: x, device=jax.devices()[0], backend="cpu"),
        ValueError,
        "can't specify both a device and a backend",
    ),
    "a platform and shardings": (
        lambda: jax.jit(lambda x: x, backend="cpu", in_shardings=ROWS),
        ValueError,
        "backend or device is specified on jit, then in_shardings should not be",
    ),
    "a device and shardings": (
        lambda: jax.jit(lambda x: x, device=jax.devices()[0], out_shardings=ROWS),
        ValueError,
        "backend or device is specified on jit, then out_shardings should not be",
    ),
    "a traced part": (
        lambda: jax.jit(
            lambda a: jax.make_array_from_single_device_arrays((8,), ROWS, [a] * 8)
        )(np.ones(2)),
        ValueError,
        "requires a list of concrete arrays as input, but got types",
    ),
    "no mesh": (
        lambda: jax.shard_map(lambda x: x, in_specs=P("x"), out_specs=P("x"))(1.0),
        ValueError,
        "The context mesh cannot be empty",
    ),
    "axes that may differ": (
        lambda: jax.shard_map(
            lambda x: x, mesh=MESH, in_specs=P("x", "y"), out_specs=P("x")
        )(np.ones((8, 8))),
        ValueError,
        r"out_specs is P\('x',\) which implies that the corresponding output value is "
        r"only varying across mesh axes \{x\} and not \{y\}, but it was inferred to be "
        r"possibly varying over \{x,y\}",
    ),
    "out_axes of another structure": (
        lambda: jax.pmap(lambda x: (x, x), out_axes=(0, 0, 0))(np.ones(8)),
        ValueError,
        "pytree structure error: different lengths of tuple at key path",
    ),
    "in_axes for keywords": (
        lambda: jax.pmap(lambda x, y: x, in_axes=((0, 0), 0))((np.ones(8),), y=1.0),
        ValueError,
        "each argument passed by keyword is mapped",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.filterwarnings("ignore:backend and device:DeprecationWarning")
def test_what_does_not_fit_is_refused(case):
    run, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message):
        run()


def test_a_value_that_was_read_is_kept():
    x = jax.device_put(np.arange(16.0).reshape(8, 2), NamedSharding(MESH, P("x", "y")))
    assert x._npy_value is None
    value = np.asarray(x)
    np.testing.assert_array_equal(x._npy_value, value)
    assert [part.shape for part in x._arrays] == [(2, 1)] * 8
