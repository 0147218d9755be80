"""Names at upstream's module paths: every row of the table leads to an object, which is what libraries use it for."""

import functools
import importlib
import pickle
import subprocess
import sys
import warnings
from unittest import mock

import cloudpickle
import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax._src.compat import finder
from jax._src.compat.names import table as names
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir, xla

X = jnp.arange(3.0)


@pytest.mark.parametrize("path", sorted(names.TABLE))
def test_every_row_leads_to_an_object(path):
    module = importlib.import_module(path)
    for name in names.rows(path):
        source = names.rows(path)[name]
        if source.startswith("jaxlib.mlir.dialects."):
            continue  # dialects that this jaxlib has are tried in tests/jaxlib
        with warnings.catch_warnings():
            # Names that are to go say so.
            warnings.simplefilter("ignore", DeprecationWarning)
            assert getattr(module, name) is finder.load(path, name), source
        assert name in dir(module)


def test_a_row_names_nothing_that_the_module_has_itself():
    """Or the row would state the name a second time."""
    twice = [
        f"{path}.{name}"
        for path in names.TABLE
        for name, source in names.rows(path).items()
        if name in own_names(path)
    ]
    assert not twice


def own_names(path):
    spec = importlib.machinery.PathFinder.find_spec(path, parent_path(path))
    if spec is None or spec.loader is None:
        return ()
    text = spec.loader.get_source(path) or ""
    return {
        word
        for line in text.splitlines()
        for word in [line.removeprefix("def ").removeprefix("class ").split("(")[0]]
        if line.startswith(("def ", "class "))
    }


def parent_path(path):
    return importlib.import_module(path.rpartition(".")[0]).__path__


def test_import_jax_is_enough_to_reach_modules():
    script = (
        "import jax, sys\n"
        "assert not any(m in sys.modules for m in ('jax._src.api', 'jax._src.typing'))\n"
        "jax._src.api.vmap, jax._src.typing.ArrayLike, jax._src.lax.convolution\n"
        "jax._src.scipy.special.gammaln, jax._src.numpy.lax_numpy.split\n"
        "import jax._src.interpreters.batching as b; b.is_vmappable(1)\n"
        "import jaxlib; jaxlib._jax.PjitFunction\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("path", ["jax._src.core", "jax._src.api", "jax._src.lax.lax"])
@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=lambda p: p.__name__)
def test_modules_are_sent_by_their_path(path, pickler):
    module = importlib.import_module(path)
    assert pickle.loads(pickler.dumps(module)) is module


def test_a_name_that_nobody_has_is_an_error_of_python():
    with pytest.raises(AttributeError, match="jax._src.api.*no_such_name"):
        importlib.import_module("jax._src.api").no_such_name  # noqa: B018
    with pytest.raises(ImportError, match="no_such_name"):
        exec("from jax._src.core import no_such_name")
    with pytest.raises(ModuleNotFoundError, match="jax._src.no_such_module"):
        importlib.import_module("jax._src.no_such_module")


def test_what_is_replaced_at_upstreams_path_is_replaced_for_our_functions():
    convolution = importlib.import_module("jax._src.lax.convolution")
    original = convolution.conv_general_dilated_p
    named = jax._src.lax.lax.standard_primitive(
        convolution._conv_general_dilated_shape_rule,
        convolution._conv_general_dilated_dtype_rule,
        "my_convolution",
    )
    mlir.register_lowering(named, convolution._conv_general_dilated_lower)
    ad.defbilinear(
        named,
        convolution._conv_general_dilated_transpose_lhs,
        convolution._conv_general_dilated_transpose_rhs,
    )
    batching.fancy_primitive_batchers[named] = (
        convolution._conv_general_dilated_batch_rule
    )
    lhs, rhs = jnp.ones((1, 2, 8)), jnp.arange(12.0).reshape(2, 2, 3)

    def convolve(lhs, rhs):
        return jax.lax.conv_general_dilated(lhs, rhs, (1,), "SAME")

    want = convolve(lhs, rhs)
    gradients = jax.grad(lambda *a: convolve(*a).sum(), (0, 1))(lhs, rhs)
    for replace in (mock.patch.object, pytest_monkeypatch):
        with replace(convolution, "conv_general_dilated_p", named):
            jaxpr = jax.make_jaxpr(convolve)(lhs, rhs)
            assert [e.primitive for e in jaxpr.eqns] == [named]
            assert np.array_equal(convolve(lhs, rhs), want)
            found = jax.grad(lambda *a: convolve(*a).sum(), (0, 1))(lhs, rhs)
            for a, b in zip(found, gradients, strict=True):
                np.testing.assert_allclose(a, b)
            mapped = jax.vmap(convolve, (0, None))(jnp.stack([lhs, lhs]), rhs)
            assert np.array_equal(mapped[1], want)
        jaxpr = jax.make_jaxpr(convolve)(lhs, rhs)
        assert [e.primitive for e in jaxpr.eqns] == [original]


class pytest_monkeypatch:
    """`mock.patch.object` by way of setattr alone."""

    def __init__(self, *args):
        self._patch = pytest.MonkeyPatch()
        self._args = args

    def __enter__(self):
        self._patch.setattr(*self._args)

    def __exit__(self, *_):
        self._patch.undo()


@pytest.mark.parametrize(
    "apply_primitive", [xla.apply_primitive, jax._src.dispatch.apply_primitive]
)
@pytest.mark.parametrize("several", [False, True])
def test_a_primitive_may_be_evaluated_by_apply_primitive(apply_primitive, several):
    p = Primitive("double_it")
    p.multiple_results = several
    p.def_impl(functools.partial(apply_primitive, p))
    p.def_abstract_eval(lambda x: [x] if several else x)
    double = lambda x: [x * 2] if several else x * 2  # noqa: E731
    mlir.register_lowering(p, mlir.lower_fun(double, multiple_results=several))
    first = lambda out: out[0] if several else out  # noqa: E731
    for run in (p.bind, jax.jit(p.bind)):
        assert first(run(X)).tolist() == [0.0, 2.0, 4.0]
    assert first(p.impl(X)).tolist() == [0.0, 2.0, 4.0]
    batching.defvectorized(p)
    assert first(jax.vmap(p.bind)(X)).tolist() == [0.0, 2.0, 4.0]
    run = jax._src.dispatch.xla_primitive_callable(p)
    assert first(run(X)).tolist() == [0.0, 2.0, 4.0]
    jax._src.dispatch.xla_primitive_callable.cache_clear()
    simple = Primitive("simple")
    simple.def_abstract_eval(lambda x: x)
    mlir.register_lowering(simple, mlir.lower_fun(jnp.sin, multiple_results=False))
    jax._src.dispatch.simple_impl(simple)
    assert np.array_equal(simple.bind(X), jnp.sin(X))
    assert jax.jit(simple.impl)(X).tolist() == jnp.sin(X).tolist()


def test_zero_tangents_of_values_and_types():
    from_ = jax._src.ad_util
    assert from_.p2tz(X).aval == jax.typeof(X)
    assert from_.p2tz(1).aval.dtype == jax.dtypes.float0
    assert from_.p2cz(1.0).aval.shape == ()
    assert from_.a2tz(jax.typeof(X)).aval.shape == (3,)
    assert from_.instantiate(from_.p2tz(X)).tolist() == [0.0, 0.0, 0.0]
    assert from_.instantiate(X) is X
    assert from_.zeros_like_jaxval(X).tolist() == [0.0, 0.0, 0.0]
    symbolic = from_.replace_internal_symbolic_zeros(from_.p2tz(X))
    assert type(symbolic) is from_.SymbolicZero
    assert type(from_.replace_rule_output_symbolic_zeros(symbolic)) is from_.Zero
    assert from_.replace_internal_symbolic_zeros(X) is X
    assert from_.add_impl(1.0, 2.0) == 3.0
    assert from_.add_abstract(jax.typeof(X), jax.typeof(X)) == jax.typeof(X)
    assert {float, np.float32, np.ndarray} <= {*from_.raw_jaxval_adders}


class Wave:
    """A value of a library: two numbers that are added as they like."""

    def __init__(self, high, low):
        self.high, self.low = high, low


class WaveType(jax.core.AbstractValue):
    def to_tangent_aval(self):
        return self

    def str_short(self, short_dtypes=False, **_):
        return "wave"

    def __eq__(self, other):
        return isinstance(other, WaveType)

    def __hash__(self):
        return hash(WaveType)


def test_libraries_say_how_their_values_are_added():
    adders, zeros = (
        jax._src.ad_util.raw_jaxval_adders,
        jax._src.ad_util.aval_zeros_likers,
    )
    types = jax._src.core.pytype_aval_mappings
    types[Wave] = lambda wave: WaveType()
    adders[Wave] = lambda a, b: Wave(a.high + b.high, a.low + b.low)
    zeros[WaveType] = lambda aval: Wave(0, 0)
    try:
        total = ad.add_jaxvals(Wave(1, 2), Wave(3, 4))
        assert (total.high, total.low) == (4, 6)
        nothing = jax._src.ad_util.zeros_like_aval(WaveType())
        assert (nothing.high, nothing.low) == (0, 0)
        made_p = Primitive("make_wave")
        made_p.def_impl(lambda x: Wave(float(x), 2 * float(x)))
        made_p.def_abstract_eval(lambda x: WaveType())
        read_p = Primitive("read_wave")
        read_p.def_impl(lambda wave: jnp.float32(wave.high + wave.low))
        read_p.def_abstract_eval(lambda wave: jax.core.ShapedArray((), np.float32))
        ad.deflinear(made_p, lambda ct: [read_p.bind(ct)])
        ad.deflinear(read_p, lambda ct: [made_p.bind(ct)])
        twice = lambda x: (lambda w: read_p.bind(w) + read_p.bind(w))(made_p.bind(x))  # noqa: E731
        assert jax.grad(twice)(1.0) == 6.0
    finally:
        del adders[Wave], zeros[WaveType], types[Wave]
    assert Wave not in adders and WaveType not in zeros


def test_calls_are_taken_apart_by_positions():
    """Libraries with transformations of their own do it so."""
    from_path = importlib.import_module("jax._src.api_util")
    open_call, open_args = from_path.argnums_partial2(
        lambda *args, **kwargs: (args, kwargs), (0, -1), (1, 2, [3]), {"k": 5}
    )
    assert open_args == (1, [3])
    assert open_call("a", "b") == (("a", 2, "b"), {"k": 5})
    inbounds = from_path._ensure_inbounds
    assert inbounds(False, 3, (0, -1)) == (0, 2)
    assert inbounds(True, 3, (0, 5, -4)) == (0,)
    for number in (3, -4):
        with pytest.raises(ValueError, match=f"got value {number} for len"):
            inbounds(False, 3, (number,))


def test_a_primitive_that_no_program_has_is_one_of_its_own():
    module = importlib.import_module("jax._src.custom_derivatives")
    assert isinstance(module.custom_jvp_call_jaxpr_p, Primitive)
    assert module.custom_jvp_call_jaxpr_p is not module.custom_jvp_call_p


def test_classes_of_the_native_half_are_below_its_module():
    client = importlib.import_module("jax._src.lib").xla_client
    assert client._xla.Client is client.Client
