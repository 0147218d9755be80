"""`jit`: what is traced when, what is passed, what comes back."""

import dataclasses
import functools as ft
import gc
import pickle
import weakref

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P


def counted(fun):
    """A function that counts how often it is traced."""

    @ft.wraps(fun)
    def counting(*args, **kwargs):
        counting.count += 1
        return fun(*args, **kwargs)

    counting.count = 0
    return counting


def test_a_function_is_traced_once_per_types():
    fun = counted(lambda x: x + 1)
    jitted = jax.jit(fun)
    for x in (jnp.ones(3), jnp.zeros(3), np.ones(3, np.float32)):
        jitted(x)
    assert fun.count == 1
    jitted(jnp.ones(4))
    jitted(jnp.ones(3, jnp.int32))
    assert fun.count == 3


def test_trees_go_in_and_out():
    out = jax.jit(lambda d, *, k: {"s": d["a"] + k, "n": None, "t": (d["b"],)})(
        {"a": 1.0, "b": 2}, k=3.0
    )
    assert out["s"] == 4.0 and out["n"] is None and out["t"][0] == 2


def test_shardings_that_say_nothing_leave_keywords_be():
    def fun(x, *, y):
        return x + y

    found = jax.jit(fun, in_shardings=None, out_shardings=None)(1, y=jnp.ones(2))
    np.testing.assert_array_equal(found, [2, 2])
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    for given in (sharding, (sharding,), (None,)):
        with pytest.raises(ValueError, match="does not support kwargs"):
            jax.jit(fun, in_shardings=given)(1, y=jnp.ones(2))


def test_static_arguments_are_python_values():
    fun = counted(lambda x, n: x * n if isinstance(n, int) else x)
    jitted = jax.jit(fun, static_argnums=1)
    assert jitted(2.0, 3) == 6.0 and jitted(2.0, 3) == 6.0
    assert fun.count == 1
    assert jitted(2.0, 3.0) == 2.0


@pytest.mark.parametrize("apply", [jax.jit, jax.make_jaxpr])
@pytest.mark.parametrize(
    ("fun", "number", "args", "says"),
    [
        (lambda x, n: x, 5, (1.0, 2), "only accepts 2 positional"),
        (lambda x, n: x, -3, (1.0, 2), "only accepts 2 positional"),
        (lambda *xs: xs[0], -3, (1.0, 2), "2 by position"),
        (lambda x, n=2: x, -2, (1.0,), "1 by position"),
        (lambda x, n: x, 1, (1.0, [2]), "Non-hashable"),
    ],
)
def test_static_arguments_exist_and_are_hashable(apply, fun, number, args, says):
    with pytest.raises(ValueError, match=says):
        apply(fun, static_argnums=number)(*args)


def test_static_names_follow_from_numbers():
    jitted = jax.jit(lambda x, mode: x if mode == "keep" else -x, static_argnums=1)
    assert jitted(2.0, mode="keep") == 2.0 and jitted(2.0, mode="turn") == -2.0


def test_equal_statics_of_different_types_do_not_share_a_program():
    jitted = jax.jit(lambda x, n: x + (1 if n is True else 10), static_argnums=1)
    assert jitted(0, True) == 1 and jitted(0, 1) == 10


def test_donated_arguments_are_deleted():
    x = jnp.ones(5) + 0
    out = jax.jit(lambda x: x * 2, donate_argnums=0)(x)
    assert x.is_deleted() and out[0] == 2.0


def test_unused_arguments_are_not_passed():
    jitted = jax.jit(lambda x, y: y + 1)
    assert jitted(jnp.ones(1000), 2.0) == 3.0
    assert "%arg1" not in jitted.lower(jnp.ones(1000), 2.0).as_text()
    kept = jax.jit(lambda x, y: y + 1, keep_unused=True)
    assert "%arg1" in kept.lower(jnp.ones(1000), 2.0).as_text()
    assert "keep_unused=True" in str(jax.make_jaxpr(kept)(1.0, 2.0))
    assert "keep_unused" not in str(jax.make_jaxpr(jitted)(1.0, 2.0))


def test_a_program_is_for_one_size_of_a_named_axis():
    f = jax.jit(lambda x: x / jax.lax.psum(1, "i"))
    for count in (2, 4):
        assert jax.vmap(f, axis_name="i")(jnp.ones(count))[0] == 1 / count


def test_methods_can_be_jitted():
    class Scale:
        factor = 3.0

        @ft.partial(jax.jit, static_argnums=0)
        def __call__(self, x):
            return self.factor * x

    assert Scale()(2.0) == 6.0


def test_jit_without_a_function_is_a_decorator():
    @jax.jit(static_argnames="n")
    def power(x, n):
        return x**n

    assert power(2.0, n=3) == 8.0


def test_inner_calls_stay_calls_and_are_lowered_once():
    inner = jax.jit(lambda x: jnp.sin(x))
    outer = jax.jit(lambda x: inner(inner(x)))
    text = outer.lower(1.0).as_text()
    assert text.count("func.func private") == 1 and text.count("call @") == 2
    assert outer(1.0) == pytest.approx(np.sin(np.sin(1.0)), rel=1e-6)


def test_values_closed_over_are_constants_or_operands():
    table = jnp.arange(3.0)

    @jax.jit
    def outer(x):
        y = x * 2
        return jax.jit(lambda z: z + y + table)(x)

    np.testing.assert_allclose(outer(1.0), [3.0, 4.0, 5.0])
    np.testing.assert_allclose(jax.grad(lambda x: outer(x).sum())(1.0), 9.0)


def test_large_constants_do_not_stand_in_the_module():
    table = jnp.arange(1000.0)
    jitted = jax.jit(lambda i: table[i])
    assert len(jitted.lower(3).as_text()) < 6000
    assert jitted(3) == 3.0


def test_the_stages_of_a_call():
    jitted = jax.jit(lambda x, y: {"sum": x + y})
    traced = jitted.trace(jnp.ones(3), 2.0)
    assert traced.fun_name == "<lambda>" and len(traced.jaxpr.eqns) >= 1
    lowered = traced.lower()
    assert "stablehlo.add" in lowered.as_text()
    assert "jax.result_info = \"result['sum']\"" in lowered.as_text()
    compiled = lowered.compile()
    np.testing.assert_allclose(compiled(jnp.ones(3), 2.0)["sum"], [3.0] * 3)
    assert compiled.memory_analysis().output_size_in_bytes == 12
    with pytest.raises(TypeError, match="differ from the types"):
        compiled(jnp.ones(4), 2.0)


@pytest.mark.parametrize(
    ("options", "donated"),
    [
        ({}, ()),
        ({"donate_argnums": 0}, (0, 1, 2)),
        ({"donate_argnums": (0, -1)}, (0, 1, 2, 3, 4)),
        ({"donate_argnames": ("scale", "tree")}, (0, 1, 2, 6)),
        ({"donate_argnums": 2, "static_argnums": 1}, (3, 4)),
        ({"static_argnames": "scale", "donate_argnums": 0}, (0, 1, 2)),
        ({"donate_argnames": "offset"}, (5,)),
    ],
)
def test_each_stage_knows_the_donated_leaves_of_a_call(options, donated):
    def function(tree, unused, pair, *, scale, offset):
        return tree["a"] * scale + offset, tree["b"], pair

    tree = {"a": 1.0, "b": (2.0, [3.0, None])}
    jitted = jax.jit(function, **options)
    traced = jitted.trace(tree, None, (4.0, 5.0), scale=6.0, offset=7.0)
    lowered = traced.lower()
    for stage in (traced, lowered, lowered.compile()):
        assert stage.donate_argnums == donated
        infos = jax.tree.leaves(
            stage.args_info, is_leaf=lambda x: hasattr(x, "donated")
        )
        assert tuple(i for i, info in enumerate(infos) if info.donated) == donated
        assert jax.tree.structure(stage.args_info) == stage.in_tree
        assert jax.tree.map(
            lambda x: (x.shape, x.dtype), stage.out_info
        ) == jax.tree.map(lambda x: (x.shape, x.dtype), traced.out_info)
        assert weakref.ref(stage)() is stage and stage in {stage}
        assert repr(stage).startswith(f"<jax.stages.{type(stage).__name__} object at ")


def test_options_of_one_compilation_are_its_own():
    lowered = jax.jit(lambda x: x + 1, compiler_options={}).lower(1.0)
    with pytest.raises(jax.errors.JaxRuntimeError, match="no_such_option"):
        lowered.compile({"no_such_option": True})
    assert lowered.compile()(1.0) == 2


def test_a_call_at_other_options_compiles_its_own_program():
    function = counted(lambda x, y: x + 1)
    for options in ({}, {"keep_unused": True}, {"donate_argnums": 0}, {}):
        jitted = jax.jit(function, **options)
        compiled = jitted.lower(1.0, 2.0).compile()
        shardings, _ = compiled.input_shardings
        assert (shardings[1] is None) != bool(options.get("keep_unused"))
        assert compiled.donate_argnums == ((0,) if "donate_argnums" in options else ())
        x = jnp.float32(3)
        assert jitted(x, 2.0) == 4
        assert x.is_deleted() == ("donate_argnums" in options)
    assert function.count == 2  # once for Python's numbers, once for an array


def test_eval_shape_of_a_jitted_function_runs_nothing():
    out = jax.jit(lambda x: x @ x.T).eval_shape(
        jax.ShapeDtypeStruct((2, 3), jnp.float32)
    )
    assert out.shape == (2, 2)


def test_disable_jit_runs_python():
    seen = []

    @jax.jit
    def fun(x):
        seen.append(float(x))
        return x

    with jax.disable_jit():
        fun(2.0)
    assert seen == [2.0]


def test_compile_time_evaluation_inside_a_trace():
    @jax.jit
    def fun(x):
        with jax.ensure_compile_time_eval():
            n = int(jnp.ceil(jnp.log2(10.0)))
        return x * n

    assert fun(1.0) == 4.0


def test_clear_caches_traces_again():
    fun = counted(lambda x: x + 1)
    jitted = jax.jit(fun)
    jitted(1.0)
    jax.clear_caches()
    jitted(1.0)
    assert fun.count == 2


def test_named_scopes_show_in_locations():
    @jax.jit
    def fun(x):
        with jax.named_scope("inner"):
            return jnp.sin(x)

    assert "jit(fun)/inner/sin" in fun.lower(1.0).as_text(debug_info=True)


def test_x64_is_part_of_the_signature():
    jitted = jax.jit(lambda x: x + 1)
    assert jitted(1.0).dtype == np.float32
    with jax.enable_x64(True):
        assert jitted(1.0).dtype == np.float64
    assert jitted(1.0).dtype == np.float32


def test_debug_nans_names_the_operation():
    with (
        jax.debug_nans(True),
        pytest.raises(FloatingPointError, match=r"\(nan\).* in log"),
    ):
        jax.jit(lambda x: jnp.log(x) * 2)(-1.0)


def test_random_keys_go_through_jit():
    key = jax.random.key(3)
    out = jax.jit(lambda k: jax.random.split(k))(key)
    assert out.shape == (2,) and out.dtype == key.dtype
    np.testing.assert_array_equal(
        jax.random.key_data(out), jax.random.key_data(jax.random.split(key))
    )


def test_the_type_that_is_described_is_told():
    x = jnp.ones((2, 3), jnp.bfloat16)
    assert jax.typeof(jax.ShapeDtypeStruct((2, 3), jnp.bfloat16)) == jax.typeof(x)
    assert jax.typeof(jax.eval_shape(lambda: 1.0)) == jax.typeof(1.0)
    keys = jax.random.split(jax.random.key(0))
    assert jax.typeof(jax.eval_shape(lambda: keys)) == jax.typeof(keys)
    ref = jax.ShapeDtypeStruct((2, 3), jnp.bfloat16, is_ref=True)
    assert jax.typeof(ref) == jax.typeof(jax.new_ref(x))
    mesh = jax.make_mesh((1,), ("a",), axis_types=(jax.sharding.AxisType.Explicit,))
    sharding = jax.sharding.NamedSharding(mesh, jax.P("a"))
    struct = jax.ShapeDtypeStruct((2,), np.float32, sharding=sharding)
    assert jax.typeof(struct) == jax.typeof(jax.device_put(np.ones(2, "f4"), sharding))
    with pytest.raises(TypeError, match="not a valid JAX type"):
        jax.lax.sin(struct)


def test_eval_shape_hands_types_on():
    shape = jax.ShapeDtypeStruct((2, 3), jnp.int8)
    found = jax.eval_shape(lambda x: {"given": shape, "made": x + 1}, jnp.ones(4))
    assert found["given"] == shape
    assert found["made"] == jax.ShapeDtypeStruct((4,), jnp.float32)


def test_vmap_hands_on_what_has_no_axis_and_is_no_array():
    out = jax.vmap(lambda x, f: f(x), in_axes=(0, None))(jnp.arange(3.0), lambda x: -x)
    assert out.tolist() == [0.0, -1.0, -2.0]
    with pytest.raises(TypeError, match="not a valid JAX type"):
        jax.vmap(lambda x, f: f(x))(jnp.arange(3.0), lambda x: -x)


def test_an_unused_donation_is_told():
    with pytest.warns(UserWarning, match=r"not usable.*\n.*float32\[3\]"):
        jax.jit(lambda x: x.sum(), donate_argnums=0)(jnp.ones(3))


def test_the_arguments_device_and_backend_are_deprecated():
    with pytest.warns(DeprecationWarning, match="device_put"):
        jax.jit(lambda x: x, backend="cpu")


def test_a_positional_parameter_has_no_static_name():
    with pytest.raises(ValueError, match="position only"):
        jax.jit(lambda x, /, y: x, static_argnames="x")


def test_modules_are_named_after_the_function():
    text = jax.jit(lambda x: x).lower(1.0).as_text()
    assert text.startswith("module @jit__lambda ")


@jax.jit
def incremented(x):
    return x + 1


def test_jitted_functions_outlive_a_pickle():
    assert pickle.loads(pickle.dumps(incremented)) is incremented
    power = jax.jit(jnp.power, static_argnums=1)
    again = pickle.loads(pickle.dumps(power))
    assert again(3.0, 2) == 9.0 and again.jit_options == power.jit_options


def test_types_of_results_are_traced_once():
    """One trace for each function, types of arguments and configuration."""
    calls = []
    x = jnp.ones(3)
    for is_jitted in (False, True):
        calls.clear()

        def f(x):
            calls.append(x.dtype)
            return x + 1, {"two": x.sum()}

        jitted = jax.jit(f)
        of_type = jitted.eval_shape if is_jitted else ft.partial(jax.eval_shape, f)
        first, again = of_type(jax.ShapeDtypeStruct((3,), "float32")), of_type(x)
        assert first == again and len(calls) == 1
        again[0].weak_type = True  # nobody else's
        assert of_type(x) == first
        assert of_type(jnp.ones(4))[0].shape == (4,) and len(calls) == 2
        with jax.enable_x64(True):
            assert of_type(np.ones(3))[0].dtype == np.float64 and len(calls) == 3
    jitted(x), jitted.trace(x), jax.eval_shape(jitted, x)
    assert len(calls) == 3


def test_types_of_results_of_closures_are_not_kept():
    jitted = {}

    def outer(y):
        f = jitted.setdefault("f", lambda x: x + jitted["y"])
        jitted["y"] = y
        one = jnp.ones((1, 1))
        return [jax.eval_shape(g, one).shape for g in (f, jax.jit(f))]

    found = []
    for size in (2, 3):
        jax.make_jaxpr(lambda y: found.extend(outer(y)) or y)(jnp.ones((1, size)))
    assert found == [(1, 2), (1, 2), (1, 3), (1, 3)]


def test_types_of_results_may_depend_on_static_arguments():
    f = jax.jit(lambda x, n: x.reshape(n, -1), static_argnums=1)
    assert jax.eval_shape(f, jnp.ones(6), 2).shape == (2, 3)
    assert jax.eval_shape(f, jnp.ones(6), 3).shape == (3, 2)


def test_axes_that_a_trace_saw_are_part_of_what_is_kept():
    sums = lambda x: jax.lax.psum(x, "i")
    x = jnp.ones((2, 3))
    jax.vmap(lambda row: (jax.eval_shape(sums, row), row)[1], axis_name="i")(x)
    with pytest.raises(NameError):
        jax.eval_shape(sums, x)


@pytest.mark.parametrize(
    "outer",
    [jax.jit, jax.grad, lambda f: lambda y: jax.vmap(f)(jnp.array([y]))],
    ids=["jit", "grad", "vmap"],
)
def test_traced_values_of_a_staged_function_are_inputs_of_its_program(outer):
    found = []

    def scaled(y):
        jitted = jax.jit(lambda x, z: (x * y, z), donate_argnums=1)
        found.append(jitted.trace(jnp.ones(3), jnp.ones(2)))
        return y

    outer(scaled)(2.0)
    (traced,) = found
    assert len(traced.jaxpr.in_avals) == 3 and not traced.jaxpr.consts
    args, _ = traced.args_info
    assert [(a.shape, a.donated) for a in args] == [((3,), False), ((2,), True)]
    assert traced.donate_argnums == (1,)
    lowered = traced.lower()
    assert "tensor<3xf32>" in lowered.as_text()
    assert lowered.in_tree.num_leaves == 2
    compiled = lowered.compile()
    (shardings, _) = compiled.input_shardings
    assert len(shardings) == 2
    with pytest.raises(TypeError, match="closes over traced values"):
        compiled(jnp.ones(3), jnp.ones(2))


def test_all_wrappers_of_a_function_share_its_traces():
    fun = counted(lambda x, y=2.0: x * y)
    x = jnp.ones(3)
    shapes = jax.eval_shape(fun, x)
    assert (shapes.shape, shapes.dtype) == ((3,), jnp.float32)
    jax.jit(fun)(x)
    jax.jit(fun, donate_argnums=0).lower(x)
    jax.jit(fun, keep_unused=True, out_shardings=x.sharding)(x)
    assert fun.count == 1
    jax.jit(fun)(jnp.ones(4))
    jax.jit(fun, static_argnums=1)(x, 2.0)
    jax.jit(fun, static_argnums=1)(x, 3.0)
    assert fun.count == 4


def test_shared_traces_keep_their_wrappers_apart():
    def fun(x):
        return x * 2

    x = jnp.ones(3)
    donating = jax.jit(fun, donate_argnums=0)
    np.testing.assert_array_equal(jax.jit(fun)(x), donating(x))
    assert x.is_deleted()
    kept = jnp.ones(3)
    jax.jit(fun)(kept)
    assert not kept.is_deleted()


def test_metadata_of_results_is_that_of_the_shared_trace():
    """An optimizer made of functions may be created while the state is."""

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class State:
        value: jax.Array
        rule: object = dataclasses.field(metadata={"static": True})

    def make(x):
        return State(x, lambda: None)

    shapes = jax.eval_shape(make, 1.0)
    sharding = jax.tree.map(lambda _: jnp.ones(()).sharding, shapes)
    assert jax.jit(make, out_shardings=sharding)(1.0).rule is shapes.rule


def test_types_as_results_are_no_program():
    def fun(x):
        return jax.ShapeDtypeStruct((2,), "int8")

    assert jax.eval_shape(fun, 1.0).dtype == "int8"
    with pytest.raises(TypeError, match="not a valid JAX type"):
        jax.jit(fun)(1.0)


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize(
    "around", [lambda f: f, jax.jit, jax.vmap, jax.checkpoint, jax.linearize]
)
def test_numbers_are_arrays_in_a_function_that_is_compiled(around, inline):
    @ft.partial(jax.jit, inline=inline)
    def scaled(factor, x):
        return factor.astype(x.dtype) * x

    args = (jnp.ones(2),)
    if around is jax.linearize:
        found = jax.linearize(lambda x: scaled(2.0, x), *args)[0]
    else:
        found = around(lambda x: scaled(2.0, x))(*args)
    np.testing.assert_array_equal(found, [2.0, 2.0])


def test_inlined_functions_leave_no_equation():
    inlined = jax.jit(lambda x: x + 1, inline=True)
    program = jax.make_jaxpr(lambda x: inlined(x) * 2)(1.0)
    assert [eqn.primitive.name for eqn in program.eqns] == ["add", "mul"]


class _Scaled:
    """An object whose methods do what its attribute says when they are traced."""

    def __init__(self):
        self.by = 1.0

    def scale(self, x):
        return x * self.by

    def step(self, carry, x):
        return carry * self.by, x


BY_METHOD = {
    "jit": lambda m, x: jax.jit(m.scale)(x),
    "jit with options": lambda m, x: jax.jit(m.scale, keep_unused=True)(x),
    "scan": lambda m, x: jax.lax.scan(m.step, x, None, length=1)[0],
    "map": lambda m, x: jax.lax.map(m.scale, x[None])[0],
    "cond": lambda m, x: jax.lax.cond(True, m.scale, jnp.sin, x),
    "switch": lambda m, x: jax.lax.switch(0, [m.scale, jnp.sin], x),
    "while_loop": lambda m, x: jax.lax.while_loop(lambda y: y[0] < 2, m.scale, x),
    "checkpoint": lambda m, x: jax.checkpoint(m.scale)(x),
    "shard_map": lambda m, x: jax.shard_map(
        m.scale, mesh=jax.make_mesh((1,), ("i",)), in_specs=P(), out_specs=P()
    )(x),
}


@pytest.mark.parametrize("name", BY_METHOD)
def test_a_method_is_traced_anew_when_no_one_holds_its_last_trace(name):
    x = jnp.array([1.5])
    scaled = _Scaled()
    scaled.by = 2.0
    assert BY_METHOD[name](scaled, x) == 3.0
    scaled.by = 4.0
    assert BY_METHOD[name](scaled, x) == 6.0


def test_equal_methods_that_are_held_share_their_traces():
    scaled, x = _Scaled(), jnp.ones(())
    first = jax.jit(scaled.scale)
    assert first(x) == 1
    scaled.by = 2.0
    assert jax.jit(scaled.scale)(x) == 1
    del first
    assert jax.jit(scaled.scale)(x) == 2


def test_a_jitted_method_does_not_keep_its_object():
    scaled = _Scaled()
    jax.jit(scaled.scale)(jnp.ones(()))
    jax.lax.scan(scaled.step, jnp.ones(()), None, length=2)
    gone = weakref.ref(scaled)
    del scaled
    gc.collect()
    assert gone() is None


TYPE = jax.ShapeDtypeStruct((3,), np.float32)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: y + 1,
        lambda x, y: x.shape[0] * y,
        lambda x, y: jnp.zeros(x.shape, x.dtype) + y,
        lambda x, y: jnp.zeros_like(x) + y,
    ],
)
def test_a_type_is_an_argument_whose_value_is_not_needed(function):
    jitted = jax.jit(function)
    wanted = function(np.ones(3, np.float32), 2.0)
    for _ in range(2):
        np.testing.assert_array_equal(jitted(TYPE, 2.0), wanted)
    np.testing.assert_array_equal(jitted(jnp.ones(3), 2.0), wanted)
    np.testing.assert_array_equal(jax.jit(lambda y: jitted(TYPE, y))(2.0), wanted)
    jax.vmap(lambda y: jitted(TYPE, y))(jnp.ones(2))
    jax.grad(lambda y: jitted(TYPE, y).sum())(2.0)


@pytest.mark.parametrize("function", [lambda x: x, lambda x: x + 1, jnp.sum])
def test_a_type_whose_value_is_needed_is_refused(function):
    with pytest.raises(TypeError, match=r"'.*' of shape float32\[3\] of type .*Struct"):
        jax.jit(function)(TYPE)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda f: jax.jit(jax.jit(f)),
        lambda f: jax.jit(jax.jit(jax.jit(f))),
        lambda f: jax.jit(
            lambda x, y: jax.lax.scan(lambda c, _: (f(x, c), None), y, None, 1)[0]
        ),
    ],
)
def test_a_type_that_calls_inside_do_not_read_is_an_argument(wrap):
    wanted = jax.ShapeDtypeStruct((3,), jnp.float32)
    assert wrap(lambda x, y: y * 2)(wanted, 3.0) == 6.0
    keys = jax.eval_shape(jax.random.key, 0)
    assert wrap(lambda key, y: y + key.ndim)(keys, 2.0) == 2.0
    with pytest.raises(TypeError, match="is not a valid JAX type"):
        wrap(lambda x, y: y * x.sum())(wanted, 3.0)
