"""Messages start with the sentences that users and other projects' tests look for.

A row: a wrong call, its class, and a part of the message. The calls were made with JAX 0.10.2 too, which says the same.
"""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

ONES = np.ones(3, np.float32)
KEY = jax.random.key(0)


def one_device_mesh():
    return jax.make_mesh((1,), ("x",), devices=jax.devices()[:1])


def jvp_rule(rule):
    f = jax.custom_jvp(lambda x: x)
    f.defjvp(rule)
    return f


def vjp_rules(fwd, bwd=lambda _, ct: (ct,)):
    f = jax.custom_vjp(lambda x: x)
    f.defvjp(fwd, bwd)
    return f


DERIVATIVES = [
    (lambda: jax.grad(3), "Expected a callable value, got 3"),
    (
        lambda: jax.grad(lambda x: x)(1),
        "grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), but got int32",
    ),
    (
        lambda: jax.jacfwd(lambda x: x)(1j),
        "jacfwd requires real-valued inputs (input dtype that is a sub-dtype of np.floating), but got complex64",
    ),
    (
        lambda: jax.jacrev(lambda x: x * 1j)(1.0),
        "jacrev requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but got complex64",
    ),
    (
        lambda: jax.grad(lambda x: x, argnums=2)(1.0),
        "differentiating with respect to argnums=2 requires at least 3 positional arguments",
    ),
    (
        lambda: jax.grad(lambda x: x, has_aux=True)(1.0),
        "expected function with aux output to return a two-element tuple",
    ),
    (
        lambda: jax.jvp(lambda x: x, 1.0, 1.0),
        "must be tuples or lists; found float and float.",
    ),
    (
        lambda: jax.jvp(lambda x: x, (1.0,), (1.0, 2.0)),
        "must have the same tree structure; primals have tree structure PyTreeDef((*,)) whereas",
    ),
    (
        lambda: jax.jvp(lambda x: x, (1.0,), (ONES,)),
        "jvp called with different primal and tangent shapes",
    ),
    (lambda: jax.vjp(lambda x: x, 1.0)[1](1.0, 2.0), "was called with 2 arguments"),
    (lambda: jax.vjp(lambda x: x, 1.0)[1]((1.0,)), "unexpected tree structure"),
    (
        lambda: jax.vjp(lambda x: x, 1.0)[1](ONES),
        "unexpected JAX type (e.g. shape/dtype) for argument to VJP function: got float32[3], but expected float32[]",
    ),
    (
        lambda: jax.linear_transpose(lambda x: 2.0 * x, 1),
        "linear_transpose only supports [float or complex] -> [float or complex], and integer -> integer functions",
    ),
    (
        lambda: jax.closure_convert(lambda x: x, 1.0)[0]([1.0]),
        "The inputs to the closure produced by closure_convert must have the same Pytree structure",
    ),
]
CUSTOM_RULES = [
    (
        lambda: jax.grad(jvp_rule(lambda p, t: p[0]))(1.0),
        "must produce a pair (list or tuple of length two)",
    ),
    (
        lambda: jax.grad(jvp_rule(lambda p, t: (p[0], (t[0],))))(1.0),
        "equal container (pytree) structures, but got PyTreeDef(*) and PyTreeDef((*,)) respectively",
    ),
    (
        lambda: jax.grad(jvp_rule(lambda p, t: (p[0], ONES)))(1.0),
        "corresponding shapes and dtypes. Expected float32[] (tangent type of float32[]) but got float32[3]",
    ),
    (lambda: jax.grad(vjp_rules(lambda x: x))(1.0), "Custom VJP fwd rule"),
    (
        lambda: jax.grad(vjp_rules(lambda x: (x, x), lambda _, ct: (ct, ct)))(1.0),
        "but got bwd output structure PyTreeDef((*, *)) for primal input structure PyTreeDef((*,))",
    ),
    (
        lambda: jax.grad(vjp_rules(lambda x: (x, x), lambda _, ct: (ONES,)))(1.0),
        "Custom VJP bwd rule must produce an output with the same type",
    ),
    (
        lambda: jax.jvp(vjp_rules(lambda x: (x, x)), (1.0,), (1.0,)),
        "can't apply forward-mode autodiff (jvp) to a custom_vjp function.",
    ),
]
MAPS = [
    (
        lambda: jax.vmap(lambda x: x, in_axes=(0, 0))(ONES),
        "but got len(in_axes)=2, len(args)=1",
    ),
    (
        lambda: jax.vmap(lambda x, y, **k: x)(ONES, ONES, z=ONES[:2]),
        "vmap got inconsistent sizes for array axes to be mapped:\n"
        "  * most axes (2 of them) had size 3, e.g. axis 0 of argument x of type float32[3];\n"
        "  * one axis had size 2: axis 0 of kwargs['z'] of type float32[2]",
    ),
    (
        lambda: jax.vmap(lambda x: x, axis_size=2)(ONES),
        "  * the `axis_size` argument was 2;\n  * one axis had size 3",
    ),
    (lambda: lax.axis_index("i"), "unbound axis name: i"),
]
TRACED_VALUES = [
    (
        lambda: jax.jit(lambda x: 1 if x else 2)(1),
        "Attempted boolean conversion of traced array with shape int32[].",
    ),
    (
        lambda: jax.jit(lambda x, y: 1 if x + y else 2)(1, 2),
        "depends on the values of the arguments x and y.",
    ),
    (
        lambda: jax.jit(lambda *a: 1 if a[1] else 2)(1, 2),
        "depends on the value of the argument a[1].",
    ),
    (
        lambda: jax.jit(lambda **kw: 1 if kw["n"] else 2)(n=1),
        "depends on the value of the argument kw['n'].",
    ),
    (
        lambda: jax.jit(lambda x: int(x))(1),
        "The problem arose with the `int` function.",
    ),
    (lambda: jax.jit(lambda x: x.item())(1), "Abstract tracer value"),
    (
        lambda: jax.jit(lambda x: [1, 2][x])(1),
        "The __index__() method was called on traced array with shape int32[]",
    ),
    (
        lambda: jax.jit(lambda x: np.sin(x))(1.0),
        "The numpy.ndarray conversion method __array__() was called on",
    ),
    (
        lambda: jax.jit(lambda x: jnp.zeros(x))(1),
        "Shapes must be 1D sequences of concrete values of integer type, got (JitTracer(~int32[]),)",
    ),
    (
        lambda: jax.jit(lambda x: x)("a"),
        "as an abstract array. The problematic value is of type <class 'str'> and was passed to the function at path x.",
    ),
    (
        lambda: jax.jit(lambda x: (x, {"k": "a"}))(1.0),
        "traced for jit returned a value of type <class 'str'> at output component [1]['k'], which is not a valid JAX type",
    ),
    (
        lambda: jax.jit(lambda x: x, static_argnums=0)([1]),
        "Non-hashable static arguments are not supported",
    ),
    (
        lambda: jax.jit(lambda x: x, static_argnums=1),
        "Jitted function has static_argnums=(1,), but only accepts 1 positional arguments",
    ),
    (
        lambda: jax.jit(lambda x: x, static_argnames="y"),
        "Jitted function has invalid argnames {'y'} in static_argnames. Function does not take these args.",
    ),
]
CONTROL_FLOW = [
    (lambda: lax.cond(ONES, lambda: 1, lambda: 2), "Pred must be a scalar, got "),
    (lambda: lax.cond(lambda: 1, lambda: 1, lambda: 2), "Pred type must be either boolean or number, got <function"),
    (lambda: lax.cond(True, lambda: 1, lambda: 2.0), "cond branches must have equal output types but they differ."),
    (lambda: lax.cond(True, lambda: 1, lambda: (2,)), "cond branch outputs must have the same pytree structure, but they differ"),
    (lambda: lax.switch(1.0, [lambda: 1, lambda: 2]), "Index type must be an integer, got "),
    (lambda: lax.switch(0, []), "Empty branch sequence"),
    (lambda: lax.scan(lambda c, x: c, 1, ONES), "scan body output must be a pair, got "),
    (lambda: lax.scan(lambda c, x: (c, x), 1, 3), "scan got value with no leading axis to scan over"),
    (lambda: lax.scan(lambda c, x: (c, x), 1, ONES, length=2), "scan got `length` argument of 2 which disagrees with leading axis sizes [3]."),
    (lambda: lax.scan(lambda c, x: (c, x), 1, (ONES, ONES[:2])), "scan got values with different leading axis sizes: 3, 2"),
    (lambda: lax.scan(lambda c, x: (ONES, x), 1.0, ONES), "The input carry c has type float32[] but the corresponding output carry component has type float32[3], so the shapes do not match."),
    (lambda: lax.while_loop(lambda x: True, lambda x: (x,), 1), "while_loop body function carry input and carry output must have the same pytree structure"),
    (lambda: lax.while_loop(lambda x: x, lambda x: x, 1), "cond_fun must return a boolean scalar, but got output type(s)"),
    (lambda: lax.while_loop(lambda x: (True,), lambda x: x, 1), "cond_fun must return a boolean scalar, but got pytree PyTreeDef((*,))."),
    (lambda: lax.fori_loop(jnp.int8(0), jnp.int16(1), lambda i, x: x, 1), "lower and upper arguments to fori_loop must have equal types, got int8 and int16"),
    (lambda: lax.custom_root(lambda x: (x, x), 1.0, lambda f, x: x, lambda g, y: y), "f() output pytree structure must match initial_guess, got "),
    (lambda: lax.custom_linear_solve(lambda x: x, 1.0, lambda mv, b: ONES), "solve() output shapes must match b, got [(3,)] and [()]"),
    (lambda: jax.grad(lambda b: lax.custom_linear_solve(lambda x: x, b, lambda mv, b: b))(1.0), "transpose_solve required for backwards mode"),
]  # fmt: skip
OPERATIONS = [
    (
        lambda: lax.add(jnp.float32(1), jnp.int32(1)),
        "add requires arguments to have the same dtypes, got float32, int32. (Tip: jnp.add is a similar function",
    ),
    (
        lambda: lax.add(ONES, ONES[:2]),
        "add got incompatible shapes for broadcasting: (3,), (2,).",
    ),
    (
        lambda: lax.sin(1),
        "sin does not accept dtype int32. Accepted dtypes are subtypes of floating, complexfloating.",
    ),
    (
        lambda: jnp.sin([1.0]),
        "sin requires ndarray or scalar arguments, got <class 'list'> at position 0.",
    ),
    (
        lambda: jnp.asarray(["hill", "harbour"]),
        "For a text out of a list of names, pass its number: names.index(x).",
    ),
    (
        lambda: jnp.add(ONES, ONES[:2]),
        "add got incompatible shapes for broadcasting: (3,), (2,).",
    ),
    (
        lambda: jnp.reshape(ONES, (2, 2)),
        "cannot reshape array of shape (3,) (size 3) into shape (2, 2) (size 4)",
    ),
    (lambda: jnp.sum(ONES, axis=1), "axis 1 is out of bounds for array of dimension 1"),
    (
        lambda: jnp.ones(3).__setitem__(0, 1),
        "JAX arrays are immutable and do not support in-place item assignment.",
    ),
    (lambda: jax.device_put(1.0, "a"), "`jax.device_put` only accepts `None`"),
    (
        lambda: jnp.vectorize(lambda x: [x, x], signature="(n)->(n),(n)")(ONES),
        "output must be a tuple",
    ),
    (
        lambda: jnp.vectorize(lambda x, y: x, signature="(k),(k)->(k)")(ONES, None),
        "Cannot pass None at locations {1} with signature='(k),(k)->(k)'",
    ),
]
NUMBERS = [
    (lambda: jax.random.bits(jax.random.split(jax.random.key(0))), "bits accepts a single key, but was given a key array of shape (2,)"),
    (lambda: lax.argmax(ONES, 0, np.float32), "index_dtype must be an integer type"),
    (lambda: jnp.sum(ONES, where=jnp.arange(3)), "sum: where must be None or a boolean array"),
    (lambda: jnp.cumulative_sum(jnp.float32(1)), "The input must be non-scalar to take"),
    (lambda: jnp.array(1.0, dtype=object), "JAX only supports number, bool, and string dtypes, got dtype object"),
    (lambda: jax.random.key(0, impl=object()), "unrecognized type <class 'object'> for specifying PRNG"),
]  # fmt: skip
# Random numbers, arrays of keys, and options.
KEYS_AND_OPTIONS = [
    (
        lambda: jax.random.key(np.arange(2)),
        "accepts a scalar seed, but was given an array of shape (2,) != ()",
    ),
    (lambda: jax.random.PRNGKey(np.arange(2)), "PRNGKey accepts a scalar seed"),
    (lambda: jax.random.key(1.5), "PRNG key seed must be an integer"),
    (lambda: jax.random.key(0, impl="nope"), 'unrecognized PRNG implementation "nope"'),
    (lambda: jax.random.fold_in(KEY, np.arange(2)), "fold_in accepts a scalar"),
    (lambda: jax.random.uniform(0), "JAX encountered invalid PRNG key data"),
    (
        lambda: jax.random.bits(np.zeros(3, np.uint32)),
        "expected key_data.shape to end with (2,)",
    ),
    (
        lambda: np.asarray(KEY),
        "JAX array with PRNGKey dtype cannot be converted to a NumPy array",
    ),
    (
        lambda: jax.random.permutation(KEY, 3.0),
        "x must be an integer or at least 1-dimensional",
    ),
    (
        lambda: jax.random.choice(KEY, 3, (5,), replace=False),
        "Cannot take a larger sample",
    ),
    (
        lambda: jax.random.choice(KEY, 0, (3,)),
        "a must be greater than 0 unless no samples are taken",
    ),
    (
        lambda: jax.random.choice(KEY, 3, p=jnp.ones(2)),
        "p must be None or a 1D vector with the same size as a.shape[axis]",
    ),
    (
        lambda: jax.random.normal(KEY, dtype=int),
        "dtype argument to `normal` must be a float or complex dtype",
    ),
    (
        lambda: jax.random.multivariate_normal(KEY, 0.0, jnp.eye(2)),
        "multivariate_normal requires mean.ndim >= 1",
    ),
    (
        lambda: jax.random.multivariate_normal(KEY, jnp.zeros(2), jnp.eye(3)),
        "multivariate_normal requires cov.shape == (..., n, n) for n=2",
    ),
    (
        lambda: jax.random.multivariate_normal(
            KEY, jnp.zeros(2), jnp.eye(2), method="lu"
        ),
        "method must be one of",
    ),
    (
        lambda: jax.config.update("jax_numpy_rank_promotion", "never"),
        "new enum value must be in ['allow', 'warn', 'raise'], got never of type <class 'str'>",
    ),
    (
        lambda: jax.config.update("jax_default_matmul_precision", "low"),
        "new enum value must be None or in ['default'",
    ),
    (
        lambda: jax.config.update("jax_transfer_guard", "never"),
        "new enum value must be None or in ['allow', 'log'",
    ),
    (
        lambda: jax.config.update("jax_num_cpu_devices", "many"),
        "new int config value must be None or of type int, got many of type <class 'str'>",
    ),
    (
        lambda: jax.config.update("jax_compilation_cache_dir", 3),
        "new string config value must be None or of type str, got 3 of type <class 'int'>",
    ),
    (
        lambda: jax.default_device(3).__enter__(),
        "jax.default_device must be passed either a Device object",
    ),
]

# Meshes, shardings and what runs on several devices.
SHARDINGS = [
    (
        lambda: jax.sharding.Mesh(jax.devices(), ("x", "y")),
        "Mesh requires the ndim of its first argument",
    ),
    (
        lambda: jax.sharding.Mesh(
            jax.devices()[:1], ("x",), (jax.sharding.AxisType.Auto,) * 2
        ),
        "Number of axis names should match the number of axis_types",
    ),
    (
        lambda: jax.make_mesh((10**6,), ("x",)),
        "must be >= the product of mesh_shape (1000000,)",
    ),
    (lambda: P(unreduced={None}), "unreduced cannot contain None"),
    (
        lambda: NamedSharding(one_device_mesh(), P(), memory_kind="attic"),
        "Could not find memory addressable by device cpu",
    ),
    (
        lambda: jax.device_put(1.0, NamedSharding(one_device_mesh(), P("x"))),
        "is only valid for values of rank at least 1, but was applied to a value of rank 0",
    ),
    (
        lambda: jax.jit(jnp.sin, in_shardings=NamedSharding(one_device_mesh(), P("x")))(
            1.0
        ),
        "One of pjit arguments is incompatible with its sharding annotation",
    ),
    (
        lambda: jax.jit(
            lambda *, y: y, in_shardings=NamedSharding(one_device_mesh(), P())
        )(y=1.0),
        "pjit does not support kwargs when in_shardings is specified",
    ),
    (
        lambda: jax.device_put(1.0, donate=True, may_alias=True),
        "may_alias and donate cannot be True at the same time",
    ),
    (
        lambda: jax.shard_map(jnp.sin, mesh=3, in_specs=P(), out_specs=P())(1.0),
        "requires a `jax.sharding.Mesh` or a `jax.sharding.AbstractMesh` instance",
    ),
    (
        lambda: jax.shard_map(
            jnp.sin, mesh=one_device_mesh(), in_specs=P("x"), out_specs=P()
        )(1.0),
        "which has rank 0",
    ),
    (
        lambda: jax.vmap(jnp.sin, out_axes=2)(ONES),
        "axis 2 is out of bounds for array of dimension 1",
    ),
    (
        lambda: lax.pad(ONES, 0.0, [(0, 0, -1)]),
        "interior padding in padding_config must be nonnegative",
    ),
    (
        lambda: lax.pad(ONES, 0.0, [(-4, 0, 0)]),
        "Dimension size after padding is not at least 0",
    ),
]

ROWS = (
    NUMBERS
    + DERIVATIVES
    + CUSTOM_RULES
    + MAPS
    + TRACED_VALUES
    + CONTROL_FLOW
    + OPERATIONS
    + KEYS_AND_OPTIONS
    + SHARDINGS
)


@pytest.mark.parametrize(
    ("call", "phrase"), ROWS, ids=[phrase.strip()[:40] for _, phrase in ROWS]
)
def test_the_sentence_that_is_looked_for_is_in_the_message(call, phrase):
    with pytest.raises(Exception, match=re.escape(phrase)) as caught:
        call()
    assert isinstance(caught.value, (TypeError, ValueError, NameError))


def test_an_escaped_value_is_an_unexpected_tracer():
    kept = []

    def leak(x):
        kept.append(jnp.sin(x))
        return x

    jax.jit(leak)(1.0)
    with pytest.raises(jax.errors.UnexpectedTracerError) as caught:
        kept[0] + 1
    text = str(caught.value)
    assert text.startswith("Encountered an unexpected tracer.")
    assert "when the value leaked was leak traced for jit." in text


def test_no_option_of_that_name():
    for use in (jax.config.read, lambda name: jax.config.update(name, 1)):
        with pytest.raises(AttributeError, match="Unrecognized config option: jax_n"):
            use("jax_nope")
