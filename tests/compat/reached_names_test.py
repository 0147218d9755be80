"""What other libraries reach behind the public modules: each name is there, and does what they use it for.

The libraries are those whose sources were read, with the names that they take from `jax._src`, from jaxlib, and from
public modules though they begin with an underscore.
"""

import importlib
import inspect
import subprocess
import sys

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src import traceback_util
from jax.extend import core, linear_util as lu
from jax.interpreters import mlir

# Names that are to go warn at their first use.
pytestmark = pytest.mark.filterwarnings(r"ignore:jax\..* is deprecated; ")

REACHED = {
    "bartz": ["jaxlib.xla_client.CompileOptions"],
    "blackjax": ["jax._src.flatten_util.ravel_pytree"],
    "chex": ["jax._src.compiler", "jax._src.xla_bridge._backends"],
    "e3nn_jax": [
        "jax._src.api_util.infer_argnums_and_argnames",
        "jaxlib.__version__",
    ],
    "equinox": [
        "jax._src.dispatch.wait_for_tokens",
        "jax._src.dtypes.TypePromotionError",
        "jax._src.traceback_util.include_frame",
        "jax._src.traceback_util.register_exclusion",
    ],
    "flax": [
        "jax._src.checkify.Error",
        "jax._src.checkify.JaxException",
        "jax._src.checkify.Out",
        "jax._src.checkify.checkify",
        "jax._src.checkify.user_checks",
        "jax._src.core.ShapedArray",
        "jax._src.core.physical_aval",
        "jax._src.dtypes.DType",
        "jax._src.dtypes.ExtendedDType",
        "jax._src.dtypes.extended",
        "jax._src.dtypes.finfo",
        "jax._src.dtypes.supports_inf",
        "jax._src.earray.EArray",
        "jax._src.interpreters.pxla.global_result_handlers",
        "jax._src.state.types.AbstractRef",
        "jax._src.traceback_util.UnfilteredStackTrace",
        "jax._src.traceback_util._exclude_paths",
        "jax._src.traceback_util.api_boundary",
        "jax._src.traceback_util.register_exclusion",
        "jax._src.tree_util._registry",
        "jax._src.tree_util.prefix_errors",
    ],
    "gpjax": ["jaxlib._jax.PjitFunction"],
    "jax_dataclasses": ["jaxlib.xla_client.Device"],
    "jax_md": ["jax._src.core.Primitive", "jax._src.core.ShapedArray"],
    "jaxlie": ["jax._src.tree_util._registry"],
    "jaxtyping": ["jax._src.traceback_util.register_exclusion"],
    "keras": [
        "jax._src.cudnn.fused_attention_stablehlo._normalize_layout",
        "jax._src.cudnn.fused_attention_stablehlo.check_compute_capability",
        "jax._src.cudnn.fused_attention_stablehlo.check_cudnn_version",
        "jax._src.cudnn.fused_attention_stablehlo.check_is_flash_attention",
        "jax._src.cudnn.fused_attention_stablehlo.check_layout",
        "jax._src.xla_bridge.get_backend",
    ],
    "lineax": ["jax._src.ad_util.stop_gradient_p"],
    "numpyro": ["jax._src.core.trace_state_clean"],
    "optree": [
        "jax._src.dtypes.dtype",
        "jax._src.dtypes.result_type",
        "jax._src.util.HashablePartial",
    ],
    "orbax": [
        "jax._src.distributed.global_state",
        "jax._src.tree_util.flatten_one_level",
        "jax.experimental.colocated_python.func._make_prng_wrapped_fun",
        "jax.experimental.colocated_python.serialization._get_cpu_device_map",
        "jax.experimental.colocated_python.serialization._reduce_device_list",
        "jax.experimental.colocated_python.serialization._reduce_mesh",
        "jax.experimental.colocated_python.serialization._reduce_single_device_sharding",
        "jax.experimental.colocated_python.serialization.xb",
    ],
    "orthax": ["jax._src.numpy.util.promote_dtypes_inexact"],
    "oryx": [
        "jax._src.ad_checkpoint.remat_p",
        "jax._src.api_util.flatten_fun_nokwargs",
        "jax._src.core.AbstractValue",
        "jax._src.core.ClosedJaxpr",
        "jax._src.core.DropVar",
        "jax._src.core.Jaxpr",
        "jax._src.core.Literal",
        "jax._src.core.Primitive",
        "jax._src.core.Trace",
        "jax._src.core.Tracer",
        "jax._src.core.Var",
        "jax._src.core.eval_jaxpr",
        "jax._src.core.jaxpr_as_fun",
        "jax._src.dtypes.canonicalize_dtype",
        "jax._src.effects.Effect",
        "jax._src.effects.control_flow_allowed_effects",
        "jax._src.effects.lowerable_effects",
        "jax._src.effects.remat_allowed_effects",
        "jax._src.lax.control_flow.cond_p",
        "jax._src.lax.control_flow.scan_p",
        "jax._src.lax.control_flow.while_p",
        "jax._src.sharding_impls.UNSPECIFIED",
        "jax._src.sharding_impls.UnspecifiedValue",
        "jax._src.tree_util.tree_leaves",
        "jax._src.tree_util.tree_unflatten",
        "jax.interpreters.mlir._call_lowering",
    ],
    "pytensor": ["jax._src.lax.control_flow.scan"],
    "s2fft": [
        "jax._src.lib.cuda_versions",
        "jax._src.numpy.util.promote_dtypes_complex",
    ],
    "tinygp": [
        "jax._src.dtypes.to_complex_dtype",
        "jax._src.public_test_util.check_close",
    ],
}
NAMES = sorted({name for names in REACHED.values() for name in names})
X = jnp.arange(3.0)


def found(path):
    """What is at a path: `import` as far as modules go, and attributes from there."""
    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for name in parts[end:]:
            value = getattr(value, name)
        return value
    raise ModuleNotFoundError(path)


def compile_options(cls):
    options = cls()
    options.num_replicas, options.num_partitions = 1, 2
    return (
        options.SerializeAsString() != cls().SerializeAsString()
        and options.replica_count == 1
        and options.partition_count == 2
    )


def jit_functions(cls):
    return isinstance(jax.jit(jnp.sin), cls) and not isinstance(jnp.sin(1.0), cls)


def excluded_paths(paths):
    """Libraries hide their frames, and show them again."""
    here = __file__
    assert here not in paths
    paths.append(here)
    paths.append(here)  # also where the library has done so in another module
    hidden = not traceback_util.include_frame(inspect.currentframe())
    paths.remove(here)
    return hidden and traceback_util.include_frame(inspect.currentframe())


def hides_frames(register_exclusion):
    register_exclusion("/somewhere/of/a/library")
    kept = traceback_util._exclude_paths
    kept.remove("/somewhere/of/a/library")
    return "/somewhere/of/a/library" not in kept


def boundary(api_boundary):
    @api_boundary
    def double(x):
        """Twice as much."""
        return 2 * x

    return double(2) == 4 and double.__doc__ == "Twice as much."


def argnums(infer):
    def f(a, b, /, c, d=1, *, e): ...

    signature = inspect.signature(f)
    return (
        infer(signature, (0, 2), None) == ((0, 2), ("c",))
        and infer(signature, None, ("d", "e")) == ((3,), ("d", "e"))
        and infer(signature, None, "c") == ((2,), ("c",))
        and infer(signature, 1, None) == ((1,), ())
        and infer(signature, (0,), ("e",)) == ((0,), ("e",))
        and infer(signature, None, None) == ((), ())
    )


def flat_functions(flatten):
    leaves, tree = jax.tree.flatten(({"a": X}, 2.0))
    fun = lu.wrap_init(lambda d, y: {"b": d["a"] * y}, debug_info=debug_info())
    flat, out_tree = flatten(fun, tree)
    (out,) = flat.call_wrapped(*leaves)
    return out_tree() == jax.tree.structure({"b": 0}) and out[2] == 4


def debug_info():
    return jax.api_util.debug_info("test", jnp.add, (X, X), {})


def wrapped_keys(wrapped):
    def split(key, n):
        return {"keys": jax.random.split(key, 2), "n": n}

    run = wrapped(split, {0: "threefry2x32"}, {0: "threefry2x32"})
    key = jax.random.key(0)
    out = run(jax.random.key_data(key), 3)
    want = jax.random.key_data(jax.random.split(key, 2))
    return (
        out["n"] == 3
        and np.array_equal(out["keys"], want)
        and run.__name__ == "split"
        and wrapped(split, {}, {}) is split
    )


def reduced(value):
    """A check that what was taken apart is put together again."""

    def check(reduce):
        made = value()
        rebuild, arguments = reduce(made)
        return rebuild(*arguments) == made

    return check


def device_list():
    module = importlib.import_module("jax.experimental.colocated_python.serialization")
    return module.DeviceList(jax.devices())


def partials(cls):
    def made(scale):
        return lambda x, *, more: scale * x + more

    one, other = cls(made(1), 2, more=3), cls(made(5), 2, more=3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(cls(made(1), [2]))
    return (
        one == other  # one code: what the function depends on is passed
        and hash(one) == hash(other)
        and one != cls(made(1), 2, more=4)
        and one != made(1)
        and one() == 5
    )


def inexact(promote):
    first, second = promote(1, jnp.int8(2))
    (alone,) = promote(jnp.arange(2))
    return (
        first.dtype == second.dtype == jnp.float32
        and alone.dtype == jnp.float32
        and isinstance(alone, jax.Array)
    )


def complex_(promote):
    (whole,), (real,) = promote(jnp.arange(2)), promote(np.ones(2, np.float32))
    return whole.dtype == real.dtype == jnp.complex64


def closeness(check_close):
    check_close({"a": X}, {"a": X + 1e-7})
    check_close(X, X + 1e-3, atol={"float32": 1e-3}, rtol={"float32": 1e-3})
    check_close(X, X.astype(jnp.bfloat16) + 0.01)
    for other, error in ((X + 1e-3, "Mismatched"), (X[:2], "shapes differ")):
        with pytest.raises(AssertionError, match=error):
            check_close(X, other)
    with pytest.raises(AssertionError, match="Mismatched"):
        check_close(X, X + 1e-3, atol={"float64": 1e-3}, rtol={"float64": 1e-3})
    return True


def physical(physical_aval):
    keys = jax.typeof(jax.random.split(jax.random.key(0), 4))
    plain = jax.typeof(X)
    return physical_aval(plain) is plain and (
        physical_aval(keys).shape,
        physical_aval(keys).dtype,
    ) == ((4, 2), np.uint32)


def result_handlers(handlers):
    aval = jax.typeof(X)
    handle = handlers[type(aval)](aval, X.sharding, False)
    out = handle([X])
    return (
        isinstance(out, jax.Array)
        and np.array_equal(out, X)
        and not out.committed
        and handlers[type(aval)](aval, X.sharding, True)([X]).committed
    )


def cudnn_version(check):
    with pytest.raises(RuntimeError, match="cuDNN is not detected"):
        check()
    return True


def layouts(normalize):
    with pytest.raises(ValueError, match="Unsupported qkv_layout"):
        normalize("TBNH")
    return normalize("btnh").value == 0 and normalize("BNTH").value == 1


def layout(text):
    return found("jax._src.cudnn.fused_attention_stablehlo._normalize_layout")(text)


def operands_of_attention(check):
    query = jnp.zeros((2, 8, 4, 16), jnp.bfloat16)
    nothing = [None] * 6
    refused = [
        (query[0], query, query, None, ValueError, "rank of 4"),
        (query, query[:1], query[:1], None, ValueError, "batch must be same"),
        (query, query, query[:, :5], None, ValueError, "same seq length"),
        (query, query[..., :8], query, None, ValueError, "same head dim"),
        (query, query.astype(jnp.float16), query, None, ValueError, "dtype must be"),
        (*[query.astype(jnp.float32)] * 3, None, NotImplementedError, "fp16/bf16"),
        (query, query, query, jnp.zeros((2, 4, 7, 8)), ValueError, "Bias must"),
    ]
    for q, k, v, bias, error, message in refused:
        with pytest.raises(error, match=message):
            check(q, k, v, bias, *nothing, layout=layout("BTNH"))
    bias = jnp.zeros((2, 4, 8, 8))
    return check(query, query, query, bias, *nothing, layout=layout("BTNH")) is None


def sizes_of_attention(check):
    def of(time, features, has_bias, is_training):
        x = jnp.zeros((2, time, 4, features), jnp.bfloat16)
        return check(x, x, x, layout("BTNH"), 90000, has_bias, is_training)

    for sizes, message in (
        ((16, 136, False, False), "head dim"),
        ((16, 60, False, False), "head dim"),
        ((15, 64, True, True), "sequence length"),
    ):
        with pytest.raises(NotImplementedError, match=message):
            of(*sizes)
    return of(16, 128, True, True) is None


def allowed_effects(kinds):
    class MyEffect(found("jax._src.effects.Effect")):
        pass

    assert not kinds.contains(MyEffect())
    kinds.add_type(MyEffect)
    return kinds.contains(MyEffect())


def loops(primitive):
    bodies = {
        "cond": lambda x: jax.lax.cond(x > 0, jnp.sin, jnp.cos, x),
        "scan": lambda x: jax.lax.scan(lambda c, _: (c * 2, c), x, None, 3)[0],
        "while": lambda x: jax.lax.while_loop(lambda c: c < 9, lambda c: c * 2, x),
    }
    jaxpr = jax.make_jaxpr(bodies[primitive.name])(1.0)
    used = [eqn.primitive for eqn in jaxpr.eqns]
    return primitive in used and callable(primitive.bind_with_trace)


def called(call_lowering):
    closed = jax.make_jaxpr(lambda x: (x * 2, x + 1))(X)
    twice_p = core.Primitive("test_called_twice")
    twice_p.multiple_results = True
    twice_p.def_abstract_eval(lambda *_: closed.out_avals)

    def lower(ctx, x):
        for _ in range(2):
            outs, tokens = call_lowering(
                "both",
                closed,
                None,
                ctx.module_context,
                ctx.avals_in,
                ctx.avals_out,
                ctx.tokens_in,
                x,
                dim_var_values=ctx.dim_var_values,
                const_lowering=ctx.const_lowering,
            )
        assert tokens is ctx.tokens_in
        return outs

    mlir.register_lowering(twice_p, lower)
    text = jax.jit(twice_p.bind).lower(X).as_text()
    out = jax.jit(twice_p.bind)(X)
    return text.count("func.func private @both") == 1 and np.array_equal(out[0], X * 2)


def checkified(checkify):
    error, out = checkify(lambda x: jnp.log(x))(X)
    return error.get() is None and out.shape == X.shape


def is_class(cls):
    return isinstance(cls, type)


def is_error(cls):
    return issubclass(cls, Exception)


CHECKS = {
    "jax._src.ad_checkpoint.remat_p": lambda p: (
        p in [e.primitive for e in jax.make_jaxpr(jax.checkpoint(jnp.sin))(1.0).eqns]
        and callable(p.bind_with_trace)
    ),
    "jax._src.ad_util.stop_gradient_p": lambda p: np.array_equal(p.bind(X), X),
    "jax._src.api_util.flatten_fun_nokwargs": flat_functions,
    "jax._src.api_util.infer_argnums_and_argnames": argnums,
    "jax._src.checkify.Error": is_class,
    "jax._src.checkify.JaxException": is_error,
    "jax._src.checkify.Out": lambda _: True,  # of annotations
    "jax._src.checkify.checkify": checkified,
    "jax._src.checkify.user_checks": lambda kinds: bool(kinds),
    "jax._src.compiler": inspect.ismodule,
    "jax._src.core.AbstractValue": lambda cls: isinstance(jax.typeof(X), cls),
    "jax._src.core.ClosedJaxpr": lambda cls: isinstance(
        jax.make_jaxpr(jnp.sin)(X), cls
    ),
    "jax._src.core.DropVar": is_class,
    "jax._src.core.Jaxpr": lambda cls: isinstance(
        jax.make_jaxpr(jnp.sin)(X).jaxpr, cls
    ),
    "jax._src.core.Literal": is_class,
    "jax._src.core.Primitive": lambda cls: isinstance(jax.lax.sin_p, cls),
    "jax._src.core.ShapedArray": lambda cls: cls((2,), np.float32).size == 2,
    "jax._src.core.Trace": is_class,
    "jax._src.core.Tracer": lambda cls: jax.jit(lambda x: isinstance(x, cls))(1.0),
    "jax._src.core.Var": lambda cls: isinstance(
        jax.make_jaxpr(jnp.sin)(X).jaxpr.invars[0], cls
    ),
    "jax._src.core.eval_jaxpr": lambda run: np.array_equal(
        run(jax.make_jaxpr(jnp.sin)(X).jaxpr, [], X)[0], jnp.sin(X)
    ),
    "jax._src.core.jaxpr_as_fun": lambda make: np.array_equal(
        make(jax.make_jaxpr(jnp.sin)(X))(X)[0], jnp.sin(X)
    ),
    "jax._src.core.physical_aval": physical,
    "jax._src.core.trace_state_clean": lambda clean: (
        clean() and not jax.make_jaxpr(lambda: clean())().jaxpr.outvars[0].val
    ),
    "jax._src.cudnn.fused_attention_stablehlo._normalize_layout": layouts,
    "jax._src.cudnn.fused_attention_stablehlo.check_compute_capability": lambda check: (
        check("8.0") is False
    ),
    "jax._src.cudnn.fused_attention_stablehlo.check_cudnn_version": cudnn_version,
    "jax._src.cudnn.fused_attention_stablehlo.check_is_flash_attention": (
        sizes_of_attention
    ),
    "jax._src.cudnn.fused_attention_stablehlo.check_layout": operands_of_attention,
    "jax._src.dispatch.wait_for_tokens": lambda wait: wait() is None,
    "jax._src.distributed.global_state": lambda state: (
        state.process_id == 0 and state.client is None
    ),
    "jax._src.dtypes.DType": lambda _: True,  # of annotations
    "jax._src.dtypes.ExtendedDType": lambda cls: isinstance(
        jax.random.key(0).dtype, cls
    ),
    "jax._src.dtypes.TypePromotionError": is_error,
    "jax._src.dtypes.canonicalize_dtype": lambda f: f(np.float64) == np.float32,
    "jax._src.dtypes.dtype": lambda f: f(1.0) == np.float32,
    "jax._src.dtypes.extended": lambda cls: jnp.issubdtype(
        jax.random.key(0).dtype, cls
    ),
    "jax._src.dtypes.finfo": lambda f: f(jnp.float8_e4m3fn).bits == 8,
    "jax._src.dtypes.result_type": lambda f: f(1, np.float16(2)) == np.float16,
    "jax._src.dtypes.supports_inf": lambda f: (
        f(jnp.float32) and not f(jnp.float8_e4m3fn)
    ),
    "jax._src.dtypes.to_complex_dtype": lambda f: f(np.float32) == np.complex64,
    "jax._src.earray.EArray": is_class,  # extended_dtypes_test.py makes some
    "jax._src.effects.Effect": is_class,
    "jax._src.effects.control_flow_allowed_effects": allowed_effects,
    "jax._src.effects.lowerable_effects": allowed_effects,
    "jax._src.effects.remat_allowed_effects": allowed_effects,
    "jax._src.flatten_util.ravel_pytree": lambda f: f({"a": X, "b": 1.0})[0].size == 4,
    "jax._src.interpreters.pxla.global_result_handlers": result_handlers,
    "jax._src.lax.control_flow.cond_p": loops,
    "jax._src.lax.control_flow.scan": lambda f: f is jax.lax.scan,
    "jax._src.lax.control_flow.scan_p": loops,
    "jax._src.lax.control_flow.while_p": loops,
    "jax._src.lib.cuda_versions": lambda module: (
        module is None or module.cudnn_get_version() > 0
    ),
    "jax._src.numpy.util.promote_dtypes_complex": complex_,
    "jax._src.numpy.util.promote_dtypes_inexact": inexact,
    "jax._src.public_test_util.check_close": closeness,
    "jax._src.sharding_impls.UNSPECIFIED": lambda value: value in jit_shardings(),
    "jax._src.sharding_impls.UnspecifiedValue": lambda cls: isinstance(
        jit_shardings()[0], cls
    ),
    "jax._src.state.types.AbstractRef": is_class,
    "jax._src.traceback_util.UnfilteredStackTrace": is_error,
    "jax._src.traceback_util._exclude_paths": excluded_paths,
    "jax._src.traceback_util.api_boundary": boundary,
    "jax._src.traceback_util.include_frame": lambda f: f(inspect.currentframe()),
    "jax._src.traceback_util.register_exclusion": hides_frames,
    "jax._src.tree_util._registry": lambda kinds: list in kinds and dict in kinds,
    "jax._src.tree_util.flatten_one_level": lambda f: (
        list(f([1, (2, 3)])[0]) == [1, (2, 3)]
    ),
    "jax._src.tree_util.prefix_errors": lambda f: len(f((1, 2), (1, 2, 3))) == 1,
    "jax._src.tree_util.tree_leaves": lambda f: f([1, (2, None)]) == [1, 2],
    "jax._src.tree_util.tree_unflatten": lambda f: (
        f(jax.tree.structure((0, [0])), (1, 2)) == (1, [2])
    ),
    "jax._src.util.HashablePartial": partials,
    "jax._src.xla_bridge._backends": lambda table: isinstance(table, dict),
    "jax._src.xla_bridge.get_backend": lambda f: f().platform == jax.default_backend(),
    "jax.experimental.colocated_python.func._make_prng_wrapped_fun": wrapped_keys,
    "jax.experimental.colocated_python.serialization._get_cpu_device_map": lambda f: (
        f() == {device.id: device for device in jax.devices("cpu")}
    ),
    "jax.experimental.colocated_python.serialization._reduce_device_list": reduced(
        device_list
    ),
    "jax.experimental.colocated_python.serialization._reduce_mesh": reduced(
        lambda: jax.make_mesh((1,), ("x",), devices=jax.devices()[:1])
    ),
    "jax.experimental.colocated_python.serialization._reduce_single_device_sharding": (
        reduced(lambda: X.sharding)
    ),
    "jax.experimental.colocated_python.serialization.xb": lambda module: (
        module.local_devices()[0].client._get_all_devices()
        == next(iter(module.backends().values()))._get_all_devices()
    ),
    "jax.interpreters.mlir._call_lowering": called,
    "jaxlib.__version__": lambda text: all(
        part.isdigit() for part in text.split(".")[:3]
    ),
    "jaxlib._jax.PjitFunction": jit_functions,
    "jaxlib.xla_client.CompileOptions": compile_options,
    "jaxlib.xla_client.Device": lambda cls: isinstance(jax.devices()[0], cls),
}


def jit_shardings():
    (equation,) = jax.make_jaxpr(jax.jit(jnp.sin))(1.0).eqns
    return equation.params["in_shardings"]


def test_each_name_has_a_check():
    assert sorted(CHECKS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_name_does_what_libraries_use_it_for(name):
    assert CHECKS[name](found(name))


def test_modules_are_reached_as_attributes():
    """`import jax` alone gives access to names such as `jax._src.numpy.util.promote_dtypes_inexact`."""
    modules = sorted(
        {
            name.rpartition(".")[0]
            for name in NAMES
            if name.startswith("jax._src.") and ".cudnn." not in name
        }
    )
    script = "import jax\n" + "\n".join(modules)
    subprocess.run([sys.executable, "-c", script], check=True)


def test_import_jax_loads_no_reexport_module():
    reexports = [
        "_src.api_util",
        "_src.effects",
        "_src.interpreters.pxla",
        "_src.lib.cuda",
    ]
    reexports += [
        "_src.numpy.util",
        "_src.sharding_impls",
        "_src.util",
        "_src.ad_checkpoint",
    ]
    script = (
        f"import jax, sys; print([m for m in {reexports} if 'jax.' + m in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "[]\n"


def test_arrays_of_parts_are_checked():
    handlers = found("jax._src.interpreters.pxla.global_result_handlers")
    aval = jax.typeof(X)
    with pytest.raises(ValueError, match="is not as the sharding says"):
        handlers[type(aval)](aval, X.sharding, True)([X[:2]])
    with pytest.raises(TypeError):
        handlers[int] = None
    make = found("jax.interpreters.pxla.global_avals_to_results_handler")
    keys = jax.random.split(jax.random.key(0), 3)
    results = make([aval, keys.aval], [X.sharding, keys.sharding], False)
    plain, made = results([[X], [jax.random.key_data(keys)]])
    assert np.array_equal(plain, X) and made.dtype == keys.dtype
    with pytest.raises(TypeError, match="not made of parts"):
        make([core.AbstractToken()], [X.sharding], False)


def test_devices_that_are_not_there_are_told():
    reduce = found(
        "jax.experimental.colocated_python.serialization._reduce_device_list"
    )
    rebuild, _ = reduce(device_list())
    with pytest.raises(ValueError, match="no CPU device of this number"):
        rebuild([10**6])
