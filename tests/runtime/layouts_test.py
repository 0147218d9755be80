"""Arrays that are not stored in row-major order."""

import itertools
import pickle

import ml_dtypes
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.layout import (
    Format,
    Layout,
    explicit_layout,
    with_layout_constraint,
)
from jax.experimental.serialize_executable import deserialize_and_load, serialize
from jax.sharding import NamedSharding, PartitionSpec as P, SingleDeviceSharding

HERE = SingleDeviceSharding(jax.devices()[0])
COLUMNS = Format(Layout((1, 0)), HERE)
ROWS = Format(Layout((0, 1)), HERE)
VALUES = np.arange(6, dtype="f4").reshape(2, 3)
DTYPES = [
    *"? i1 u2 i4 f2 f4 c8".split(),
    *(ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn),
]


def order(x):
    return x.format.layout.major_to_minor


def columns(values=VALUES):
    return jax.device_put(values, COLUMNS)


def test_an_array_is_laid_out_as_its_format_says():
    x = columns()
    assert x.format == Format(Layout((1, 0), ()), HERE) and x.sharding == HERE
    assert x.shape == (2, 3) and x.committed
    np.testing.assert_array_equal(x, VALUES)
    assert np.asarray(x).strides == (4, 8)
    assert np.from_dlpack(x).strides == (4, 8)
    assert x.tobytes() == VALUES.tobytes() and x.tolist() == VALUES.tolist()
    assert repr(x) == repr(jax.device_put(VALUES)) and x[1, 2] == 5


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_and_order(dtype):
    for rank in (1, 2, 3, 4):
        shape = (2, 3, 1, 4)[:rank]
        values = np.arange(np.prod(shape)).reshape(shape) % 3
        values = values.astype(dtype)
        for axes in itertools.permutations(range(rank)):
            form = Format(Layout(axes), HERE)
            x = jax.device_put(values, form)
            assert order(x) == axes and x.dtype == values.dtype
            np.testing.assert_array_equal(np.asarray(x), values)
            back = jax.device_put(x, Format(Layout(tuple(range(rank))), HERE))
            assert order(back) == tuple(range(rank))
            np.testing.assert_array_equal(np.asarray(back), values)
            doubled = jax.jit(lambda x: jnp.flip(x), out_shardings=form)(x)
            assert order(doubled) == axes
            np.testing.assert_array_equal(np.asarray(doubled), np.flip(values))


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (3, 0), (1, 1)])
def test_orders_of_arrays_without_steps(shape):
    x = columns(np.ones(shape, "f4"))
    assert order(x) == (1, 0)
    np.testing.assert_array_equal(x + 1, np.full(shape, 2, "f4"))


def test_results_are_row_major_by_default():
    x = columns()
    results = {
        "sum": (x + x, VALUES * 2),
        "jit": (jax.jit(lambda x: x)(x), VALUES),
        "grad": (jax.grad(lambda x: (x**2).sum())(x), 2 * VALUES),
        "vmap": (jax.vmap(lambda row: row * row.sum())(x), None),
        "transpose": (x.T, VALUES.T),
        "copy": (x.copy(), VALUES),
        "scan": (jax.lax.scan(lambda c, row: (c, row * 2), 0, x)[1], 2 * VALUES),
        "closure": (jax.jit(lambda: x * 2)(), 2 * VALUES),
        "callback": (jax.pure_callback(np.sin, x, x), np.sin(VALUES)),
        "update": (x.at[0].set(1.0), None),
        "pickle": (pickle.loads(pickle.dumps(x)), VALUES),
        "stack": (jnp.stack([x, x])[1], VALUES),
    }
    for name, (found, wanted) in results.items():
        assert order(found) == tuple(range(found.ndim)), name
        if wanted is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=name)


def test_what_moves_an_array_alone_keeps_its_order():
    x = columns()
    other = jax.devices()[1]
    for y in (jax.device_put(x), jax.device_put(x, HERE), jnp.asarray(x)):
        assert order(y) == (1, 0)
    for y in (jax.device_put(x, other), x.to_device(other)):
        assert order(y) == (1, 0) and y.devices() == {other}
        np.testing.assert_array_equal(y, VALUES)
    assert order(x.addressable_shards[0].data) == (1, 0)
    moved = jax.device_put(x, Format(Layout((0, 1)), SingleDeviceSharding(other)))
    assert order(moved) == (0, 1) and moved.devices() == {other}


def test_calls_are_remembered_for_each_order():
    traced = []

    @jax.jit
    def f(x):
        traced.append(x)
        return x + 1

    rows, columns_ = jax.device_put(VALUES, HERE), columns()
    for _ in range(3):
        for x in (rows, columns_):
            np.testing.assert_array_equal(f(x), VALUES + 1)
    assert len(traced) == 1 and f._cache_size() == 2


def test_jit_lays_results_out():
    def f(x):
        return x, {"a": x + 1}

    for out, wanted in [
        (COLUMNS, [(1, 0), (1, 0)]),
        ((COLUMNS, None), [(1, 0), (0, 1)]),
        ((None, {"a": COLUMNS}), [(0, 1), (1, 0)]),
        (Format(Layout.AUTO), [(0, 1), (0, 1)]),
        (Format(None, HERE), [(0, 1), (0, 1)]),
    ]:
        jitted = jax.jit(f, out_shardings=out)
        for x in (VALUES, columns(), VALUES):  # the second and third are remembered
            first, second = jitted(x)
            assert [order(first), order(second["a"])] == wanted
            np.testing.assert_array_equal(first, VALUES)
            np.testing.assert_array_equal(second["a"], VALUES + 1)


def test_arguments_are_laid_out_as_in_shardings_say():
    f = jax.jit(lambda x: x * 2, in_shardings=COLUMNS)
    for x in (VALUES, jnp.asarray(VALUES), columns(), VALUES):
        np.testing.assert_array_equal(f(x), VALUES * 2)
    rows = jax.device_put(VALUES, HERE)
    for form in (COLUMNS, Format(Layout.AUTO), Format(Layout.AUTO, HERE)):
        with pytest.raises(
            ValueError, match="Layout passed to jit does not match"
        ) as e:
            jax.jit(lambda x: x * 2, in_shardings=form)(rows)
        assert "argument" in str(e.value) and "device_put" in str(e.value)
    with pytest.raises(ValueError, match="does not match"):
        jax.jit(lambda x: x * 2, in_shardings=ROWS)(columns())


@pytest.mark.filterwarnings("ignore:Some donated")
def test_donated_arrays_are_deleted():
    for out in (COLUMNS, ROWS, None):
        f = jax.jit(lambda x: x * 2, donate_argnums=0, out_shardings=out)
        for _ in range(3):
            x = columns()
            np.testing.assert_array_equal(f(x), VALUES * 2)
            assert x.is_deleted()
            with pytest.raises(RuntimeError, match="deleted"):
                f(x)
    x = columns()
    assert order(jax.device_put(x, ROWS, donate=True)) == (0, 1) and x.is_deleted()
    x = columns()
    assert jax.device_put(x, COLUMNS, donate=True) is not None and not x.is_deleted()


def test_stages_report_formats():
    type_ = jax.ShapeDtypeStruct((2, 3), "f4", sharding=COLUMNS)
    for x, options in [
        (columns(), {}),
        (type_, {}),
        (VALUES, {"in_shardings": COLUMNS}),
    ]:
        compiled = jax.jit(lambda x: x + 1, **options).lower(x).compile()
        ((found,), _) = compiled.input_formats
        assert found == Format(Layout((1, 0), ()), HERE)
        assert compiled.output_formats == Format(Layout((0, 1), ()), HERE)
        np.testing.assert_array_equal(compiled(columns()), VALUES + 1)
        np.testing.assert_array_equal(compiled(VALUES), VALUES + 1)
        with pytest.raises(
            ValueError, match="compiled for input layouts that disagree"
        ):
            compiled(jax.device_put(VALUES, HERE))
    auto = Format(Layout.AUTO)
    compiled = jax.jit(lambda x: x.T, in_shardings=auto, out_shardings=auto)
    compiled = compiled.lower(jax.ShapeDtypeStruct((2, 3), "f4")).compile()
    x = jax.device_put(VALUES, compiled.input_formats[0][0])
    assert order(compiled(x)) == (0, 1)
    compiled = jax.jit(lambda x: x, out_shardings=COLUMNS).lower(VALUES).compile()
    assert compiled.output_formats.layout.major_to_minor == (1, 0)
    assert order(compiled(VALUES)) == (1, 0)
    with pytest.raises(ValueError, match=r"argument +b\['q'\]"):
        f = jax.jit(lambda a, b: a + b["q"])
        f.lower(VALUES, {"q": VALUES}).compile()(VALUES, {"q": columns()})


def test_serialized_programs_keep_formats():
    compiled = jax.jit(lambda x: x + 1, donate_argnums=0, out_shardings=COLUMNS)
    compiled = compiled.lower(columns()).compile()
    loaded = deserialize_and_load(*serialize(compiled))
    assert loaded.input_formats == compiled.input_formats
    assert loaded.output_formats == compiled.output_formats
    x = columns()
    y = loaded(x)
    assert order(y) == (1, 0) and x.is_deleted()
    np.testing.assert_array_equal(y, VALUES + 1)


def test_constraints_are_seen_in_results():
    layout = Layout((1, 0))
    assert order(with_layout_constraint(jnp.asarray(VALUES), layout)) == (1, 0)

    def f(x):
        return with_layout_constraint(x * 2, layout)

    assert order(jax.jit(f)(VALUES)) == (1, 0)
    assert order(jax.jit(lambda x: f(x) + 1)(VALUES)) == (0, 1)
    np.testing.assert_array_equal(jax.jit(f)(VALUES), 2 * VALUES)
    np.testing.assert_array_equal(jax.grad(lambda x: f(x).sum())(VALUES), 2.0)
    assert order(jax.jvp(f, (VALUES,), (VALUES,))[1]) == (1, 0)
    wide = jnp.ones((2, 3, 4))
    (eqn,) = [
        eqn
        for eqn in jax.make_jaxpr(jax.vmap(f, in_axes=2))(wide).eqns
        if eqn.primitive.name == "layout_constraint"
    ]
    assert sorted(eqn.params["layout"].major_to_minor) == [0, 1, 2]
    both = with_layout_constraint([wide[0], wide[1]], [layout, Layout((0, 1))])
    assert [order(x) for x in both] == [(1, 0), (0, 1)]
    constrained = jax.jit(lambda x: jax.lax.with_sharding_constraint(x, COLUMNS))
    assert order(constrained(VALUES)) == (1, 0)


def test_several_devices():
    mesh = jax.make_mesh(
        (4, 2), ("x", "y"), axis_types=(jax.sharding.AxisType.Auto,) * 2
    )
    values = np.arange(32, dtype="f4").reshape(8, 4)
    for spec in (P("x", "y"), P("y"), P(None, "x"), P()):
        sharding = NamedSharding(mesh, spec)
        form = Format(Layout((1, 0)), sharding)
        made = jax.make_array_from_callback((8, 4), form, lambda i: values[i])
        jitted = jax.jit(lambda x: x, out_shardings=form)
        for x in (jax.device_put(values, form), made, jitted(values), jitted(made)):
            assert x.format == Format(Layout((1, 0), ()), sharding)
            np.testing.assert_array_equal(x, values)
            np.testing.assert_array_equal(x @ x.T, values @ values.T)
            for shard in x.addressable_shards:
                assert order(shard.data) == (1, 0)
                np.testing.assert_array_equal(shard.data, values[shard.index])
            whole = jax.make_array_from_single_device_arrays(
                x.shape, sharding, [shard.data for shard in x.addressable_shards]
            )
            assert order(whole) == (1, 0)
            for other in (P("y", "x"), P("x"), P()):
                moved = jax.device_put(x, NamedSharding(mesh, other))
                np.testing.assert_array_equal(moved, values)
            np.testing.assert_array_equal(jax.device_put(x, jax.devices()[3]), values)


def test_parts_in_different_orders_become_one_array():
    mesh = jax.make_mesh((2,), ("x",))
    parts = [columns(), jax.device_put(VALUES, jax.devices()[1])]
    sharding = NamedSharding(mesh, P("x"))
    whole = jax.make_array_from_single_device_arrays((4, 3), sharding, parts)
    assert order(whole) == (0, 1)
    np.testing.assert_array_equal(whole, np.concatenate([VALUES, VALUES]))


def test_random_keys_and_traced_values_have_any_layout():
    keys = jax.random.split(jax.random.key(0), (2, 3))
    same = jax.device_put(keys, COLUMNS)
    assert (jax.random.key_data(same) == jax.random.key_data(keys)).all()
    returned = jax.jit(lambda k: k, out_shardings=COLUMNS, in_shardings=COLUMNS)
    for _ in range(2):
        data = jax.random.key_data(returned(keys))
        assert (data == jax.random.key_data(keys)).all()
    assert order(jax.jit(lambda x: jax.device_put(x, COLUMNS))(VALUES)) == (0, 1)
    words = jax.device_put(jax.random.key_data(keys[0]), COLUMNS)
    assert jax.random.bits(jax.random.wrap_key_data(words)[0]) == jax.random.bits(
        keys[0, 0]
    )


def test_layouts_and_formats_are_checked():
    assert Layout([1, 0]) == Layout((1, 0)) != Layout((1, 0), ())
    for layout, sharding in [((1, 0), HERE), (Layout((1, 0)), P("x"))]:
        with pytest.raises(TypeError, match="is of another type"):
            Format(layout, sharding)
    with pytest.raises(ValueError, match="without a sharding"):
        Format(Layout((1, 0)))
    for axes in ((1, 1), (2, 1)):
        with pytest.raises(ValueError, match="name each axis once"):
            jax.device_put(VALUES, Format(Layout(axes), HERE))
    with pytest.raises(NotImplementedError, match="without tiles"):
        jax.device_put(VALUES, Format(Layout((1, 0), ((2, 2),)), HERE))
    flat = VALUES.ravel()
    for refused in (
        lambda: jax.device_put(flat, COLUMNS),
        lambda: jax.jit(lambda x: x, in_shardings=COLUMNS)(flat),
        lambda: jax.jit(lambda x: x, out_shardings=COLUMNS)(flat),
        lambda: with_layout_constraint(flat, Layout((1, 0))),
        lambda: jax.ShapeDtypeStruct((6,), "f4", sharding=COLUMNS),
    ):
        with pytest.raises(ValueError, match="rank of the value should match"):
            refused()
    with pytest.raises(ValueError, match="left to a compiler"):
        jax.device_put(VALUES, Format(Layout.AUTO, HERE))
    with pytest.raises(TypeError, match="left to a compiler"):
        jax.ShapeDtypeStruct((2, 3), "f4", sharding=Format(Layout.AUTO, HERE))
    for layout in (COLUMNS, Layout.AUTO):
        with pytest.raises(ValueError, match="a layout is none"):
            with_layout_constraint(VALUES, layout)


@pytest.mark.parametrize("jitted", [False, True])
def test_a_function_with_layouts_has_its_arguments_in_them(jitted):
    function = explicit_layout(in_layouts=(Layout((1, 0)), [Layout((0, 1))]))(
        lambda x, ys: (x, ys[0], x + ys[0])
    )
    x, (y,) = jnp.asarray(VALUES), [jnp.asarray(VALUES)]
    a, b, total = (jax.jit(function) if jitted else function)(x, [y])
    assert order(a) == (1, 0) and order(b) == (0, 1)
    np.testing.assert_array_equal(total, VALUES * 2)
    grad = jax.grad(lambda x: explicit_layout(jnp.sum, in_layouts=Layout((1, 0)))(x))
    np.testing.assert_array_equal(grad(x), np.ones_like(VALUES))
    with pytest.raises(ValueError, match="another number of arguments"):
        function(x)
    for made in (explicit_layout, explicit_layout()):
        with pytest.raises(TypeError, match="Missing required keyword argument"):
            made(jnp.sum)


def test_the_layout_of_an_array_names_its_axes():
    x = jnp.asarray(VALUES)
    assert Layout.for_array(x) == Layout((0, 1), ())
    assert Layout.for_array(with_layout_constraint(x, Layout((1, 0)))) == Layout(
        (1, 0), ()
    )
    assert Layout.for_array(VALUES) == Layout((0, 1), ())
