"""What differs between two releases follows the one that `JAX_COMPAT` chooses; what was only added does not.

Each release runs in a process of its own, which answers all programs at once.
"""

import json
import os
import subprocess
import sys

import pytest

OLD, NEW = "0.10.2", "0.12.0"

# Program -> what the older and the newer release say, as text; an exception as its class.
PROGRAMS = {
    "jax.__version__": ("0.10.2", "0.12.0.1"),
    "jax.version.__version_info__": ("(0, 10, 2)", "(0, 12, 0, 1)"),
    "type(jnp.atleast_1d(1, 2)).__name__": ("list", "tuple"),
    "type(jnp.atleast_3d()).__name__": ("list", "tuple"),
    "type(jnp.broadcast_arrays(jnp.ones(2), 1)).__name__": ("list", "tuple"),
    "type(jnp.meshgrid()).__name__": ("list", "tuple"),
    "type(jnp.__array_namespace_info__().devices()).__name__": ("list", "tuple"),
    "type(jnp.split(jnp.ones(4), 2)).__name__": ("list", "list"),
    # What joins arrays reads those functions' results, of whatever type they are.
    **{
        f"jnp.{name}([jnp.arange(2), jnp.ones(2)]).shape": (shape, shape)
        for name, shape in (
            ("vstack", "(2, 2)"),
            ("hstack", "(4,)"),
            ("dstack", "(1, 2, 2)"),
            ("column_stack", "(2, 2)"),
        )
    },
    "jnp.vstack([jnp.ones(2)]).shape": ("(1, 2)", "(1, 2)"),
    "jnp.hstack([])": ("IndexError", "IndexError"),
    "jnp.vstack([])": ("ValueError", "ValueError"),
    "jnp.mgrid[0:2, 0:3].shape": ("(2, 2, 3)", "(2, 2, 3)"),
    "jnp.__array_api_version__": ("2024.12", "2025.12"),
    "[p.size for p in jnp.split(jnp.arange(6), [1, 10])]": ("ValueError", "[1, 5, 0]"),
    "[p.size for p in jnp.array_split(jnp.arange(6), [-2])]": ("ValueError", "[4, 2]"),
    "[p.size for p in jnp.split(jnp.arange(6), [4, 2])]": ("ValueError", "ValueError"),
    "jnp.array([1], jnp.float32, True)": ("[1.]", "TypeError"),
    "jnp.permute_dims(jnp.ones((2, 3)), (0, 0))": ("TypeError", "ValueError"),
    "jnp.transpose(jnp.ones((2, 3)), (0, 0))": ("TypeError", "TypeError"),
    "jnp.cross(jnp.ones(2), jnp.ones(2))": ("0.0", "ValueError"),
    "jnp.take_along_axis(jnp.arange(3), jnp.array([-1]), 0)": ("[2]", "[2]"),
    "jnp.take_along_axis(jnp.arange(3), jnp.array([-1]), 0, wrap_negative_indices=None)": (
        "[2]",
        "[-2147483648]",
    ),
    "P('x', unreduced={'y'})": (
        "P('x', unreduced={'y'})",
        "P('x', unreduced={'y'}, unreduced_kind=sum)",
    ),
    "P('x', unreduced={'y'}).update(unreduced=set())": ("P('x',)", "ValueError"),
    "AbstractMesh((2,), ('x',)).axis_types": ("(Auto,)", "(Explicit,)"),
    "jax.make_mesh(axis_shapes=(1,), axis_names=('x',)).axis_names": (
        "('x',)",
        "TypeError",
    ),
    "jax.make_mesh(axis_sizes=(1,), axis_names=('x',)).axis_names": (
        "TypeError",
        "('x',)",
    ),
    "primitives(jnp.log2, 1.)": ("['log', 'log', 'div']", "['log2']"),
    "'one_minus_square' in primitives(jax.grad(jnp.tanh), 1.)": ("False", "True"),
    "'out_sharding' in params(jnp.max, jnp.ones(2))": ("False", "True"),
    "sorted(params(lambda x: lax.top_k(x, 1), jnp.ones(2)))": (
        "['axis', 'k']",
        "['axis', 'is_stable', 'k']",
    ),
    "params(jax.jit(jnp.sin), 1.)['inline']": ("False", "Inline.AUTO"),
    "primitives(jax.jit(jnp.sin, inline=True), 1.)": ("['sin']", "['jit']"),
    "primitives(jax.jit(jnp.sin, inline=jax.Inline.JAX_EARLY), 1.)": (
        "['sin']",
        "['sin']",
    ),
    "primitives(jax.jit(jnp.sin, inline=jax.Inline.JAX_LATE), 1.)": (
        "['jit']",
        "['jit']",
    ),
    "jax.jit(jnp.sin, inline=3)(0.)": ("0.0", "ValueError"),
    "jax.config.update('jax_pallas_use_mosaic_gpu', False)": ("None", "AttributeError"),
    "jax.config.jax_use_rgv3": ("True", "True"),
    "primitives(lambda: jnp.empty(3))": ("['broadcast_in_dim']", "['empty']"),
    "random.multinomial(KEY, 9., jnp.ones(4) / 4, shape=(3,)).shape": (
        "ValueError",
        "(3, 4)",
    ),
    "lax.linalg.eigh(jnp.ones((2, 3)))": ("TypeError", "ValueError"),
    "lax.linalg.svd(jnp.eye(2, dtype=jnp.bfloat16))": (
        "NotImplementedError",
        "TypeError",
    ),
    "lax.digamma(-0.)": ("nan", "-inf"),
    "jax.grad(lax.lgamma)(0.)": ("nan", "-inf"),
    "jax.scipy.special.polygamma(0, 0.)": ("nan", "-inf"),
    "jnp.sinc(jnp.inf), jax.grad(jnp.sinc)(jnp.inf)": (
        "(Array(nan, dtype=float32, weak_type=True), Array(nan, dtype=float32, weak_type=True))",
        "(Array(0., dtype=float32, weak_type=True), Array(0., dtype=float32, weak_type=True))",
    ),
    "jax.grad(jnp.arccosh)(-2.)": ("0.57735026", "nan"),
    "jax.grad(jnp.hypot)(0., 0.)": ("0.5", "nan"),
    "jax.grad(jax.scipy.special.kl_div)(-1., 1.)": ("-1.0", "0.0"),
    "jax.grad(jax.scipy.special.rel_entr)(jnp.nan, 1.)": ("0.0", "nan"),
    "jax.grad(lambda x: jax.scipy.special.sici(x)[0])(jnp.inf)": ("nan", "0.0"),
    "jax.ds(None, 3)": ("slice(None, None, None)", "Slice(start=0, size=3, stride=1)"),
    "jax.ds(3)": (
        "Slice(start=0, size=3, stride=1)",
        "Slice(start=0, size=3, stride=1)",
    ),
    "jax.ShapeDtypeStruct((None, 2), jnp.float32)": ("TypeError", "ValueError"),
    "jax.checkpoint(lambda x: x, concrete=True)": ("NotImplementedError", "TypeError"),
    "type(compute_on('device_host')).__name__": ("_Block", "TypeError"),
    "export.export(jax.jit(jnp.sin))(1.).mlir_module_serialized[5:22].decode()": (
        "StableHLO_v1.15.0",
        "StableHLO_v1.18.0",
    ),
    "calls_in(export.export(jax.jit(jnp.linalg.cholesky))(jnp.eye(2)))": ("1", "2"),
    "jax.extend.core.Jaxpr is jax.extend.core.ClosedJaxpr": ("False", "True"),
    "type(PROGRAM).__name__, PROGRAM.jaxpr is PROGRAM": (
        "('ClosedJaxpr', False)",
        "('Jaxpr', True)",
    ),
    "len(PROGRAM.consts), len(PROGRAM.constvars), len(PROGRAM.invars), len(PROGRAM.all_invars)": (
        "(1, 1, 1, 2)",
        "(1, 1, 1, 2)",
    ),
    "PROGRAM.jaxpr.consts": ("AttributeError", "[Array([0., 1., 2.], dtype=float32)]"),
    "PROGRAM.jaxpr.replace(debug_info=None).consts": (
        "AttributeError",
        "[Array([0., 1., 2.], dtype=float32)]",
    ),
    "PROGRAM.replace(consts=[7]).consts": ("[7]", "[7]"),
    "str(jax.extend.core.ClosedJaxpr(PROGRAM.jaxpr, [7])) == str(PROGRAM)": (
        "True",
        "True",
    ),
    "jax.extend.core.ClosedJaxpr(PROGRAM.jaxpr, [1, 2])": (
        "JaxprTypeError",
        "JaxprTypeError",
    ),
    "jax.core.eval_jaxpr(PROGRAM.jaxpr, PROGRAM.consts, jnp.ones(3))": (
        "[Array([1., 2., 3.], dtype=float32)]",
        "[Array([1., 2., 3.], dtype=float32)]",
    ),
    "jax.extend.core.primitives.closed_call_p.name": ("closed_call", "eval_jaxpr"),
    "jax.extend.core.primitives.call_p is jax.extend.core.primitives.closed_call_p": (
        "False",
        "True",
    ),
    "jax.jit(lambda x: hasattr(x, 'memory_space'))(1.)": ("False", "ValueError"),
    "hasattr(jax.core, 'DropVar')": ("True", "False"),
    "hasattr(jax.extend.core, 'DropVar')": ("True", "True"),
    "hasattr(jax._src.core, 'DropVar')": ("True", "True"),
    "hasattr(jax.interpreters.pxla, 'is_hlo_sharding_replicated')": ("True", "False"),
    "hasattr(jax.interpreters.pxla, 'global_aval_to_result_handler')": (
        "True",
        "False",
    ),
    "hasattr(jax.interpreters.pxla, 'global_avals_to_results_handler')": (
        "True",
        "True",
    ),
    "importlib.import_module('jax.experimental.shard_alike').__name__": (
        "jax.experimental.shard_alike",
        "ModuleNotFoundError",
    ),
}

# Programs with arrays in closures, through each transformation: the values of both releases are equal.
SAME = [
    "jax.grad(lambda x: lax.scan(lambda a, y: (a * y + C.sum(), a), x, C)[0])(2.)",
    "jax.jit(jax.vmap(lambda x: lax.while_loop(lambda a: a < C.sum() + x, lambda a: a + C[1], x)))(C)",
    "jax.hessian(lambda x: lax.cond(x > C[1], lambda x: x ** 3 * C[2], lambda x: x, x))(2.)",
    "jax.jit(jax.jacfwd(lambda x: lax.switch(1, [lambda x: x + C, lambda x: x * C], x)))(2.)",
    "jax.grad(jax.checkpoint(lambda x: jnp.sin(x * C).sum()))(2.)",
    "jax.jit(jax.grad(jax.checkpoint(jax.jit(lambda x: jnp.sin(x * C).sum()), policy=jax.checkpoint_policies.dots_saveable)))(2.)",
    "jax.vmap(jax.grad(cubed))(C)",
    "jax.jit(jax.vmap(jax.grad(squared)))(C)",
    "lax.custom_root(lambda x: x * x - C[2], 1., lambda f, x: lax.fori_loop(0, 9, lambda i, x: (x + C[2] / x) / 2, x), lambda g, y: y / g(1.))",
    "jax.linearize(lambda x: jnp.sin(x) * C, 2.)[1](1.)",
    "jax.linear_transpose(lambda x: x * C, 1.)(C)",
    "jax.eval_shape(lambda x: x * C, 1.)",
    "jax.shard_map(lambda x: lax.psum(x * C, 'x'), mesh=jax.make_mesh((1,), ('x',), axis_types=(jax.sharding.AxisType.Auto,)), in_specs=P('x'), out_specs=P())(C)",
    "jax.grad(lambda x: jax.shard_map(lambda x: x * C, mesh=jax.make_mesh((1,), ('x',), axis_types=(jax.sharding.AxisType.Auto,)), in_specs=P('x'), out_specs=P('x'))(x).sum())(C)",
    "jax.pmap(lambda x: x * C)(C[None])",
    "export.deserialize(export.export(jax.jit(lambda x: x * C))(C).serialize()).call(C)",
    "jax.jit(lambda x: x * C).trace(C).lower().compile()(C)",
    "jax.closure_convert(lambda x: x * C, 1.)[0](2.)",
    "jax.extend.core.jaxpr_as_fun(jax.make_jaxpr(lambda x: lax.scan(lambda a, y: (a + y, a), x, C))(1.))(1.)[0]",
    "jax.jit(lambda x: lax.reduce(x, 0., lambda a, b: a + b * C[1], (0,)))(C)",
    "sparsely(2.)",
    "checked(2.)",
    "series(2.)",
    "jax.jit(printed)(2.)",
    "jax.jvp(jax.jit(jax.vmap(lambda x: jnp.linalg.solve(jnp.eye(3) * 2, x * C))), (C,), (C,))",
]

RUN = """
import importlib, json, sys
import jax, jax._src.core, jax.core, jax.extend.core.primitives, jax.interpreters.pxla, jax.version
import jax.numpy as jnp
from jax import P, export, lax, random
from jax.experimental.compute_on import compute_on
from jax.sharding import AbstractMesh

KEY = random.key(0)
C = jnp.arange(3.)
PROGRAM = jax.make_jaxpr(lambda x: x + C)(jnp.ones(3))

@jax.custom_jvp
def cubed(x):
    return x ** 3 + C.sum()

cubed.defjvp(lambda p, t: (cubed(*p), 3 * p[0] ** 2 * t[0] + C[0]))

@jax.custom_vjp
def squared(x):
    return x ** 2 + C.sum()

squared.defvjp(lambda x: (squared(x), x), lambda x, ct: (2 * x * ct + C[0],))

def sparsely(x):
    from jax.experimental import sparse
    return sparse.sparsify(lambda m: m @ C)(sparse.BCOO.fromdense(jnp.eye(3) * x)).sum()

def checked(x):
    from jax.experimental import checkify
    error, out = checkify.checkify(lambda x: jnp.log(x) * C, checkify.float_checks)(x)
    error.throw()
    return out.sum()

def series(x):
    from jax.experimental import jet
    return jet.jet(lambda x: jnp.sin(x) * C[1], (x,), ((1., 0.),))

def printed(x):
    jax.debug.callback(lambda *_: None, C, ordered=True)
    return x * C

def calls_in(exported):
    return [v for v in (1, 2) if b"custom_call_v%d" % v in exported.mlir_module_serialized][0]

def equations(f, *x):
    found = jax.make_jaxpr(f)(*x).eqns
    while len(found) == 1 and found[0].params.get("name") == getattr(f, "__name__", 0) != "sin":
        found = found[0].params["jaxpr"].eqns
    return found

def primitives(f, *x):
    return [e.primitive.name for e in equations(f, *x)]

def params(f, x):
    return equations(f, x)[0].params

def answer(program):
    try:
        return str(eval(program))
    except Exception as error:
        return type(error).__name__

print(json.dumps({p: answer(p) for p in json.load(sys.stdin)}))
"""


def answers(release):
    out = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps([*PROGRAMS, *SAME]),
        env={**os.environ, "JAX_COMPAT": release, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(out.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def said():
    return {release: answers(release) for release in (OLD, NEW)}


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_release_answers_as_its_own(said, program):
    assert (said[OLD][program], said[NEW][program]) == PROGRAMS[program]


@pytest.mark.parametrize("program", SAME)
def test_programs_with_constants_have_the_same_values(said, program):
    assert said[OLD][program] == said[NEW][program]
    assert not said[NEW][program].endswith("Error")


def test_a_release_that_is_not_known_is_refused_with_those_that_are():
    out = subprocess.run(
        [sys.executable, "-c", "import jax"],
        env={**os.environ, "JAX_COMPAT": "0.11.0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode
    assert "there is no such release" in out.stderr
    assert "0.10.2, 0.12.0; or a library" in out.stderr
    assert "oryx" in out.stderr
