"""With `JAX_COMPAT=oryx`, what Oryx uses of releases before 0.10 is there and works; without it, it is absent."""

import json
import os
import subprocess
import sys

import pytest

# Module -> names that are there with the choice alone.
NAMES = {
    "jax.util": "safe_map safe_zip split_list unzip2 wrap_name HashableFunction as_hashable_function",
    "jax.core": "call_p",
    "jax.experimental.shard_map": "register_check register_rewrite",
    "jax.interpreters.ad": "call_transpose",
    "jax.interpreters.batching": "batch_subtrace",
    "jax.interpreters.partial_eval": "Jaxpr",
    "jax.interpreters.pxla": "xla_pmap_p",
    "jax.lax": "zeros_like_array",
    "jax._src.core": "raise_to_shaped",
    "jax._src.lax.control_flow": "_initial_style_jaxpr _initial_style_jaxprs_with_common_consts",
    "jax._src.pjit": "pjit_p",
    "jax._src.tree_util": "_replace_nones",
}

PROGRAM = """
import importlib, json, sys

def has(module, name):
    try:
        return hasattr(importlib.import_module(module), name)
    except ModuleNotFoundError:
        return False

names = json.load(sys.stdin)
print(json.dumps({f"{m}.{n}": has(m, n) for m, ns in names.items() for n in ns.split()}))
"""

# A library's trace in the manner of Oryx: it collects what functions mark, through calls, loops and jit.
LIBRARY = """
import jax, jax.numpy as jnp
from jax import api_util, lax, util
from jax._src import ad_checkpoint, core, pjit
from jax._src.lax import control_flow as lcf
from jax.extend import linear_util as lu
from jax.interpreters import ad, batching, mlir, partial_eval as pe

assert jax.__version__ == "0.10.2"

mark_p = core.Primitive("mark")
mark_p.def_impl(lambda x, name: x)
mark_p.def_abstract_eval(lambda x, name: core.raise_to_shaped(x))
ad.deflinear2(mark_p, lambda ct, x, name: [ct])
batching.defvectorized(mark_p)
mlir.register_lowering(mark_p, lambda ctx, x, name: [x])
mark = lambda x, name: mark_p.bind(x, name=name)

scope_p = core.CallPrimitive("scope")

def scope(f, name):
    def wrapped(*args):
        flat, tree = jax.tree.flatten(args)
        fun, out_tree = api_util.flatten_fun_nokwargs(lu.wrap_init(f), tree)
        out = scope_p.bind(fun, *flat, name=name)
        return jax.tree.unflatten(out_tree(), out)
    return wrapped

class Collect(core.Trace):
    def __init__(self, parent, found, prefix=""):
        self.outer, self.found, self.prefix = parent, found, prefix

    def process_primitive(self, primitive, values, params):
        if primitive is mark_p:
            self.found[self.prefix + params["name"]] = values[0]
            return values[0]
        if primitive is lcf.scan_p:
            assert params["linear"] == (False,) * len(values) and "_split_transpose" in params
        if primitive is pjit.pjit_p:
            assert params["in_layouts"] == (None,) * len(values)
            return self.program(params["jaxpr"], values)
        if primitive is ad_checkpoint.remat_p:
            return self.program(core.ClosedJaxpr(params["jaxpr"], ()), values)
        assert "accuracy" not in params
        return primitive.bind_with_trace(self.outer, values, params)

    def program(self, closed, values):
        with core.set_current_trace(self):
            return core.jaxpr_as_fun(closed)(*values)

    def process_call(self, primitive, f, values, params):
        inner = Collect(self.outer, self.found, self.prefix + params["name"] + "/")
        with core.set_current_trace(inner):
            return f.call_wrapped(*values)

def collect(f):
    def wrapped(*args):
        with core.take_current_trace() as parent:
            trace = Collect(parent, {})
            with core.set_current_trace(trace):
                out = f(*args)
        return out, trace.found
    return wrapped

def model(x):
    y = mark(jnp.exp(x), "exp")
    z = scope(lambda y: mark(jnp.sin(y) * x, "sin"), "inner")(y)
    z = jax.jit(lambda z: mark(z + 1, "jit"))(z)
    z = jax.checkpoint(lambda z: mark(z * 2, "remat"))(z)
    return lax.scan(lambda c, _: (c * 0.5, c), z, None, 3)[0]

plain = lambda x: (jnp.sin(jnp.exp(x)) * x + 1) * 2 * 0.125
close = lambda a, b: jnp.allclose(a, b, rtol=1e-5)
for run in (lambda f: f, jax.jit):
    assert close(run(model)(0.3), plain(0.3))
    assert close(run(jax.grad(model))(0.3), jax.grad(plain)(0.3))
    assert close(run(jax.vmap(jax.grad(model)))(jnp.arange(3.0)), jax.vmap(jax.grad(plain))(jnp.arange(3.0))).all()
    out, found = run(collect(model))(0.3)
    assert close(out, plain(0.3)) and sorted(found) == ["exp", "inner/sin", "jit", "remat"], found
    assert close(found["exp"], jnp.exp(0.3))
assert close(jax.jacfwd(jax.grad(model))(0.3), jax.hessian(plain)(0.3))
found = jax.grad(lambda x: collect(model)(x)[1]["inner/sin"])(0.3)
assert close(found, jax.grad(lambda x: jnp.sin(jnp.exp(x)) * x)(0.3))

(call,) = [e for e in jax.make_jaxpr(model)(0.3).eqns if e.primitive is scope_p]
assert call.params["name"] == "inner" and call.params["call_jaxpr"].eqns
assert "accuracy" not in jax.make_jaxpr(jnp.exp)(1.0).eqns[-1].params

total = lax.reduce_sum_p.bind(jnp.ones(3), axes=(0,))
assert total == 3.0
(sum_of,) = [e for e in jax.make_jaxpr(jnp.sum)(jnp.ones(3)).eqns if e.primitive is lax.reduce_sum_p]
assert "out_sharding" not in sum_of.params

run = lu.wrap_init(lambda x, y: [jnp.sin(x) * y, y])
zero = ad.Zero(core.get_aval(1.0))
outs, slopes = ad.jvp(run).call_wrapped((0.0, 2.0), (1.0, zero))
assert [float(x) for x in (*outs, *slopes)] == [0.0, 2.0, 2.0, 0.0]
outs, slopes = ad.jvp(run, instantiate=False).call_wrapped((0.0, 2.0), (1.0, zero))
assert type(slopes[1]) is ad.Zero
with_aux = lu.wrap_init(lambda x: ([x * x], "beside"))
fun, beside = ad.jvp(with_aux, has_aux=True)
assert fun.call_wrapped((3.0,), (1.0,)) == ([9.0], [6.0]) and beside() == "beside"

jaxpr, consts, tree = lcf._initial_style_jaxpr(
    lambda a: (a[0] + 1, found), jax.tree.structure(((1.0,),)), [core.get_aval(1.0)]
)
assert len(jaxpr.in_avals) == len(consts) + 1 and tree == jax.tree.structure((0, 0))

class Doubled(core.Primitive):
    pass

flat_p = Doubled("flat")
flat_p.multiple_results = True
flat_p.def_impl(lambda x, k: [x * k])
flat_p.def_abstract_eval(lambda x, **params: pe.abstract_eval_fun(flat_p.impl, x, **params))
def batch(axis, args, dims, **params):
    fun, out_dims = batching.batch_subtrace(lu.wrap_init(flat_p.impl, params), core.TraceTag(), axis, dims)
    return fun.call_wrapped(*args), out_dims()
batching.fancy_primitive_batchers[flat_p] = batch
assert (jax.vmap(lambda x: flat_p.bind(x, k=3.0)[0], in_axes=1, out_axes=1)(jnp.ones((2, 3))) == 3).all()
print("done")
"""


# Programs show calls of functions, by whichever name the primitive is found, with operands and without.
CALLS = """
import jax, jax.extend
import jax.numpy as jnp
from jax._src import core, linear_util as lu

primitive = jax.core.call_p
assert primitive is core.call_p is jax.extend.core.primitives.call_p
for operands in [(), (1.0,)]:
    def called(*args):
        f = lu.wrap_init(lambda *args: (jnp.exp(*args or (0.0,)),))
        return primitive.bind(f, *args)[0]
    (equation,) = jax.make_jaxpr(called)(*operands).jaxpr.eqns
    assert equation.primitive is primitive and len(equation.invars) == len(operands)
    assert jax.jit(called)(*operands) == called(*operands) == jnp.exp(*operands or (0.0,))
constant = jnp.arange(3.0)
def scaled(x):
    return primitive.bind(lu.wrap_init(lambda x: (x * constant,)), x)[0]
(equation,) = jax.make_jaxpr(scaled)(2.0).jaxpr.eqns
program = equation.params["call_jaxpr"].jaxpr
assert not program.constvars and len(program.invars) == len(equation.invars) == 2
for f in (scaled, jax.jit(scaled), jax.vmap(scaled, in_axes=None, axis_size=2, out_axes=None)):
    assert f(2.0).tolist() == [0.0, 2.0, 4.0]
assert jax.jacobian(scaled)(2.0).tolist() == jax.jacfwd(scaled)(2.0).tolist() == [0.0, 1.0, 2.0]
print("done")
"""


def run(program, choice, given=""):
    environment = {k: v for k, v in os.environ.items() if k != "JAX_COMPAT"}
    answer = subprocess.run(
        [sys.executable, "-c", program],
        input=given,
        env={**environment, "JAX_PLATFORMS": "cpu", **choice},
        capture_output=True,
        text=True,
    )
    assert not answer.returncode, answer.stderr
    return answer.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("choice", "expected"), [({}, False), ({"JAX_COMPAT": "oryx"}, True)]
)
def test_older_names_are_there_with_the_choice_alone(choice, expected):
    found = json.loads(run(PROGRAM, choice, json.dumps(NAMES)))
    assert {name for name, is_there in found.items() if is_there != expected} == set()


def test_a_trace_of_a_library_of_that_time_collects_what_functions_mark():
    assert run(LIBRARY, {"JAX_COMPAT": "oryx"}) == "done"


def test_programs_of_that_time_show_calls_of_functions():
    assert run(CALLS, {"JAX_COMPAT": "oryx"}) == "done"
