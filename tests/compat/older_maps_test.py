"""With `JAX_COMPAT=oryx`, `jax.pmap` is a primitive that maps a function, and rules for `jax.shard_map` are called."""

import pytest

from tests.compat.older_names_test import run

# Each is run on two devices, after these lines. `Marks` is a trace in the manner of Oryx: it counts what it meets and
# maps the functions of `jax.pmap` itself.
START = """
import jax, jax.numpy as jnp
from jax import lax, util
from jax._src import core
from jax.experimental import shard_map as shard_map_lib
from jax.extend import linear_util as lu
from jax.interpreters import mlir, pxla

pmap_p = pxla.xla_pmap_p
x = jnp.arange(2.0) + 1

class Marks(core.Trace):
    def __init__(self, parent, found):
        self.outer, self.found = parent, found

    def process_primitive(self, primitive, values, params):
        self.found.append(primitive.name)
        return primitive.bind_with_trace(self.outer, values, params)

    def process_map(self, primitive, f, values, params):
        assert primitive is pmap_p and params["axis_size"] == 2, params
        thunk, given = params["out_axes_thunk"], {k: v for k, v in params.items() if k != "out_axes_thunk"}
        found = self.found
        def inner(*args):
            with core.take_current_trace() as parent:
                with core.set_current_trace(Marks(parent, found)):
                    outs = f.call_wrapped(*args)
            return [*outs, jnp.float32(7)]
        outs = primitive.bind_with_trace(
            self.outer,
            (lu.wrap_init(inner), *values),
            dict(given, out_axes_thunk=lambda: (*thunk(), 0)),
        )
        found.append(outs[-1].shape)
        return outs[:-1]

def marks(f):
    def wrapped(*args):
        found = []
        with core.take_current_trace() as parent:
            with core.set_current_trace(Marks(parent, found)):
                out = f(*args)
        return out, found
    return wrapped
"""

TRACES = """
mapped = jax.pmap(lambda x, y: {"sum": jnp.sin(x) + y, "same": y}, "i", in_axes=(0, None), out_axes={"sum": 0, "same": None})
seen = []
def collected(x, y):
    out, found = marks(mapped)(x, y)
    seen.append(found)
    return out
for f in (collected, jax.jit(collected)):
    out = f(x, 3.0)
    assert out["same"] == 3.0 and jnp.allclose(out["sum"], jnp.sin(x) + 3), out
    assert "sin" in seen[-1] and seen[-1][-1] == (2,), seen
assert len(seen) == 2
again = lambda x, y: core.eval_jaxpr(jax.make_jaxpr(mapped)(x, y).jaxpr, (), x, y)
(same, total), found = marks(again)(x, 3.0)
assert same == 3.0 and jnp.allclose(total, jnp.sin(x) + 3) and "sin" in found, found
"""

PROGRAMS = """
mapped = jax.pmap(lambda x: lax.psum(x, "i") * x, "i", in_axes=1, out_axes=1)
(equation,) = jax.make_jaxpr(mapped)(jnp.ones((3, 2))).eqns
assert equation.primitive is pmap_p and equation.primitive.map_primitive
params = equation.params
assert (params["axis_name"], params["axis_size"]) == ("i", 2)
assert (params["in_axes"], params["out_axes"], params["donated_invars"]) == ((1,), (1,), (False,))
assert [v.aval.shape for v in (*params["call_jaxpr"].invars, *equation.outvars)] == [(3,), (3, 2)]
y = jnp.arange(6.0).reshape(3, 2)
assert (core.eval_jaxpr(jax.make_jaxpr(mapped)(y).jaxpr, (), y)[0] == mapped(y)).all()
"""

TRANSFORMS = """
constant = jnp.float32(2)
static = lambda n, x, y: constant * jnp.sin(x) ** n * lax.pmean(y, "i")
mapped = lambda x, y: jax.pmap(static, "i", in_axes=(None, 0, 0), static_broadcasted_argnums=0)(3, x, y)
plain = lambda x, y: 2 * jnp.sin(x) ** 3 * y.mean()
y = x * 0.5
close = lambda a, b: all(jax.tree.leaves(jax.tree.map(lambda a, b: jnp.allclose(a, b, rtol=1e-5), a, b)))
for run in (lambda f: f, jax.jit):
    assert close(run(mapped)(x, y), plain(x, y))
    assert close(run(jax.jacrev(mapped, (0, 1)))(x, y), jax.jacrev(plain, (0, 1))(x, y))
    assert close(run(jax.jacfwd(mapped, (0, 1)))(x, y), jax.jacfwd(plain, (0, 1))(x, y))
    assert close(run(jax.vmap(mapped, (0, None)))(jnp.stack([x, y]), y), jax.vmap(plain, (0, None))(jnp.stack([x, y]), y))
    hessian = run(jax.jacfwd(jax.grad(lambda x: mapped(x, y).sum())))(x)
    assert close(hessian, jax.hessian(lambda x: plain(x, y).sum())(x))
"""

CALLS = """
double = lu.wrap_init(lambda: [lax.axis_index("i") * 2, jnp.float32(1)])
params = dict(axis_name="i", axis_size=2, global_axis_size=2, devices=None, backend=None, name="f")
bound = lambda: pmap_p.bind(
    double, in_axes=(), donated_invars=(), out_axes_thunk=lambda: (0, None), **params
)
for run in (lambda f: f, jax.jit):
    indices, one = run(bound)()
    assert indices.tolist() == [0, 2] and one == 1
for wrong in (jnp.ones(3), 1.0):
    try:
        jax.jit(jax.pmap(lambda x: x))(wrong)
    except ValueError as error:
        assert "pmap" in str(error), error
    else:
        raise AssertionError("a wrong axis was taken")
"""

RULES = """
mark_p, seen = core.Primitive("mark"), []
mark_p.def_impl(lambda x, name: x)
mark_p.def_abstract_eval(lambda x, name: x)
mlir.register_lowering(mark_p, lambda ctx, x, name: [x])

@shard_map_lib.register_rewrite(mark_p)
def rewrite(mesh, in_rep, x, *, name):
    seen.append((name, mesh.axis_names, in_rep))
    if name == "refused":
        raise ValueError("marks inside are refused")
    return [mark_p.bind(x * 10, name=name)], in_rep

mesh = jax.make_mesh((2,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
over = lambda f, check=True: jax.shard_map(
    f, mesh=mesh, in_specs=jax.P("i"), out_specs=jax.P("i"), check_vma=check
)
assert mark_p.bind(x, name="outside") is x and not seen
assert over(lambda x: mark_p.bind(x, name="split"))(x).tolist() == [10, 20]
assert over(lambda x: x * mark_p.bind(lax.psum(x, "i"), name="same"))(x).tolist() == [30, 60]
assert seen == [("split", ("i",), [set()]), ("same", ("i",), [{"i"}])], seen
assert over(lambda x: mark_p.bind(x, name="unchecked"), False)(x).tolist() == [1, 2]
assert len(seen) == 2
try:
    over(lambda x: mark_p.bind(x, name="refused"))(x)
except ValueError as error:
    assert str(error) == "marks inside are refused"
else:
    raise AssertionError("nothing was refused")
assert over(lambda x: mark_p.bind(x, name="split"))(x).tolist() == [10, 20]
"""


@pytest.mark.parametrize(
    "program",
    [TRACES, PROGRAMS, TRANSFORMS, CALLS, RULES],
    ids=["traces", "programs", "transforms", "calls", "rules of shard_map"],
)
def test_maps_of_that_time(program):
    choice = {
        "JAX_COMPAT": "oryx",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=2",
    }
    assert run(f"{START}{program}\nprint('done')", choice) == "done"


def test_without_the_choice_pmap_is_a_program_of_shard_map():
    program = "import jax\nprint(jax.make_jaxpr(jax.pmap(lambda x: x))(jax.numpy.ones(1)).eqns[0].primitive)"
    assert run(program, {}) == "jit"
