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

RUN = """
import importlib, json, sys
import jax, jax._src.core, jax.core, jax.extend.core.primitives, jax.interpreters.pxla, jax.version
import jax.numpy as jnp
from jax import P, export, lax, random
from jax.experimental.compute_on import compute_on
from jax.sharding import AbstractMesh

KEY = random.key(0)

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
        input=json.dumps(list(PROGRAMS)),
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
    assert "0.10.2, 0.12.0" in out.stderr
