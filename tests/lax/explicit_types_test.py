"""Over Explicit mesh axes, the type of each result has its sharding; no devices are needed."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base.errors import ShardingTypeError
from jax._src.core import mesh as mesh_lib, mesh_context
from jax.sharding import NamedSharding, PartitionSpec as P

EXPLICIT = mesh_lib.AxisType.Explicit
MESH = mesh_lib.AbstractMesh((4, 2), ("x", "y"), (EXPLICIT, EXPLICIT))


def array(shape, *spec, mesh=MESH, dtype="float32", **sums):
    sharding = NamedSharding(mesh, P(*spec, **sums))
    return jax.ShapeDtypeStruct(shape, dtype, sharding=sharding)


def result_types(fun, *args, mesh=MESH):
    with mesh_context.use_abstract_mesh(mesh):
        outs = jax.make_jaxpr(fun)(*args).out_avals
    return " ".join(out.str_short(short_dtypes=True) for out in outs)


XY = array((8, 8), "x", "y")
X, Y, WHOLE = array((8, 8), "x"), array((8, 8), None, "y"), array((8, 8))
BATCH = array((8, 4, 4), "x")
DUE, SAME = array((8, 8), unreduced={"x"}), array((8, 8), reduced={"x"})

FOLLOWS = {
    "negative": (lambda a: -a, [XY], "f32[8@x,8@y]"),
    "scalar": (lambda a: a * 2 + 1, [XY], "f32[8@x,8@y]"),
    "compare": (lambda a: a > 0, [XY], "bool[8@x,8@y]"),
    "one side": (lambda a, b: a + b, [X, WHOLE], "f32[8@x,8]"),
    "both sides": (lambda a, b: a + b, [X, Y], "f32[8@x,8@y]"),
    "row": (lambda a, b: a + b[0], [XY, WHOLE], "f32[8@x,8@y]"),
    "where": (lambda a: jnp.where(a > 0, a, 0), [XY], "f32[8@x,8@y]"),
    "sum": (lambda a: a.sum(0), [XY], "f32[8@y]"),
    "keepdims": (lambda a: a.max(1, keepdims=True), [XY], "f32[8@x,1]"),
    "argmax": (lambda a: a.argmax(0), [XY], "i32[8@y]"),
    "transpose": (lambda a: a.T, [XY], "f32[8@y,8@x]"),
    "expand": (lambda a: a[:, None], [XY], "f32[8@x,1,8@y]"),
    "broadcast": (lambda a: jnp.broadcast_to(a, (2, 8, 8)), [XY], "f32[2,8@x,8@y]"),
    "split axis": (lambda a: a.reshape(4, 2, 8), [XY], "f32[4@x,2,8@y]"),
    "split, minor": (lambda a: a.reshape(8, 2, 4), [XY], "f32[8@x,2@y,4]"),
    "merge axes": (lambda a: a.reshape(64), [XY], "f32[64@(x,y)]"),
    "merge, minor whole": (lambda a: a.reshape(64), [X], "f32[64@x]"),
    "merge three": (lambda a: a.ravel(), [BATCH], "f32[128@x]"),
    "least of all": (lambda a: a.argmin(), [BATCH], "i32[]"),
    "norm": (lambda a: jnp.linalg.norm(a), [array((8, 4, 4), None, "x")], "f32[]"),
    "variance": (lambda a: a.var(1), [X], "f32[8@x]"),
    "trace": (jnp.trace, [BATCH], "f32[4]"),
    "trace, last": (lambda a: jnp.trace(a, 1, 1, 2), [BATCH], "f32[8@x]"),
    "ones come": (lambda a: a.reshape(8, 1, 8), [XY], "f32[8@x,1,8@y]"),
    "slice": (lambda a: a[:4], [XY], "f32[4@x,8@y]"),
    "stack": (lambda a: jnp.stack([a, a]), [XY], "f32[2,8@x,8@y]"),
    "split": (lambda a: jnp.split(a, 2), [XY], "f32[4@x,8@y] f32[4@x,8@y]"),
    "sort": (lambda a: jnp.sort(a, 1), [X], "f32[8@x,8]"),
    "cumsum": (lambda a: jnp.cumsum(a, 1), [X], "f32[8@x,8]"),
    "top_k": (lambda a: lax.top_k(a, 2), [X], "f32[8@x,2] i32[8@x,2]"),
    "take": (lambda a: a[jnp.arange(3)], [Y], "f32[3,8@y]"),
    "matmul": (lambda a, b: a @ b, [X, Y], "f32[8@x,8@y]"),
    "matmul, one side": (lambda a, b: a @ b, [Y, WHOLE], "f32[8,8]"),
    "batch of the left": (
        lambda a, b: lax.batch_matmul(a, b),
        [BATCH, array((8, 4, 4))],
        "f32[8@x,4,4]",
    ),
    "batch of the right": (
        lambda a, b: lax.batch_matmul(b, a),
        [BATCH, array((8, 4, 4))],
        "f32[8,4,4]",
    ),
    "diagonal matrix": (jnp.diag, [array((8,), "x")], "f32[8@x,8]"),
    "above the diagonal": (
        lambda a: jnp.diag(a, 4),
        [array((8,), "x")],
        "f32[12@x,12]",
    ),
    "below the diagonal": (
        lambda a: jnp.diag(a, -4),
        [array((8,), "x")],
        "f32[12@x,12]",
    ),
    "softmax": (lambda a: jax.nn.softmax(a), [XY], "f32[8@x,8@y]"),
    "logsumexp": (lambda a: jax.nn.logsumexp(a, 1), [XY], "f32[8@x]"),
    "tril": (lambda a: jnp.tril(a), [XY], "f32[8@x,8@y]"),
    "zeros_like": (lambda a: jnp.zeros_like(a), [XY], "f32[8@x,8@y]"),
    "constant": (lambda: jnp.ones(4), [], "f32[4]"),
    "remainder": (lambda a: a % 2, [XY], "f32[8@x,8@y]"),
    "rounded quotient": (lambda a: 7 // a, [XY], "f32[8@x,8@y]"),
    "of steps": (lambda a: jnp.sinc(jnp.heaviside(a, 1)), [XY], "f32[8@x,8@y]"),
    "two of steps": (lambda a, b: jnp.logaddexp(a, b), [X, Y], "f32[8@x,8@y]"),
    "nan_to_num": (lambda a: jnp.nan_to_num(a), [XY], "f32[8@x,8@y]"),
    "searchsorted": (lambda a: jnp.digitize(a, np.arange(3)), [X], "i32[8@x,8]"),
    "broadcast_arrays": (
        lambda a, b: jnp.broadcast_arrays(a, b[0]),
        [X, WHOLE],
        "f32[8@x,8] f32[8,8]",
    ),
    "cholesky": (lambda a: jnp.linalg.cholesky(a), [BATCH], "f32[8@x,4,4]"),
    "det": (lambda a: jnp.linalg.det(a), [BATCH], "f32[8@x]"),
    "inv": (lambda a: jnp.linalg.inv(a), [BATCH], "f32[8@x,4,4]"),
    "solve": (lambda a: jnp.linalg.solve(a, a), [BATCH], "f32[8@x,4,4]"),
    "set all": (lambda a: a.at[:].add(1.0), [XY], "f32[8@x,8@y]"),
    "set by what is split less": (
        lambda a, b: a.at[...].set(b),
        [XY, X],
        "f32[8@x,8@y]",
    ),
    "set columns": (lambda a, b: a.at[:, :4].set(b[:, 4:]), [X, X], "f32[8@x,8]"),
    "qr": (lambda a: jnp.linalg.qr(a[None])[1], [WHOLE], "f32[1,8,8]"),
    "jit": (lambda a: jax.jit(jnp.sin)(a), [XY], "f32[8@x,8@y]"),
    "fori": (
        lambda a: lax.fori_loop(0, 3, lambda i, c: c * 2, a),
        [XY],
        "f32[8@x,8@y]",
    ),
    "map": (lambda a: lax.map(jnp.sin, a), [Y], "f32[8,8@y]"),
    "cond": (
        lambda a: lax.cond(a.sum() > 0, jnp.sin, jnp.cos, a),
        [XY],
        "f32[8@x,8@y]",
    ),
    "bits": (lambda: jax.random.normal(jax.random.key(0), (4,)), [], "f32[4]"),
    "add due sums": (lambda a: a + a, [DUE], "f32[8,8]{U:x}"),
    "move due sums": (lambda a: a.T.reshape(8, 1, 8), [DUE], "f32[8,1,8]{U:x}"),
    "product": (lambda a, b: a * b, [DUE, SAME], "f32[8,8]{U:x}"),
    "reduced": (lambda a: jnp.tanh(a * 2), [SAME], "f32[8,8]{R:x}"),
}


@pytest.mark.parametrize("case", FOLLOWS)
def test_results_are_sharded_as_operands_are(case):
    fun, args, expected = FOLLOWS[case]
    assert result_types(fun, *args) == expected


TOLD = {
    "reshape": (lambda a: a.reshape(64, out_sharding=P("x")), "f32[64@x]"),
    "broadcast": (
        lambda a: jnp.broadcast_to(a, (8, 8, 8), out_sharding=P(None, "x")),
        "f32[8,8@x,8]",
    ),
    "matmul": (lambda a: jnp.matmul(a, a, out_sharding=P("x", "y")), "f32[8@x,8@y]"),
    "einsum": (
        lambda a: jnp.einsum("ij,kj->ik", a, a, out_sharding=P("y")),
        "f32[8@y,8]",
    ),
    "due": (
        lambda a: jnp.einsum("ij,ij->i", a, a, out_sharding=P("x", unreduced={"y"})),
        "f32[8@x]{U:y}",
    ),
    "arange": (lambda a: jnp.arange(8, out_sharding=P("x")), "i32[8@x]"),
    "zeros": (lambda a: jnp.zeros((8, 8), out_sharding=P("x")), "f32[8@x,8]"),
    "get": (
        lambda a: a.at[jnp.array([0, 3])].get(out_sharding=P(None, "y")),
        "f32[2,8@y]",
    ),
    "set": (lambda a: a.at[0].set(1.0, out_sharding=P("y")), "f32[8@y,8]"),
    "repeat": (
        lambda a: jnp.repeat(a, 2, axis=0, out_sharding=P("x", "y")),
        "f32[16@x,8@y]",
    ),
    "uniform": (
        lambda a: jax.random.uniform(jax.random.key(0), (8,), out_sharding=P("x")),
        "f32[8@x]",
    ),
    "reshard": (lambda a: jax.reshard(a, P(("y", "x"))), "f32[8@(y,x),8]"),
    "auto_axes": (
        lambda a: jax.sharding.auto_axes(lambda v: v @ v, out_sharding=P("x"))(a),
        "f32[8@x,8]",
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_results_are_sharded_as_they_are_told(case):
    fun, expected = TOLD[case]
    assert result_types(fun, XY) == expected


REFUSED = {
    "two ways": (lambda a: a + a.T, [XY], ShardingTypeError, "split alike"),
    "one axis twice": (lambda a: a + a.T, [X], ShardingTypeError, "f32[8@x,8@x]"),
    "one axis twice, where": (
        lambda a: jnp.where(a > 0, a, a.T),
        [X],
        ShardingTypeError,
        "where operation with inputs: bool[8@x,8], f32[8@x,8], f32[8,8@x]",
    ),
    "one axis twice, compiled": (
        lambda a: jax.scipy.special.xlogy(a, a.T),
        [X],
        ShardingTypeError,
        "f32[8@x,8@x]",
    ),
    "ambiguous": (lambda a: a @ a.T, [XY], ShardingTypeError, "ambiguous"),
    "mask": (
        lambda a, b: lax.select(b > 0, a, a),
        [XY, WHOLE],
        ShardingTypeError,
        "`which`",
    ),
    "one row": (lambda a: a[0], [XY], ShardingTypeError, "does not divide"),
    "reshape": (lambda a: a.reshape(2, 32), [XY], ShardingTypeError, "out_sharding"),
    "sort": (lambda a: jnp.sort(a, 0), [XY], ShardingTypeError, "sort works"),
    "take": (lambda a: a[jnp.arange(2)], [XY], ShardingTypeError, "out_sharding"),
    "set by what is split more": (
        lambda a, b: a.at[...].set(b),
        [X, XY],
        ValueError,
        "Incompatible types for broadcasting",
    ),
    "set rows by what is split": (
        lambda a, b: a.at[jnp.arange(8)].set(b),
        [WHOLE, X],
        ValueError,
        "part    P(None, None)",
    ),
    "set part of a split axis": (
        lambda a, b: a.at[:4].set(b[:4]),
        [X, X],
        ShardingTypeError,
        "out_sharding",
    ),
    "steps": (
        lambda a: lax.scan(lambda c, x: (c, x), 0.0, a),
        [XY],
        ValueError,
        "should be replicated",
    ),
    "carry": (
        lambda a: lax.fori_loop(0, 2, lambda i, c: jax.reshard(c, P("y")), a),
        [XY],
        TypeError,
        "8@y",
    ),
    "branches": (
        lambda a: lax.cond(True, lambda: a, lambda: jax.reshard(a, P())),
        [XY],
        TypeError,
        "float32[8@x,8@y]",
    ),
    "rows": (
        lambda a, b: jax.vmap(lambda r, s: r + s)(a, b),
        [XY, array((8, 8), "y")],
        ValueError,
        "sharded the same",
    ),
    "uneven": (lambda a: jax.reshard(a[:7], P("x")), [Y], ValueError, "size 7"),
    "unknown axis": (lambda a: jax.reshard(a, P("z")), [Y], ValueError, "z"),
    "add a due sum": (lambda a, b: a + b, [DUE, X], ShardingTypeError, "unreduced"),
    "tanh of parts": (lambda a: jnp.tanh(a), [DUE], NotImplementedError, "tanh"),
    "no way": (
        lambda a: jax.sharding.auto_axes(lambda v: v)(a),
        [XY],
        TypeError,
        "out_sharding",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_sharded_otherwise_is_refused(case):
    fun, args, kind, fact = REFUSED[case]
    with pytest.raises(kind) as caught:
        result_types(fun, *args)
    assert fact in str(caught.value)


def test_without_a_current_mesh_what_is_made_like_an_array_is_sharded_like_it():
    outs = jax.eval_shape(lambda a: (jnp.zeros_like(a), jnp.tril(a), a % 2), XY)
    assert [out.sharding.spec for out in outs] == [P("x", "y")] * 3


def test_operands_are_on_one_mesh():
    other = mesh_lib.AbstractMesh((2, 4), ("x", "y"), (EXPLICIT, EXPLICIT))
    with pytest.raises(ValueError, match="context mesh should match"):
        result_types(lambda a: a + 1, array((8, 8), "x", mesh=other))
    with pytest.raises(ValueError, match="all inputs should be equal"):
        mixed = [XY, array((8, 8), "x", mesh=other)]
        result_types(lambda a, b: a + b, *mixed, mesh=mesh_lib.NO_ABSTRACT_MESH)


def test_without_a_current_mesh_results_are_on_the_mesh_of_the_operands():
    found = result_types(lambda a: a * 2, XY, mesh=mesh_lib.NO_ABSTRACT_MESH)
    assert found == "f32[8@x,8@y]"


def test_cotangents_are_sharded_as_the_operands():
    loss = lambda a, b: jnp.sum(jnp.matmul(a, b, out_sharding=P("x")) ** 2)  # noqa: E731
    found = result_types(jax.grad(loss, argnums=(0, 1)), XY, WHOLE)
    assert found == "f32[8@x,8@y] f32[8,8]"
    assert result_types(jax.grad(lambda a: (a * 2).sum()), SAME) == "f32[8,8]{U:x}"


@pytest.mark.parametrize("spec", [("x",), (None, None, "x"), (None, None, ("x", "y"))])
def test_cotangents_of_convolutions_are_sharded_as_the_operands(spec):
    def loss(image, kernel):
        return jnp.sin(lax.conv_general_dilated(image, kernel, (1,), "SAME")).sum()

    args = array((8, 2, 16), *spec), array((4, 2, 3))
    found = result_types(jax.grad(loss, argnums=(0, 1)), *args)
    assert found == result_types(lambda *a: a, *args)


def test_batch_elements_of_vmap_are_sharded_over_their_axis_outside_of_it():
    seen = []

    def row(r):
        seen.append(jax.typeof(r).str_short())
        return r * 2, jnp.zeros(8, out_sharding=P("y"))

    found = result_types(jax.vmap(row), XY)
    assert seen == ["float32[8@y]"]
    assert found == "f32[8@x,8@y] f32[8@x,8@y]"


def test_auto_axes_leave_the_types_in_the_function():
    seen = []

    def inside(v):
        seen.append(jax.typeof(v).str_short(mesh_axis_types=True))
        return v

    run = jax.sharding.auto_axes(inside, axes="x", out_sharding=P("x", "y"))
    assert result_types(run, XY) == "f32[8@x,8@y]"
    assert seen == ["float32[8,8@y]({Auto: ('x',), Explicit: ('y',)})"]


def test_without_a_mesh_auto_axes_are_those_of_the_function_alone():
    run = jax.sharding.auto_axes(lambda v: v * 2, axes="x", out_sharding=P("x"))
    assert jax.jit(run)(np.ones(2)).tolist() == run(np.ones(2)).tolist() == [2, 2]


def test_explicit_axes_put_axes_into_the_types():
    auto = MESH.update_axis_types(dict.fromkeys("xy", mesh_lib.AxisType.Auto))
    seen = []

    def inside(v):
        seen.append(jax.typeof(v).str_short())
        return v * 2

    run = jax.sharding.explicit_axes(inside, in_sharding=P("x"))
    found = result_types(run, jax.ShapeDtypeStruct((8, 4), "float32"), mesh=auto)
    assert (seen, found) == (["float32[8@x,4]"], "f32[8,4]")
