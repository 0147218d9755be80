"""Checks inside of `shard_map` and `pmap`: each device reports what it finds in its own part."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import checkify as ck
from jax.sharding import AxisType, PartitionSpec as P

AUTO, EXPLICIT = AxisType.Auto, AxisType.Explicit
# Sizes and types of mesh axes, over eight devices.
MESHES = {
    "one axis": ((8,), (AUTO,)),
    "two axes": ((4, 2), (AUTO, AUTO)),
    "explicit": ((8,), (EXPLICIT,)),
    "mixed": ((2, 4), (EXPLICIT, AUTO)),
}


def small(x):
    ck.check((x < 100).all(), "large {x}", x=x.max())
    return x


def ten_times(step):
    return lambda x: lax.scan(lambda c, _: (step(c * 10), None), x, None, length=3)[0]


BODIES = {
    "call": lambda x: small(x * 30),
    "jit": jax.jit(lambda x: small(x * 30)),
    "scan": ten_times(small),
    "fori": lambda x: lax.fori_loop(0, 3, lambda i, c: small(c * 10), x),
    "while": lambda x: lax.while_loop(lambda c: c.sum() < 1e4, ten_times(small), x),
    "cond of while": lambda x: lax.while_loop(
        lambda c: small(c).sum() < 1e4, lambda c: c * 10, x
    ),
    "cond": lambda x: lax.cond(x.sum() > 5, ten_times(small), lambda c: c, x),
    "checkpoint": jax.checkpoint(lambda x: small(x * 30)),
    "grad": jax.grad(lambda x: (small(x * 30) ** 2).sum()),
    "vmap": lambda x: jax.vmap(small)(x * 30),
    "same for all": lambda x: x + ten_times(small)(jnp.ones(1)),
    "division": lambda x: x / (x - 4),
    "index": lambda x: x + x[x.astype(int)],
    "nothing": lambda x: x + 1,
}


@pytest.fixture(params=MESHES)
def mesh(request):
    sizes, types = MESHES[request.param]
    made = jax.make_mesh(sizes, ("x", "y")[: len(sizes)], axis_types=types)
    with jax.set_mesh(made):
        yield made


def spread(mesh, x):
    """The array as the Explicit axes ask for."""
    pairs = zip(mesh.axis_names, mesh.axis_types, strict=True)
    spec = P(tuple(name for name, kind in pairs if kind == EXPLICIT))
    return jax.device_put(x, jax.NamedSharding(mesh, spec))


def mapped(mesh, body, **options):
    names = P(mesh.axis_names)
    return jax.shard_map(body, mesh=mesh, in_specs=names, out_specs=names, **options)


def found(f, *args):
    """What `f` finds wrong: evaluated, and compiled."""
    checked = ck.checkify(f, errors=ck.all_checks)
    (error, out), (compiled, again) = checked(*args), jax.jit(checked)(*args)
    assert error.get() == compiled.get()
    np.testing.assert_allclose(out, again)
    return error.get(), out


def by_device(body, parts):
    """What the devices find in their parts, one after the other."""
    found = [ck.checkify(body, errors=ck.all_checks)(part) for part in parts]
    lines = [
        f"at mapped index {i}: {error.get()}"
        for i, (error, _) in enumerate(found)
        if error.get() is not None
    ]
    return "\n".join(lines) or None, np.concatenate([out for _, out in found])


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("name", BODIES)
def test_devices_find_what_they_find_alone(mesh, name, check_vma):
    x = jnp.arange(16.0)
    message, wanted = by_device(BODIES[name], x.reshape(8, 2))
    assert (message is None) == (name == "nothing")
    body = mapped(mesh, BODIES[name], check_vma=check_vma)
    seen, out = found(body, spread(mesh, x))
    assert seen == message
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


# How many times its operand a program around `f` first hands on when a check fails, and the program.
PROGRAMS = {
    "jit": (30, lambda f: jax.jit(lambda x: f(x * 30))),
    "scan": (10, ten_times),
    "fori": (10, lambda f: lambda x: lax.fori_loop(0, 3, lambda i, c: f(c * 10), x)),
    "while": (
        10,
        lambda f: lambda x: lax.while_loop(lambda c: c.sum() < 4e5, ten_times(f), x),
    ),
    "cond": (
        10,
        lambda f: lambda x: lax.cond(x.sum() > 0, ten_times(f), lambda c: c, x),
    ),
    "checkpoint": (30, lambda f: jax.checkpoint(lambda x: f(x * 30))),
    "grad": (30, lambda f: jax.grad(lambda x: (f(x * 30) ** 2).sum())),
    "jvp": (30, lambda f: lambda x: jax.jvp(f, (x * 30,), (x,))[0]),
    "vmap": (
        30,
        lambda f: lambda x: jax.vmap(f)(jnp.stack([x, x * 30])),
    ),
    "twice": (30, lambda f: lambda x: f(f(x) * 30)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_around_keep_what_devices_found(mesh, name):
    factor, around = PROGRAMS[name]
    x = jnp.arange(16.0)
    largest = factor * np.asarray(x).reshape(8, 2).max(1)
    message, _ = found(around(mapped(mesh, small)), spread(mesh, x))
    assert message.splitlines() == [
        f"at mapped index {i}: large {value} (`check` failed)"
        for i, value in enumerate(largest)
        if value >= 100
    ]


def test_the_first_failure_counts_here_and_on_devices(mesh):
    x = spread(mesh, jnp.arange(16.0) * 30)
    body = mapped(mesh, small)

    def before(x):
        ck.check(x.sum() < 0, "before")
        return body(x)

    def after(x):
        y = body(x)
        ck.check(x.sum() < 0, "after")
        return y

    assert found(before, x)[0] == "before (`check` failed)"
    alone, _ = found(body, x)
    assert alone is not None and found(after, x)[0] == alone


def test_errors_of_devices_are_thrown_checked_again_and_mapped():
    mesh = jax.make_mesh((8,), ("x",), axis_types=(AUTO,))
    good, bad = jnp.arange(8.0), jnp.arange(8.0) * 15
    checked = ck.checkify(mapped(mesh, small))
    error, _ = checked(bad)
    line = "at mapped index 7: large 105.0 (`check` failed)"
    assert error.get() == line and repr(error) == f"Error({line})"
    assert isinstance(error.get_exception(), ck.FailedCheckError)
    with pytest.raises(ck.JaxRuntimeError) as caught:
        error.throw()
    assert str(caught.value) == "large 105.0 (`check` failed)"
    location, where = caught.value.__notes__
    assert "devices_test.py" in location and where == line
    assert checked(good)[0].get() is None

    def again(x):
        error, out = checked(x)
        ck.check_error(error)
        return out

    assert found(again, bad)[0] == line
    with pytest.raises(ck.JaxRuntimeError, match=r"^large 105.0 \(`check` failed\)"):
        again(bad)
    with pytest.raises(ValueError, match=r"not functionalized(.|\n)*devices_test.py"):
        jax.jit(again)(bad)
    stacked, _ = jax.vmap(checked)(jnp.stack([good, bad]))
    assert stacked.get() == "at mapped index 1, 7: large 105.0 (`check` failed)"


def test_devices_within_devices():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AUTO, AUTO))

    def outer(x):
        ck.check(x.sum() < 40, "sum {s}", s=x.sum())
        part = jax.shard_map(small, in_specs=P("y"), out_specs=P("y"), axis_names={"y"})
        return part(x * 10)

    f = jax.shard_map(
        outer, mesh=mesh, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}
    )
    message, _ = found(f, jnp.arange(16.0))
    assert message.splitlines() == [
        "at mapped index 2, 1: large 110.0 (`check` failed)",
        "at mapped index 3: sum 54.0 (`check` failed)",
    ]


def test_a_function_is_checked_inside_of_a_device():
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AUTO, AUTO))

    def body(x):
        error, out = ck.checkify(ten_times(small))(x)
        return out, error._pred[None]

    # What is found differs along x alone, as the operand does.
    f = jax.shard_map(body, mesh=mesh, in_specs=P("x"), out_specs=P("x"))
    _, failed = f(jnp.array([0, 0.01, 0, 0, 0.01, 0.2, 0, 0]))
    assert failed.tolist() == [False, False, True, False]


def test_sums_over_devices_inside_of_checks():
    f = jax.pmap(lambda x: small(lax.psum(x, "i") * x), axis_name="i")
    message, _ = found(f, jnp.arange(8.0))
    assert message.splitlines() == [
        f"at mapped index {i}: large {28.0 * i} (`check` failed)" for i in range(4, 8)
    ]
    message, _ = found(jax.pmap(jnp.log), jnp.array([1.0, -1, 2, 3, 4, 5, 6, -7]))
    assert message.splitlines() == [
        f"at mapped index {i}: nan generated by primitive: log." for i in (1, 7)
    ]
