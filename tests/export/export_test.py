"""Exporting functions and calling what was exported."""

import dataclasses
import inspect

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export, lax
from jax.experimental import io_callback

X = np.float32([1, 2])
Y = np.int32([1, 2, 3])
Check = export.DisabledSafetyCheck


@jax.jit
def scaled(x, y):
    return x * 2, y + 1


EXPORTED = export.export(scaled)(jax.ShapeDtypeStruct((2,), "float32"), Y)


def again(exported, order=0):
    return export.deserialize(exported.serialize(vjp_order=order))


def test_exported_describes_what_was_exported():
    assert EXPORTED.fun_name == "scaled"
    assert EXPORTED.platforms == (export.default_export_platform(),)
    assert [a.str_short() for a in EXPORTED.in_avals] == ["float32[2]", "int32[3]"]
    assert EXPORTED.in_tree == jax.tree.structure(((0, 0), {}))
    assert EXPORTED.out_tree == jax.tree.structure((0, 0))
    assert EXPORTED.calling_convention_version == 10
    assert EXPORTED.module_kept_var_idx == (0, 1)
    assert EXPORTED.nr_devices == 1
    assert not EXPORTED.uses_global_constants
    assert EXPORTED.in_shardings_jax(None) == EXPORTED.out_shardings_jax(None)
    assert EXPORTED.mlir_module_serialized.startswith(b"ML\xefR\rStableHLO_v1.15.0\0")
    assert str(EXPORTED) == "Exported(fun_name=scaled, ...)"
    assert EXPORTED == dataclasses.replace(EXPORTED)
    assert hash(EXPORTED) == hash(dataclasses.replace(EXPORTED))


def test_its_module_is_text_or_an_object():
    text = EXPORTED.mlir_module()
    assert "stablehlo.multiply" in text
    assert "func.func public @main" in text
    assert str(EXPORTED.mlir_module(serialized=False).operation).startswith("module")


@pytest.mark.parametrize("exported", [EXPORTED, again(EXPORTED)])
@pytest.mark.parametrize("transform", [lambda f: f, jax.jit])
def test_a_call_computes_what_the_function_computes(exported, transform):
    a, b = transform(exported.call)(X, Y)
    np.testing.assert_array_equal(a, 2 * X)
    np.testing.assert_array_equal(b, Y + 1)


def test_calls_stand_in_other_programs():
    def loop(x):
        return lax.scan(lambda c, _: (EXPORTED.call(c, Y)[0], None), x, None, length=3)[
            0
        ]

    np.testing.assert_array_equal(jax.jit(loop)(X), 8 * X)
    outer = export.export(jax.jit(lambda x: EXPORTED.call(*EXPORTED.call(x, Y))))(X)
    np.testing.assert_array_equal(again(outer).call(X)[0], 4 * X)
    text = (
        jax.jit(lambda x: sum(EXPORTED.call(x, Y)[0] for _ in "ab")).lower(X).as_text()
    )
    assert text.count("func.func private @call_exported_scaled") == 1
    assert text.count("call @call_exported_scaled") == 2


def test_names_of_functions_do_not_clash():
    inner = jax.jit(lambda x: jnp.where(x > 1, x, 0))
    first = export.export(jax.jit(lambda x: inner(x) + 1))(X)
    second = export.export(jax.jit(lambda x: inner(x) * 3))(X)

    @jax.jit
    def both(x):
        return first.call(x) + inner(x) + second.call(x)

    np.testing.assert_array_equal(both(X), [1 + 0 + 0, 3 + 2 + 6])


def test_reverse_mode_differentiates_it():
    def loss(call, x):
        return jnp.sum(call(x, Y)[0] ** 2)

    wanted = jax.grad(lambda x: loss(scaled, x))(X)
    np.testing.assert_array_equal(jax.grad(lambda x: loss(EXPORTED.call, x))(X), wanted)
    read = again(EXPORTED, 1)
    np.testing.assert_array_equal(jax.grad(lambda x: loss(read.call, x))(X), wanted)
    remat = jax.checkpoint(lambda x: loss(read.call, x))
    np.testing.assert_array_equal(jax.jit(jax.grad(remat))(X), wanted)


def test_the_derivative_is_a_program_too():
    vjp = EXPORTED.vjp()
    assert [a.str_short() for a in vjp.in_avals] == [
        "float32[2]",
        "int32[3]",
        "float32[2]",
        "float0[3]",
    ]
    assert [a.str_short() for a in vjp.out_avals] == ["float32[2]", "float0[3]"]
    for derivative in (vjp, again(EXPORTED, 1).vjp()):
        x_bar, y_bar = derivative.call(X, Y, X, np.zeros(3, jax.float0))
        np.testing.assert_array_equal(x_bar, 2 * X)
        assert y_bar.dtype == jax.float0


def test_derivatives_end_where_they_were_not_written():
    read = again(EXPORTED, 1)
    assert read.has_vjp()
    assert not read.vjp().has_vjp()
    gradient = jax.grad(lambda x: read.call(x, Y)[0].sum())
    with pytest.raises(ValueError, match="No VJP is available"):
        jax.grad(lambda x: gradient(x).sum())(X)
    with pytest.raises(ValueError, match="high-enough order"):
        read.serialize(vjp_order=2)
    with pytest.raises(ValueError, match="No VJP is available"):
        again(EXPORTED).vjp()


def test_it_cannot_be_batched_or_differentiated_forwards():
    with pytest.raises(NotImplementedError, match="'call_exported'"):
        jax.vmap(EXPORTED.call)(jnp.ones((4, 2)), jnp.ones((4, 3), jnp.int32))
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(lambda x: EXPORTED.call(x, Y), (X,), (X,))


@pytest.mark.parametrize(
    ("args", "kwargs", "error", "message"),
    [
        ((Y, Y), {}, ValueError, r"Shape mismatch for args\[0\]"),
        (
            (np.int32([1, 2]), Y),
            {},
            ValueError,
            r"Dtype mismatch for args\[0\].*float32",
        ),
        ((X, X[:1]), {}, ValueError, r"Shape mismatch for args\[1\]"),
        ((X,), {}, ValueError, "same pytree structure"),
        ((X,), {"y": Y}, ValueError, "same pytree structure"),
        ((X, "a"), {}, TypeError, "str"),
    ],
)
def test_other_arguments_are_refused(args, kwargs, error, message):
    with pytest.raises(error, match=message):
        EXPORTED.call(*args, **kwargs)


def test_unused_arguments_stay_out_of_the_module():
    exported = export.export(jax.jit(lambda x, y: y))(X, Y)
    assert exported.module_kept_var_idx == (1,)
    np.testing.assert_array_equal(again(exported).call(X, Y), Y)
    kept = export.export(jax.jit(lambda x, y: y, keep_unused=True))(X, Y)
    assert kept.module_kept_var_idx == (0, 1)


def test_large_constants_are_part_of_it():
    table = np.arange(1000, dtype=np.float32)
    exported = export.export(jax.jit(lambda i: jnp.asarray(table)[i]))(np.int32(0))
    assert again(exported).call(np.int32(77)) == 77


def test_static_arguments_are_gone():
    exported = export.export(jax.jit(lambda x, n: x + n, static_argnums=1))(X, 3)
    np.testing.assert_array_equal(exported.call(X), X + 3)


@pytest.mark.parametrize("name", ["threefry2x32", "rbg", "unsafe_rbg"])
def test_keys_go_in_and_out(name):
    key = jax.random.key(0, impl=name)
    draw = jax.jit(lambda k: (jax.random.split(k), jax.random.uniform(k, (2,))))
    keys, numbers = again(export.export(draw)(key)).call(key)
    assert keys.dtype == key.dtype
    assert jnp.array_equal(numbers, draw(key)[1])


def test_platforms_choose_their_operations():
    function = jax.jit(
        lambda x: lax.platform_dependent(x, cpu=jnp.sin, cuda=jnp.cos, default=jnp.tan)
    )
    both = export.export(function, platforms=["cuda", "cpu", "tpu"])(X)
    assert both.platforms == ("cuda", "cpu", "tpu")
    assert both.uses_global_constants
    np.testing.assert_allclose(again(both).call(X), np.sin(X), rtol=1e-6)
    other = export.export(
        function, platforms=["cuda"], disabled_checks=[Check.platform()]
    )(X)
    np.testing.assert_allclose(again(other).call(X), np.cos(X), rtol=1e-6)
    with pytest.raises(ValueError, match="exported for platforms"):
        export.export(function, platforms=["tpu"])(X).call(X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jax.pure_callback(np.sin, x, x),
        lambda x: io_callback(np.sin, x, x, ordered=True),
        lambda x: (jax.debug.print("{}", x), x)[1],
    ],
)
def test_callbacks_cannot_be_exported(function):
    with pytest.raises(NotImplementedError, match="host_callbacks"):
        export.export(jax.jit(function))(X)


def test_effects_cannot_be_exported():
    call = jax.ffi.ffi_call(
        "target_of_tests", jax.ShapeDtypeStruct((2,), "float32"), has_side_effect=True
    )
    with pytest.raises(NotImplementedError, match="effects"):
        export.export(jax.jit(call))(X)


def test_custom_calls_need_guarantees():
    call = jax.jit(
        jax.ffi.ffi_call("target_of_tests", jax.ShapeDtypeStruct((2,), "float32"))
    )
    with pytest.raises(
        ValueError, match=r"compatibility guarantees(.|\n)*target_of_tests"
    ):
        export.export(call)(X)
    check = Check.custom_call("target_of_tests")
    exported = export.export(call, disabled_checks=[check])(X)
    assert again(exported).disabled_safety_checks == (check,)
    factor = export.export(jax.jit(jnp.linalg.cholesky))(np.eye(2, dtype=np.float32))
    assert "lapack_spotrf_ffi" in factor.mlir_module()


def test_other_platforms_get_no_routines_of_the_cpu():
    values = jax.jit(jnp.linalg.eigvalsh)
    matrix = np.diag(np.arange(2, dtype=np.float32))
    assert "lapack" in export.export(values, platforms=["cpu"])(matrix).mlir_module()
    on_tpu = export.export(values, platforms=["tpu"])(matrix).mlir_module()
    assert "lapack" not in on_tpu and "while" in on_tpu
    both = export.export(values, platforms=["cpu", "tpu"])(matrix)
    np.testing.assert_array_equal(both.call(matrix), [0, 1])
    schur = jax.jit(lambda x: jax.scipy.linalg.schur(x)[0])
    assert "lapack" in export.export(schur, platforms=["cpu"])(matrix).mlir_module()
    both = export.export(schur, platforms=["cpu", "tpu"])(matrix)
    np.testing.assert_array_equal(both.call(matrix), matrix)


def test_references_cannot_be_exported():
    with pytest.raises(NotImplementedError, match="references"):
        export.export(jax.jit(lambda ref: ref[...]))(jax.new_ref(X))


def test_traced_values_around_a_function_are_refused():
    def outer(factor):
        return export.export(jax.jit(lambda x: x * factor))(X).call(X)

    with pytest.raises(NotImplementedError, match="closes? over traced values"):
        jax.jit(outer)(2.0)


def test_checks_have_names():
    assert str(Check.platform()) == "platform"
    assert repr(Check.custom_call("a")) == "custom_call:a"
    assert Check.custom_call("a").is_custom_call() == "a"
    assert Check.platform().is_custom_call() is None
    assert {Check.platform()} == {Check.platform()}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"platforms": "cpu"}, TypeError, "one string"),
        ({"platforms": ["gpu"]}, RuntimeError, "family"),
        ({"disabled_checks": ["platform"]}, TypeError, "DisabledSafetyCheck"),
        ({"_override_lowering_rules": ()}, NotImplementedError, "lowering_rules"),
    ],
)
def test_wrong_options_are_explained(options, error, message):
    with pytest.raises(error, match=message):
        export.export(scaled, **options)


def test_only_jitted_functions_can_be_exported():
    with pytest.raises(ValueError, match="must be the result of `jit`"):
        export.export(lambda x: x)


def test_signatures_are_those_that_people_know():
    assert list(inspect.signature(export.export).parameters) == [
        "fun_jit",
        "platforms",
        "disabled_checks",
        "_override_lowering_rules",
    ]
    assert export.minimum_supported_calling_convention_version == 9
    assert export.maximum_supported_calling_convention_version == 10
