"""No transformation builds an object of a user's class from anything but arrays.

Classes here check what their constructors get; each program runs for three ways of
registering one. Upstream 0.10.2 refuses some forty of these runs per class.
"""

import dataclasses
import types

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import export, lax
from jax.experimental import checkify, io_callback
from jax.sharding import NamedSharding, PartitionSpec as P

tu = jax.tree_util
ARRAYS = (jax.Array, np.ndarray, np.generic, jax.ShapeDtypeStruct, jax.core.Tracer)


def check(x):
    assert isinstance(x, ARRAYS), f"given a {type(x).__name__}: {x!r}"


class Pair:
    def __init__(self, a, b):
        check(a)
        check(b)
        self.a, self.b = a, b


@tu.register_pytree_node_class
class Node(Pair):
    def tree_flatten(self):
        return (self.a, self.b), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


@tu.register_pytree_with_keys_class
class Keyed(Pair):
    def tree_flatten_with_keys(self):
        keys = tu.GetAttrKey("a"), tu.GetAttrKey("b")
        return tuple(zip(keys, (self.a, self.b), strict=True)), None

    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)


@tu.register_dataclass
@dataclasses.dataclass
class Fields:
    a: object
    b: object

    def __post_init__(self):
        check(self.a)
        check(self.b)


def world(box):
    """What programs are written in: objects of a class, and functions of them."""
    mesh = jax.make_mesh((4,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    explicit = jax.make_mesh((4,), ("i",), axis_types=(jax.sharding.AxisType.Explicit,))
    return types.SimpleNamespace(
        box=box,
        x=jnp.arange(4.0),
        new=lambda: box(jnp.arange(4.0), jnp.ones(4)),
        rows=lambda: box(jnp.arange(8.0).reshape(4, 2), jnp.ones((4, 2))),
        step=lambda b: box(b.a * 2 + b.b, b.b),
        swap=lambda b: box(b.b, b.a),
        loss=lambda b: (b.a * b.b).sum(),
        mesh=mesh,
        explicit=explicit,
        split=NamedSharding(mesh, P("i")),
        one=jax.sharding.SingleDeviceSharding(jax.devices()[0]),
    )


def vjp_of(w, fun, value):
    out, back = jax.vjp(fun, value)
    return back(out)


def with_vjp(w, fwd, bwd, fun):
    made = jax.custom_vjp(fun)
    made.defvjp(fwd, bwd)
    return made


def with_jvp(w):
    made = jax.custom_jvp(w.step)
    made.defjvp(lambda p, t: (w.step(p[0]), w.step(t[0])))
    return made


def checked(w, b):
    checkify.check(b.a.sum() < 0, "bad {b.a}", b=b)
    return w.step(b)


def on_explicit(w, fun):
    with jax.set_mesh(w.explicit):
        return fun(jax.device_put(w.new(), NamedSharding(w.explicit, P("i"))))


def in_mesh(w, **options):
    return jax.shard_map(w.step, mesh=w.mesh, **options)


JIT = {
    "in_shardings": lambda w: jax.jit(w.step, in_shardings=w.one)(w.new()),
    "in_shardings tuple": lambda w: jax.jit(w.step, in_shardings=(w.split,))(w.new()),
    "out_shardings": lambda w: jax.jit(w.step, out_shardings=w.split)(w.new()),
    "out_shardings tuple": lambda w: jax.jit(
        lambda b: (w.step(b), b.a), out_shardings=(w.split, None)
    )(w.new()),
    "shardings nested": lambda w: jax.jit(
        lambda t: (t, t["b"].a),
        in_shardings=({"b": w.split},),
        out_shardings=({"b": w.split}, w.split),
    )({"b": w.new()}),
    "donate": lambda w: jax.jit(w.step, donate_argnums=0)(w.new()),
    "static": lambda w: jax.jit(lambda n, b: w.step(b), static_argnums=0)(3, w.new()),
    "keyword": lambda w: jax.jit(lambda *, b: w.step(b))(b=w.new()),
    "unused": lambda w: jax.jit(lambda b, c: w.step(b))(w.new(), w.new()),
    "stages": lambda w: jax.jit(w.step).lower(w.new()).compile()(w.new()),
    "trace": lambda w: jax.jit(w.step).trace(w.new()).lower().as_text(),
    "types": lambda w: jax.jit(w.step).lower(jax.eval_shape(w.step, w.new())),
    "make_jaxpr": lambda w: jax.make_jaxpr(w.step, return_shape=True)(w.new()),
    "named_call": lambda w: jax.named_call(w.step, name="n")(w.new()),
    "Partial": lambda w: jax.jit(tu.Partial(lambda b, c: w.step(b), w.new()))(w.new()),
    "export": lambda w: export.export(jax.jit(w.loss))(w.new()).call(w.new()),
    "export gradient": lambda w: jax.grad(export.export(jax.jit(w.loss))(w.new()).call)(
        w.new()
    ),
    "constraint": lambda w: jax.jit(
        lambda b: lax.with_sharding_constraint((b, b.a), (w.split, w.split))
    )(w.new()),
}
ROWS = {
    "vmap": lambda w: jax.vmap(w.step)(w.rows()),
    "axes": lambda w: jax.vmap(w.step, in_axes=1, out_axes=1)(w.rows()),
    "tuple": lambda w: jax.vmap(lambda b, s: b.a * s, in_axes=(0, None))(w.rows(), 2.0),
    "nested": lambda w: jax.vmap(
        lambda t: (t["b"], t["b"].a), in_axes=({"b": 0},), out_axes=(1, 0)
    )({"b": w.rows()}),
    "None": lambda w: jax.vmap(
        lambda b, c: (w.step(b), c), in_axes=(0, None), out_axes=(0, None)
    )(w.rows(), w.new()),
    "size": lambda w: jax.vmap(w.step, in_axes=None, axis_size=3)(w.new()),
    "keyword": lambda w: jax.vmap(lambda *, b: w.step(b))(b=w.rows()),
    "psum": lambda w: jax.vmap(lambda b: lax.psum(b, "i"), axis_name="i")(w.rows()),
    "sequential": lambda w: jax.vmap(jax.custom_batching.sequential_vmap(w.step))(
        w.rows()
    ),
    "pmap": lambda w: jax.pmap(w.step)(w.rows()),
    "pmap axes": lambda w: jax.pmap(
        lambda b, s: (w.step(b), b.a * s), in_axes=(0, None), out_axes=(0, 0)
    )(w.rows(), 2.0),
    "pmap None": lambda w: jax.pmap(
        lambda b: lax.psum(b, "i"), axis_name="i", out_axes=None
    )(w.rows()),
    "pmap static": lambda w: jax.pmap(
        lambda n, b: w.step(b), static_broadcasted_argnums=0
    )(3, w.rows()),
    "pmap donate": lambda w: jax.pmap(w.step, donate_argnums=0)(w.rows()),
    "shard_map": lambda w: in_mesh(w, in_specs=P("i"), out_specs=P("i"))(w.new()),
    "shard_map tuple": lambda w: jax.shard_map(
        lambda b, s: (w.step(b), s),
        mesh=w.mesh,
        in_specs=(P("i"), P()),
        out_specs=(P("i"), P()),
    )(w.new(), jnp.float32(2)),
    "shard_map None": lambda w: jax.shard_map(
        lambda b, s: w.step(b),
        mesh=w.mesh,
        in_specs=(P("i"), None),
        out_specs=P("i"),
    )(w.new(), 3),
    "shard_map jit": lambda w: jax.jit(in_mesh(w, in_specs=P("i"), out_specs=P("i")))(
        w.new()
    ),
    "shard_map values": lambda w: jax.shard_map(
        lambda b: w.step(b) if b.a.sum() > -1 else b,
        mesh=w.mesh,
        in_specs=P(),
        out_specs=P(),
    )(w.new()),
    "shard_map gradient": lambda w: jax.grad(
        lambda b: w.loss(in_mesh(w, in_specs=P("i"), out_specs=P("i"))(b))
    )(w.new()),
    "shard_map inferred": lambda w: on_explicit(
        w, lambda b: jax.shard_map(w.step, out_specs=P("i"))(b)
    ),
    "smap": lambda w: on_explicit(
        w, jax.jit(jax.smap(w.step, in_axes=0, out_axes=0, axis_name="i"))
    ),
    "reshard": lambda w: on_explicit(w, lambda b: jax.reshard((b, b.a), (P(), P("i")))),
    "device_put": lambda w: jax.device_put((w.new(), w.x), (w.split, w.one)),
    "device_get": lambda w: jax.device_get(w.new()),
}
DERIVATIVES = {
    "grad": lambda w: jax.grad(w.loss)(w.new()),
    "allow_int": lambda w: jax.grad(w.loss, allow_int=True)(w.box(w.x, jnp.arange(4))),
    "aux": lambda w: jax.value_and_grad(lambda b: (w.loss(b), w.step(b)), has_aux=True)(
        w.new()
    ),
    "unused": lambda w: jax.grad(lambda b: b.a.sum())(w.new()),
    "jvp": lambda w: jax.jvp(w.step, (w.new(),), (w.new(),)),
    "vjp": lambda w: vjp_of(w, w.step, w.new()),
    "vjp jit": lambda w: jax.jit(lambda b: vjp_of(w, w.step, b))(w.new()),
    "linearize": lambda w: jax.jit(jax.linearize(w.step, w.new())[1])(w.new()),
    "linear_transpose": lambda w: jax.linear_transpose(w.swap, w.new())(w.new()),
    "jacfwd": lambda w: jax.jacfwd(w.loss)(w.new()),
    "jacrev": lambda w: jax.jacrev(w.loss)(w.new()),
    "jacobian of": lambda w: (
        jax.jacfwd(lambda v: w.box(v * 2, v))(w.x),
        jax.jacrev(lambda v: w.box(v * 2, v))(w.x),
    ),
    "checkpoint": lambda w: jax.grad(lambda b: w.loss(jax.checkpoint(w.step)(b)))(
        w.new()
    ),
    "checkpoint static": lambda w: jax.grad(
        lambda b: w.loss(jax.checkpoint(lambda n, b: w.step(b), static_argnums=0)(2, b))
    )(w.new()),
    "custom_jvp": lambda w: (
        jax.jvp(with_jvp(w), (w.new(),), (w.new(),)),
        jax.grad(lambda b: w.loss(with_jvp(w)(b)))(w.new()),
        jax.vmap(with_jvp(w))(w.rows()),
    ),
    "custom_vjp": lambda w: jax.vmap(
        jax.grad(
            lambda b: w.loss(
                with_vjp(
                    w, lambda b: (w.step(b), b), lambda r, c: (w.step(c),), w.step
                )(b)
            )
        )
    )(w.rows()),
    "custom_vjp None": lambda w: jax.grad(
        with_vjp(
            w,
            lambda t, s: ((t[0].a * s).sum(), s),
            lambda r, c: ((None, c), c),
            lambda t, s: (t[0].a * s).sum(),
        )
    )((w.new(), 1.0), 2.0),
    "custom_gradient": lambda w: jax.grad(
        lambda b: w.loss(jax.custom_gradient(lambda b: (w.step(b), lambda c: (c,)))(b))
    )(w.new()),
    "closure_convert": lambda w: jax.closure_convert(w.step, w.new())[0](w.new()),
    "stop_gradient": lambda w: lax.stop_gradient(w.new()),
}
CONTROL = {
    "scan carry": lambda w: lax.scan(
        lambda b, _: (w.step(b), b.a), w.new(), None, length=3
    ),
    "scan rows": lambda w: lax.scan(
        lambda c, b: (c + b.a.sum(), w.step(b)), 0.0, w.rows(), unroll=2
    ),
    "scan gradient": lambda w: jax.grad(
        lambda b: w.loss(lax.scan(lambda b, _: (w.step(b), b), b, None, length=3)[0])
    )(w.new()),
    "map": lambda w: lax.map(w.step, w.rows(), batch_size=3),
    "while": lambda w: jax.vmap(
        lambda b: lax.while_loop(lambda b: b.a.sum() < 50, w.step, b)
    )(w.rows()),
    "fori": lambda w: lax.fori_loop(0, 3, lambda i, b: w.step(b), w.new()),
    "cond": lambda w: jax.grad(
        lambda b: w.loss(lax.cond(b.a.sum() > 0, w.step, w.swap, b))
    )(w.new()),
    "cond by row": lambda w: jax.vmap(
        lambda b: lax.cond(b.a.sum() > 0, w.step, w.swap, b)
    )(w.rows()),
    "switch": lambda w: lax.switch(1, [w.step, w.swap], w.new()),
    "associative_scan": lambda w: lax.associative_scan(
        lambda p, q: w.box(p.a + q.a, p.b * q.b), w.rows()
    ),
    "solve": lambda w: lax.custom_linear_solve(
        lambda b: b, w.new(), lambda _, b: b, transpose_solve=lambda _, b: b
    ),
    "root": lambda w: lax.custom_root(
        w.step, w.new(), lambda f, b: w.new(), lambda g, y: y
    ),
    "pure_callback": lambda w: jax.jit(
        lambda b: jax.pure_callback(lambda b: b, jax.eval_shape(lambda b: b, b), b)
    )(w.new()),
    "io_callback": lambda w: io_callback(lambda b: b.a, w.x, w.new(), ordered=True),
    "debug.callback": lambda w: jax.debug.callback(lambda b: None, w.new()),
    "checkify": lambda w: checkify.checkify(lambda b: checked(w, b))(w.new())[0].get(),
    "checkify jit": lambda w: jax.jit(
        checkify.checkify(lambda b: checked(w, b), errors=checkify.all_checks)
    )(w.new()),
    "barrier": lambda w: lax.optimization_barrier(w.new()),
    "map_with_path": lambda w: tu.tree_map_with_path(lambda p, a: a, w.new()),
}
# Programs that are refused: the message, too, is made without such objects.
MISTAKES = {
    "carry": lambda w: lax.scan(lambda b, _: ((b, b), None), w.new(), None, length=2),
    "carry type": lambda w: lax.scan(
        lambda b, _: (w.box(b.a > 0, b.b), None), w.new(), None, length=2
    ),
    "branches": lambda w: lax.cond(True, lambda b: b, lambda b: (b, b), w.new()),
    "loop": lambda w: lax.while_loop(lambda b: True, lambda b: (b, b), w.new()),
    "cotangent": lambda w: jax.vjp(w.step, w.new())[1](w.x),
    "in_axes": lambda w: jax.vmap(lambda t: t, in_axes=((0, 0),))(w.rows()),
    "out_axes": lambda w: jax.vmap(lambda t: t, out_axes=(0, 0))(w.rows()),
    "out_axes None": lambda w: jax.vmap(w.step, out_axes=None)(w.rows()),
    "sizes": lambda w: jax.vmap(w.step)(w.box(jnp.ones(3), jnp.ones(4))),
    "in_shardings": lambda w: jax.jit(w.step, in_shardings=((None, None, None),))(
        w.new()
    ),
    "out_shardings": lambda w: jax.jit(w.step, out_shardings=(None,) * 3)(w.new()),
    "in_specs": lambda w: in_mesh(w, in_specs=((P(), P()),), out_specs=P())(w.new()),
    "out_specs": lambda w: in_mesh(w, in_specs=P("i"), out_specs=(P(),) * 3)(w.new()),
    "out_specs vary": lambda w: in_mesh(w, in_specs=P("i"), out_specs=P())(w.new()),
    "pmap in_axes": lambda w: jax.pmap(w.step, in_axes=((0, 0),))(w.rows()),
    "pmap out_axes": lambda w: jax.pmap(w.step, out_axes=(0, 0))(w.rows()),
    "operand": lambda w: jnp.add(w.new(), 1),
    "result": lambda w: jax.jit(lambda b: (b, "s"))(w.new()),
    "scalar": lambda w: jax.grad(w.step)(w.new()),
    "call": lambda w: jax.jit(w.step).lower(w.new()).compile()(w.rows()),
    "device_put": lambda w: jax.device_put((w.new(),), (w.split, w.one)),
}


def cases(*tables):
    return [
        pytest.param(program, id=name)
        for table in tables
        for name, program in table.items()
    ]


@pytest.mark.parametrize("box", [Node, Keyed, Fields])
@pytest.mark.parametrize("program", cases(JIT, ROWS, DERIVATIVES, CONTROL))
def test_objects_are_made_of_arrays_alone(program, box):
    program(world(box))
    jax.effects_barrier()


@pytest.mark.parametrize("box", [Node, Keyed, Fields])
@pytest.mark.parametrize("program", cases(MISTAKES))
def test_messages_are_made_without_objects(program, box):
    with pytest.raises((TypeError, ValueError)):
        program(world(box))


@pytest.mark.parametrize("box", [Node, Keyed, Fields])
def test_objects_are_made_of_arrays_without_compiling(box):
    w = world(box)
    with jax.disable_jit():
        for name in ("scan carry", "scan rows", "fori", "cond", "switch"):
            CONTROL[name](w)
        JIT["unused"](w)


def message(run):
    with pytest.raises(ValueError) as caught:
        run()
    return str(caught.value)


def many(count, leaf):
    return {f"layer_{i:04}": {"w": leaf, "b": leaf} for i in range(count)}


AXES_OF_MANY = [
    pytest.param(
        lambda axes, n: axes | {"layer_0000": (0, 0)}, "['layer_0000']", id="node"
    ),
    pytest.param(
        lambda axes, n: axes | {"layer_0001": {"w": 0}}, "['layer_0001']", id="key"
    ),
    pytest.param(lambda axes, n: {**axes, "more": 0}, "", id="more"),
    pytest.param(lambda axes, n: list(axes.values()), "", id="kind"),
]


@pytest.mark.parametrize(("change", "path"), AXES_OF_MANY)
@pytest.mark.parametrize("count", [2, 400])
def test_axes_that_do_not_fit_are_named_by_key_path(change, path, count):
    params = many(count, jnp.ones(2))
    axes = change(dict.fromkeys(params, 0), count)
    for run, name in (
        (lambda: jax.vmap(lambda p: p, in_axes=(axes,))(params), "vmap in_axes[0]"),
        (lambda: jax.vmap(lambda p: p, out_axes=axes)(params), "vmap out_axes"),
        (lambda: jax.pmap(lambda p: p, in_axes=(axes,))(params), "pmap in_axes[0]"),
        (lambda: jax.pmap(lambda p: p, out_axes=axes)(params), "pmap out_axes"),
    ):
        text = message(run)
        assert f"at key path\n    {name}{path}\n" in text
        assert len(text) < 1000
