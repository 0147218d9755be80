"""`shard_map` outside of every trace: operation by operation, values and callbacks in order.

Each device calls once, in the order of the program; what is printed is printed when the
call returns, or, in compiled programs, when a result of it is there.
"""

import contextlib
import io
import time

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import io_callback
from jax.sharding import AxisType, Mesh, PartitionSpec as P

X = jnp.arange(4.0)


@pytest.fixture(scope="module")
def mesh():
    return Mesh(np.array(jax.devices()[:2]), ("i",))


@pytest.fixture(scope="module")
def grid():
    return Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("i", "j"))


def printed(run):
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        run()
        jax.effects_barrier()
    return text.getvalue()


def mapped(body, mesh, ins=P("i"), outs=P("i"), **options):
    return jax.shard_map(body, mesh=mesh, in_specs=ins, out_specs=outs, **options)


def show(x):
    print("value", x)
    return x


def test_python_prints_the_part_of_each_device(mesh):
    text = printed(lambda: mapped(show, mesh)(jnp.array([41.0, 73.0])))
    first, second = mesh.devices
    assert text == (
        f"value On {first} at mesh coordinates (i,) = (0,):\n[41.]\n\n"
        f"On {second} at mesh coordinates (i,) = (1,):\n[73.]\n\n"
    )


@pytest.mark.parametrize(
    ("ins", "options", "rows"),
    [
        (P("i", "j"), {}, ["[[0. 1.]]", "[[2. 3.]]", "[[4. 5.]]", "[[6. 7.]]"]),
        (P("j", "i"), {}, ["[[0. 1.]]", "[[4. 5.]]", "[[2. 3.]]", "[[6. 7.]]"]),
        (P(None, ("i", "j")), {}, [f"[[{n}.]\n [{n + 4}.]]" for n in range(4)]),
        (P("i"), {}, ["[[0. 1. 2. 3.]]"] * 2 + ["[[4. 5. 6. 7.]]"] * 2),
        (
            P("i"),
            {"check_vma": False},
            ["[[0. 1. 2. 3.]]"] * 2 + ["[[4. 5. 6. 7.]]"] * 2,
        ),
        (
            P("i"),
            {"axis_names": {"i"}},
            ["[[0. 1. 2. 3.]]"] * 2 + ["[[4. 5. 6. 7.]]"] * 2,
        ),
        (P(), {}, ["[[0. 1. 2. 3.]\n [4. 5. 6. 7.]]"] * 4),
    ],
)
def test_parts_stand_at_their_coordinates(grid, ins, options, rows):
    x = jnp.arange(8.0).reshape(2, 4)
    text = printed(lambda: mapped(show, grid, ins, ins, **options)(x))
    for (at, device), row in zip(np.ndenumerate(grid.devices), rows, strict=True):
        assert f"On {device} at mesh coordinates (i, j,) = {at}:\n{row}\n" in text


def test_values_are_shown_in_containers_and_of_operations(mesh):
    def body(x):
        print({"y": jnp.sin(x) * 0 + lax.axis_index("i")})
        return x

    text = printed(lambda: mapped(body, mesh)(X))
    assert "(0,):\n[0. 0.]\n" in text
    assert "(1,):\n[1. 1.]\n" in text


def test_shared_values_decide_and_convert(mesh):
    def body(x):
        total = lax.psum(x.sum(), "i")
        if total > 0:
            return x * float(total) + total.item() + np.asarray(total)
        return -x

    assert mapped(body, mesh)(X).tolist() == [12.0, 18.0, 24.0, 30.0]
    assert mapped(body, mesh)(-X).tolist() == X.tolist()


def test_values_of_each_device_do_not_decide(mesh):
    def body(x):
        return x if x.sum() > 0 else -x

    with pytest.raises(jax.errors.TracerBoolConversionError):
        mapped(body, mesh)(X)


BODIES = {
    "collectives": (
        lambda x: lax.psum(x, "i") + lax.ppermute(x, "i", [(0, 1), (1, 0)])
    ),
    "jit": lambda x: jax.jit(lambda x: jnp.sin(x) * 2)(x),
    "scan": lambda x: lax.scan(lambda c, _: (c * 2, None), x, None, length=3)[0],
    "while": lambda x: lax.while_loop(lambda c: c.sum() < 10, lambda c: c + 1, x),
    "cond": lambda x: lax.cond(x.sum() > 2, lambda x: x, lambda x: -x, x),
    "vmap": jax.vmap(lambda x: x * lax.axis_index("i")),
    "grad": jax.grad(lambda x: (x**3).sum()),
    "value": lambda x: x * lax.axis_size("i"),
    "constant": lambda x: x + jnp.arange(2.0),
    "keys": lambda x: x + jax.random.normal(jax.random.key(0), (2,)),
    "key by device": lambda x: (
        x
        + jax.random.normal(
            jax.random.fold_in(jax.random.key(0), lax.axis_index("i")), (2,)
        )
    ),
    "index": lambda x: x.at[lax.axis_index("i")].set(9.0),
    "sort": lambda x: jnp.sort(-x),
    "integers": lambda x: x.astype(jnp.int32) % 3,
    "checkpoint": jax.grad(jax.checkpoint(lambda x: jnp.sin(x).sum())),
    "tree": lambda x: {"a": x, "b": (x * 2, -x)},
}


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("name", BODIES)
def test_evaluation_agrees_with_the_compiled_program(mesh, name, check_vma):
    f = mapped(BODIES[name], mesh, check_vma=check_vma)
    compiled = jax.jit(f)(X)
    for _ in range(2):
        found = f(X)
        jax.tree.map(
            lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), found, compiled
        )
    assert jax.tree.map(jnp.dtype, found) == jax.tree.map(jnp.dtype, compiled)
    shardings = jax.tree.map(lambda a: a.sharding.spec, found)
    assert shardings == jax.tree.map(lambda a: a.sharding.spec, compiled)


def rule_of_sin():
    f = jax.custom_vjp(jnp.sin)
    f.defvjp(lambda x: (jnp.sin(x), x), lambda x, ct: (3 * ct,))
    return f


@pytest.mark.parametrize("outside", [lambda f: f, jax.jit])
def test_rules_are_used_in_a_body_and_around_it(mesh, outside):
    f = rule_of_sin()
    inside = mapped(jax.grad(lambda x: f(x).sum()), mesh)
    around = jax.grad(lambda x: mapped(f, mesh)(x).sum())
    assert outside(inside)(X).tolist() == [3.0] * 4
    assert outside(around)(X).tolist() == [3.0] * 4


def test_a_second_call_compiles_nothing(mesh):
    def body(x):
        for _ in range(5):
            x = jnp.sin(x) * 2 + lax.psum(x, "i")
        return x

    f = mapped(body, mesh)
    f(X)
    compiled = []
    with contextlib.ExitStack() as stack:
        listener = lambda event, _, **more: compiled.append(event)
        jax.monitoring.register_event_duration_secs_listener(listener)
        stack.callback(jax.monitoring.unregister_event_duration_listener, listener)
        f(X)
    assert not [event for event in compiled if "compile" in event]


# ---------------------------------------------------------------- callbacks

KINDS = ("io", "debug", "partitioned")


class Notes:
    """What callbacks saw."""

    def __init__(self):
        self.seen = []

    def take(self, tag, *values):
        self.seen.append((tag, *[np.asarray(v).tolist() for v in values]))


def caller(kind, ordered, notes):
    """A function `(tag, *values)` that notes them from inside of a program."""

    def call(tag, *values):
        note = lambda *xs, tag=tag: notes.take(tag, *xs)
        if kind == "io":
            io_callback(note, None, *values, ordered=ordered)
        else:
            partitioned = kind == "partitioned"
            jax.debug.callback(note, *values, ordered=ordered, partitioned=partitioned)

    return call


def once_more(call, x):
    call("first", x)
    call("second", x * 10)
    return x * 2


def nested(call, x):
    return jax.jit(lambda x: once_more(call, x))(x)


def in_loop(call, x):
    return lax.scan(lambda c, _: (once_more(call, c), None), x, None, length=2)[0]


def in_choice(call, x):
    return lax.cond(x.sum() > -1, lambda x: once_more(call, x), lambda x: x, x)


def in_while(call, x):
    return lax.while_loop(
        lambda s: s[0] < 2, lambda s: (s[0] + 1, once_more(call, s[1])), (0, x)
    )[1]


SURROUNDINGS = {
    "plain": (once_more, 1),
    "jit": (nested, 1),
    "scan": (in_loop, 2),
    "while": (in_while, 2),
    "cond": (in_choice, 1),
}


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_each_device_calls_in_the_order_of_the_program(
    mesh, kind, ordered, compiled, around
):
    notes = Notes()
    body, steps = SURROUNDINGS[around]
    f = mapped(lambda x: body(caller(kind, ordered, notes), x), mesh)
    y = (jax.jit(f) if compiled else f)(X)
    np.asarray(y)
    now = len(notes.seen)
    jax.effects_barrier()
    assert now == len(notes.seen)
    for part in ([0.0, 1.0], [2.0, 3.0]):
        want = [
            (tag, [v * factor * 2**step for v in part])
            for step in range(steps)
            for tag, factor in (("first", 1), ("second", 10))
        ]
        values = [v for _, v in want]
        assert [note for note in notes.seen if note[1] in values] == want
    assert len(notes.seen) == 4 * steps


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_evaluated_callbacks_come_device_by_device_among_what_python_does(
    mesh, kind, ordered
):
    notes = Notes()
    call = caller(kind, ordered, notes)

    def body(x):
        call("a", x)
        notes.take("python")
        call("b", x + 1)
        return x

    mapped(body, mesh)(X)
    notes.take("after")
    assert notes.seen == [
        ("a", [0.0, 1.0]),
        ("a", [2.0, 3.0]),
        ("python",),
        ("b", [1.0, 2.0]),
        ("b", [3.0, 4.0]),
        ("after",),
    ]


@pytest.mark.parametrize("compiled", [False, True])
def test_results_of_callbacks_are_those_of_each_device(mesh, compiled):
    def body(x):
        sort = jax.ShapeDtypeStruct((2,), jnp.float32)
        return io_callback(lambda x: np.asarray(x)[::-1] * 2, sort, x, ordered=True)

    f = mapped(body, mesh)
    assert (jax.jit(f) if compiled else f)(X).tolist() == [2.0, 0.0, 6.0, 4.0]


def test_what_devices_share_is_printed_once(mesh):
    text = printed(
        lambda: mapped(lambda x: (jax.debug.print("{}", x), x)[1], mesh, P(), P())(X)
    )
    assert text == "[0. 1. 2. 3.]\n"


@pytest.mark.parametrize("kind", ["io", "debug"])
def test_a_callback_that_fails_stops_the_evaluation(mesh, kind):
    def fail(x):
        raise ValueError("not this one")

    def body(x):
        call = jax.debug.callback if kind == "debug" else io_callback
        call(fail, x) if kind == "debug" else call(fail, None, x)
        return x

    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="not this one"):
        mapped(body, mesh)(X)


@pytest.mark.parametrize("compiled", [False, True])
def test_pmap_keeps_the_order_of_callbacks_and_refuses_ordered_prints(compiled):
    notes = Notes()
    wrap = jax.jit if compiled else lambda f: f
    f = wrap(jax.pmap(lambda x: once_more(caller("io", True, notes), x)))
    assert f(jnp.array([2.0, 3.0])).tolist() == [4.0, 6.0]
    jax.effects_barrier()
    for x in (2.0, 3.0):
        own = [note for note in notes.seen if note[1] in (x, 10 * x)]
        assert own == [("first", x), ("second", 10 * x)]
    f = wrap(jax.pmap(lambda x: once_more(caller("debug", True, notes), x)))
    with pytest.raises(ValueError, match="ordered effects are not supported for more"):
        f(jnp.array([2.0, 3.0]))
    assert jax.pmap(lambda x: once_more(caller("debug", True, notes), x))(X[:1]) == 0


LATE = {
    "passed through": lambda call, x: (call("c", x), x)[1],
    "unrelated": lambda call, x: (call("c", x.sum()), jnp.ones(4))[1],
    "no operand": lambda call, x: (call("c"), x * 2)[1],
    "last": lambda call, x: (lambda y: (call("c", y), y)[1])(x * 2),
    "rows": lambda call, x: jax.vmap(lambda v: (call("c", v), v)[1])(x),
    "loop": lambda call, x: lax.scan(
        lambda c, _: ((call("c", c), c + 1)[1], None), x, None, length=2
    )[0],
}


@pytest.mark.parametrize("name", LATE)
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("kind", ["io", "debug"])
def test_callbacks_have_happened_when_a_result_is_looked_at(mesh, kind, ordered, name):
    if name == "rows" and kind == "io" and ordered:
        pytest.skip("ordered callbacks have no rows")
    notes = Notes()

    def slow(*values):
        time.sleep(0.005)
        notes.take("c")

    def call(tag, *values):
        if kind == "io":
            io_callback(slow, None, *values, ordered=ordered)
        else:
            jax.debug.callback(slow, *values, ordered=ordered)

    f = lambda x: LATE[name](call, x)
    split = jax.device_put(X, jax.NamedSharding(mesh, P("i")))
    for run in (
        lambda: f(X),
        lambda: jax.jit(f)(X),
        lambda: jax.jit(f)(split),
        lambda: mapped(f, mesh, P(), P(), check_vma=False)(X),
        lambda: jax.jit(mapped(f, mesh, P(), P(), check_vma=False))(X),
    ):
        for look in (jax.block_until_ready, np.asarray, lambda y: y.tolist()):
            notes.seen.clear()
            look(run())
            now = len(notes.seen)
            jax.effects_barrier()
            assert now == len(notes.seen) > 0


def test_operations_run_under_the_settings_of_the_body(mesh):
    """64-bit values outside of their setting, and settings that the body enters."""
    with jax.enable_x64(True):
        x = jnp.arange(4.0)
    narrow = jnp.eye(2, dtype="float32")
    for body in (
        lambda p: (narrow + jnp.tanh(jnp.sum(p)) / 4)[None],
        lambda p: jnp.linalg.inv(narrow + jnp.tanh(jnp.sum(p)) / 4)[None],
        jax.grad(lambda p: jnp.sum(jnp.sin(p) ** 2)),
        jax.grad(lambda p: jnp.max(p) * jnp.prod(p)),
        lambda p: lax.fori_loop(0, 2, lambda i, c: c * p[i], p),
    ):
        found = mapped(body, mesh)(x)
        compiled = jax.jit(mapped(body, mesh))(x)
        assert found.dtype == compiled.dtype
        np.testing.assert_allclose(found, compiled, rtol=1e-6)

    def turned_on(p):
        with jax.enable_x64(True):
            return p.astype("float64") / 3

    np.testing.assert_array_equal(mapped(turned_on, mesh)(X), np.arange(4.0) / 3)

    def turned_off(p):
        with jax.disable_jit(), jax.debug_nans(True):
            return jax.jit(jnp.log)(p - 1)

    with pytest.raises(FloatingPointError):
        mapped(turned_off, mesh)(X)
    assert np.isnan(mapped(lambda p: jnp.log(p - 1), mesh)(X)[0])


def test_arguments_that_move_by_themselves_are_guarded(mesh):
    """Calls of `pmap` and of `shard_map` outside of jit move what is on one device, or on the host."""
    spread = jax.device_put(X, jax.NamedSharding(mesh, P("i")))
    rows = jax.pmap(lambda x: -x, axis_name="i", devices=jax.devices()[:2])
    calls = [lambda x: rows(x.reshape(2, 2)), mapped(lambda x: -x, mesh)]
    for call in calls:
        wanted = call(X)
        for x, guard, direction in (
            (np.arange(4.0, dtype="float32"), jax.transfer_guard, "host-to-device"),
            (X, jax.transfer_guard_device_to_device, "device-to-device"),
        ):
            with (
                guard("disallow"),
                pytest.raises(jax.errors.JaxRuntimeError, match=direction),
            ):
                call(x)
            with guard("allow"):
                np.testing.assert_array_equal(call(x), wanted)
    with jax.transfer_guard("disallow"):
        np.testing.assert_array_equal(calls[1](spread), -np.arange(4.0))


@pytest.mark.parametrize("entries", [(None, "j"), ("j", None)])
def test_results_that_are_split_over_explicit_axes_too_are_joined(entries):
    """Some axes are those of the body, and the others belong to the types of its parts."""
    mesh = jax.make_mesh((2, 2), ("i", "j"), axis_types=(AxisType.Explicit,) * 2)
    x = np.arange(16.0, dtype=np.float32).reshape(8, 2)
    with jax.set_mesh(mesh):
        body = jax.shard_map(
            lambda part: jax.reshard(part * 2, P(*entries)),
            in_specs=P("i"),
            out_specs=P("i"),
            axis_names={"i"},
        )
        given = jax.device_put(x, P("i", "j"))
        np.testing.assert_array_equal(body(given), 2 * x)
        assert body(given).sharding == jax.jit(body)(given).sharding
