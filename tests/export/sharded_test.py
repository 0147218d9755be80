"""Exported programs over eight devices: what they say of meshes, and where they run."""

import pathlib
import zipfile

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec as P
from tests.export import sharded_cases

DATA = pathlib.Path(__file__).parent / "data" / "sharded.zip"
GRID = np.array(jax.devices()).reshape(4, 2)
MESH = Mesh(GRID, ("x", "y"))
EXPLICIT = jax.make_mesh((4, 2), ("x", "y"))
CASES = sharded_cases.all_cases(jax, MESH, EXPLICIT)
X = np.arange(8, dtype=np.float32)


def mesh_of(name):
    return EXPLICIT if name == "explicit" else MESH


def exported(name):
    function, types = CASES[name]
    with jax.set_mesh(mesh_of(name)):
        return export.export(function)(*types)


def upstreams(name):
    with zipfile.ZipFile(DATA) as file:
        return export.deserialize(file.read(f"{name}.bin"))


def again(program):
    return export.deserialize(program.serialize(vjp_order=1))


def on(*entries, mesh=MESH):
    return NamedSharding(mesh, P(*entries))


def twice(**options):
    return export.export(jax.jit(lambda x: x * 2, **options))(X)


@pytest.mark.parametrize("make", [exported, upstreams, lambda n: again(exported(n))])
@pytest.mark.parametrize("name", CASES)
def test_programs_of_both_sides_compute_the_same_and_are_sharded_alike(name, make):
    program = make(name)
    assert program.nr_devices == 8
    mesh, function = mesh_of(name), CASES[name][0]
    args = sharded_cases.arrays(program.in_avals)
    with jax.set_mesh(mesh):
        shardings = program.in_shardings_jax(mesh)
        args = [
            jax.device_put(x, s or on(mesh=mesh))
            for x, s in zip(args, shardings, strict=True)
        ]
        outs = jax.jit(program.call)(*args)
        if (
            name == "unused"
        ):  # of the argument that counts the program knows no sharding
            function = jax.jit(function.__wrapped__)
        wanted = function(*args)
        for out, want in zip(
            jax.tree.leaves(outs), jax.tree.leaves(wanted), strict=True
        ):
            np.testing.assert_allclose(out, want, rtol=1e-5)
            assert out.sharding.is_equivalent_to(want.sharding, out.ndim)
            assert jax.typeof(out) == jax.typeof(want)


@pytest.mark.parametrize("make", [exported, upstreams])
@pytest.mark.parametrize("name", [name for name in CASES if name != "explicit"])
def test_derivatives_run_on_the_same_devices(name, make):
    program = make(name)
    args = [jax.device_put(x, on()) for x in sharded_cases.arrays(program.in_avals)]
    assert program.vjp().nr_devices == 8

    def loss(function):
        return lambda *xs: sum(y.sum() for y in jax.tree.leaves(function(*xs)))

    numbers = tuple(range(len(args)))
    found = jax.grad(loss(program.call), numbers)(*args)
    wanted = jax.grad(loss(CASES[name][0]), numbers)(*args)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)
        assert one.sharding.num_devices == 8


@pytest.mark.parametrize("name", CASES)
def test_both_sides_say_the_same_of_meshes(name):
    ours, theirs = exported(name), upstreams(name)
    for what in ("in_shardings_jax", "out_shardings_jax"):
        for mesh in (None, mesh_of(name)):
            assert getattr(ours, what)(mesh) == getattr(theirs, what)(mesh)
            assert getattr(again(ours), what)(mesh) == getattr(ours, what)(mesh)
    assert list(map(str, ours.in_avals)) == list(map(str, theirs.in_avals))
    assert list(map(str, ours.out_avals)) == list(map(str, theirs.out_avals))


@pytest.mark.parametrize("name", ["other names", "other sizes", "other types"])
def test_placements_are_named_on_meshes_of_the_same_axes(name):
    program = twice(in_shardings=on("x"))
    backwards = Mesh(GRID[::-1, ::-1], ("x", "y"))
    assert program.in_shardings_jax(backwards) == (on("x", mesh=backwards),)
    abstract = AbstractMesh((4, 2), ("x", "y"))
    (found,) = program.in_shardings_jax(abstract)
    assert (found.mesh, found.spec) == (abstract, P("x"))
    other = {
        "other names": Mesh(GRID, ("a", "b")),
        "other sizes": Mesh(GRID.reshape(2, 4), ("x", "y")),
        "other types": EXPLICIT,
    }[name]
    with pytest.raises(ValueError, match="match the mesh used for export") as error:
        program.in_shardings_jax(other)
    assert str(other) in str(error.value)
    assert "jax.make_mesh((4, 2), ('x', 'y')" in str(error.value)


@pytest.mark.parametrize(
    "mesh",
    [MESH, Mesh(GRID[::-1], ("x", "y")), Mesh(GRID.ravel(), ("z",))],
    ids=["same", "permuted", "line"],
)
def test_a_program_runs_on_any_mesh_of_as_many_devices(mesh):
    x = jax.device_put(X, on(mesh=mesh))
    out = twice(in_shardings=on("x"), out_shardings=on("x")).call(x)
    np.testing.assert_array_equal(out, 2 * X)
    assert out.sharding.device_set == set(mesh.devices.flat)
    assert out.addressable_shards[0].data.shape == (2,)


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.grad])
def test_a_program_for_eight_devices_is_refused_on_fewer(count, wrap):
    program = twice(in_shardings=on("x"))
    x = jax.device_put(X, on(mesh=Mesh(GRID.ravel()[:count], ("z",))))
    call = wrap(lambda x: program.call(x).sum())
    message = rf"8 devices and is called in a context with {count} devices"
    with pytest.raises(ValueError, match=message) as error:
        call(x)
    assert "in_shardings_jax(mesh)" in str(error.value)


def test_a_program_for_eight_devices_is_refused_in_shard_map():
    program = twice(in_shardings=on("x"))
    inside = jax.shard_map(program.call, mesh=MESH, in_specs=P(), out_specs=P())
    with pytest.raises(ValueError, match="8 devices and is called in shard_map"):
        inside(X)


@pytest.mark.parametrize("sharding", [None, on("x", mesh=Mesh(GRID[:1, 0], ("x",)))])
def test_a_program_for_one_device_runs_on_eight(sharding):
    program = twice() if sharding is None else twice(in_shardings=sharding)
    assert program.nr_devices == 1
    out = again(program).call(jax.device_put(X, on("x")))
    np.testing.assert_array_equal(out, 2 * X)
    assert out.sharding.num_devices == 8
    parts = jax.shard_map(twice().call, mesh=MESH, in_specs=P(), out_specs=P())
    np.testing.assert_array_equal(parts(X), 2 * X)


def test_a_mesh_without_devices_says_how_many():
    abstract = AbstractMesh((4, 2), ("x", "y"))
    function = jax.shard_map(
        lambda x: jax.lax.psum(x, "x"), mesh=abstract, in_specs=P("x"), out_specs=P()
    )
    program = export.export(jax.jit(function))(X)
    assert program.nr_devices == 8
    np.testing.assert_array_equal(program.call(jax.device_put(X, on("x"))), [12, 16])
    with pytest.raises(ValueError, match="does not fit the devices") as error:
        jax.jit(function)(X)
    assert "AbstractMesh('x': 4, 'y': 2" in str(error.value)


def test_programs_call_each_other_and_run_on_several_platforms():
    first = export.export(
        jax.jit(lambda x: x * 2, in_shardings=on("x")), platforms=["cpu", "cuda"]
    )(X)
    sharding = jax.ShapeDtypeStruct((8,), "float32", sharding=on("y"))
    second = export.export(jax.jit(lambda x: again(first).call(x) + 1))(sharding)
    assert second.nr_devices == 8
    np.testing.assert_array_equal(second.call(jax.device_put(X, on())), 2 * X + 1)


def test_meshes_of_programs_and_callers_keep_their_names_apart():
    program = twice(in_shardings=on("y"))
    x = jax.device_put(X, on(mesh=Mesh(GRID.ravel(), ("z",))))
    found = jax.grad(lambda x: (program.call(x) * jnp.cos(x)).sum())(x)
    np.testing.assert_allclose(found, 2 * np.cos(X) - 2 * X * np.sin(X), rtol=1e-5)


def test_random_keys_are_sharded_too():
    keys = jax.random.split(jax.random.key(0), 8)
    program = export.export(
        jax.jit(jax.vmap(lambda k: jax.random.normal(k, (3,))), in_shardings=on("x"))
    )(keys)
    out = again(program).call(jax.device_put(keys, on()))
    assert out.sharding.is_equivalent_to(on("x", None), 2)
    np.testing.assert_array_equal(
        out, jax.vmap(lambda k: jax.random.normal(k, (3,)))(keys)
    )


def test_compiled_programs_take_keys_that_have_no_devices():
    key = jax.random.key(0)
    draw = jax.jit(lambda k: jax.random.normal(k, (8,)), out_shardings=on("x"))
    assert draw.lower(key).compile()(key).sharding == on("x")


def test_types_that_are_on_a_mesh_count_where_results_do_not():
    sharding = jax.ShapeDtypeStruct((8,), "float32", sharding=on("y"))
    program = twice()
    lowered = jax.jit(lambda x: program.call(x)).lower(sharding)
    assert "mhlo.num_partitions = 8" in lowered.as_text()


def test_shard_map_of_unknown_sizes_is_refused():
    function, _ = CASES["parts"]
    types = export.symbolic_args_specs((X,), "4*b")
    with pytest.raises(NotImplementedError, match="unknown sizes") as error:
        export.export(function)(*types)
    assert "with_sharding_constraint" in str(error.value)


def test_axes_whose_names_are_no_strings_have_no_form():
    mesh = Mesh(GRID, (1, 2))
    program = twice(in_shardings=on(1, mesh=mesh))
    with pytest.raises(NotImplementedError, match="name of a mesh axis"):
        program.serialize()


def test_damaged_placements_are_refused_or_read():
    with zipfile.ZipFile(DATA) as file:
        data = file.read("both.bin")
    program = export.deserialize(data)
    start = data.index(program.mlir_module_serialized)
    end = start + len(program.mlir_module_serialized)
    outside = [i for i in range(len(data)) if not start <= i < end]
    random = np.random.RandomState(0)
    refused = 0
    for offset in random.choice(outside, 400):
        damaged = bytearray(data)
        damaged[offset] ^= 1 << random.randint(8)
        try:
            export.deserialize(damaged).in_shardings_jax(None)
        except (ValueError, NotImplementedError):
            refused += 1
    assert refused > 100
