"""Wrappers that put derivatives, solvers, checks, exports, references and kernels around a function.

Importing this module adds them to `constructs.WRAPPERS` and `constructs.ENDS`.
"""

import functools

import jax
import jax.export
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import checkify, io_callback, pallas as pl
from jax.sharding import AxisType, PartitionSpec as P
from tests.crossings import constructs as cs
from tests.crossings.constructs import end, total, wrapper

# -- wrappers: compiling ----------------------------------------------------------------------


@wrapper
def jit_with_donation(f):
    def run(*a):
        fresh = [x + jnp.zeros_like(x) if cs._is_float(x) else x for x in a]
        return jax.jit(f, donate_argnums=0)(*fresh)

    return run


@wrapper
def jit_with_static_argument(f):
    g = jax.jit(lambda n, *a: [f(*a) for _ in range(n)][0], static_argnums=0)
    return functools.partial(g, 2)


@wrapper
def exported(f):
    def run(*a):
        types = [jax.ShapeDtypeStruct(jnp.shape(x), jnp.result_type(x)) for x in a]
        data = jax.export.export(jax.jit(f))(*types).serialize(vjp_order=1)
        return jax.export.deserialize(data).call(*a)

    return run


@wrapper
def chosen_by_platform(f):
    return lambda *a: lax.platform_dependent(*a, cpu=f, default=f)


@wrapper
def in_wide_block(f):
    """A part of the program has 64 bits, and gives its results back with 32."""

    def run(*a):
        with jax.enable_x64(True):
            out = f(*a)
        return jax.tree.map(cs.narrowed, out)

    return run


@wrapper
def in_narrow_block(f):
    def run(*a):
        with jax.enable_x64(False):
            return jax.tree.map(cs.narrowed, f(*jax.tree.map(cs.narrowed, a)))

    return run


@wrapper
def in_precise_block(f):
    def run(*a):
        with jax.default_matmul_precision("highest"), jax.named_scope("part"):
            return f(*a)

    return run


# -- wrappers: control flow -------------------------------------------------------------------


@wrapper
def associative_scan(f):
    def run(*a):
        rows = jax.vmap(lambda *b: total(f(*b)))(*cs._stacked(a, 3))
        return lax.associative_scan(jnp.add, rows)

    return run


@wrapper
def mapped_in_batches(f):
    return lambda *a: lax.map(lambda x: f(*x), cs._stacked(a, 3), batch_size=2)


@wrapper
def scan_unrolled(f):
    def run(*a):
        step = lambda c, x: (c + total(f(*x)), c)  # noqa: E731
        return lax.scan(step, jnp.float32(0), cs._stacked(a, 3), unroll=2)

    return run


@wrapper
def while_by_rows(f):
    def one(*a):
        limit = jnp.where(total(a) > 4, 2, 3)
        step = lambda c: (c[0] + 1, c[1] + total(f(*a)))  # noqa: E731
        return lax.while_loop(lambda c: c[0] < limit, step, (0, jnp.float32(0)))

    return lambda *a: jax.vmap(one)(*cs._stacked(a, 2))


@wrapper
def cond_by_rows(f):
    def one(*a):
        return lax.cond(total(a) > 4, f, lambda *b: jax.tree.map(_negative, f(*b)), *a)

    return lambda *a: jax.vmap(one)(*cs._stacked(a, 2))


def _negative(x):
    return -x if cs._is_float(x) else x


@wrapper
def twice_vmapped(f):
    def one(*a):
        out = f(*a)
        return out, lax.psum(total(out), ("i", "j"))

    def run(*a):
        inner = jax.vmap(one, axis_name="j", out_axes=0)
        return jax.vmap(inner, axis_name="i")(
            *jax.tree.map(lambda x: jnp.stack([x, x]), cs._stacked(a, 2))
        )

    return run


@wrapper
def vmapped_along_last(f):
    def run(*a):
        rows = jax.tree.map(lambda x: jnp.moveaxis(x, 0, -1), cs._stacked(a, 2))
        return jax.vmap(f, in_axes=-1, out_axes=-1)(*rows)

    return run


# -- wrappers: derivatives and rules ----------------------------------------------------------


@wrapper
def derivative(f):
    def run(*a):
        g, floats = cs._loss(f, a)
        return jax.value_and_grad(g)(*floats)

    return run


@wrapper
def forward_derivative(f):
    def run(*a):
        g, floats = cs._of_floats(f, a)
        return jax.jvp(g, tuple(floats), tuple(jnp.ones_like(x) for x in floats))

    return run


@wrapper
def remat_with_names(f):
    def run(*a):
        marked = jax.tree.map(lambda x: checkpoint_name(x, "kept"), a)
        return jax.tree.map(lambda x: checkpoint_name(x, "dropped"), f(*marked))

    policy = jax.checkpoint_policies.save_only_these_names("kept")
    return jax.checkpoint(run, policy=policy)


@wrapper
def remat_saving_nothing(f):
    policy = jax.checkpoint_policies.nothing_saveable
    return jax.checkpoint(f, policy=policy, prevent_cse=False)


@wrapper
def custom_jvp_by_argument(f):
    @functools.partial(jax.custom_jvp, nondiff_argnums=0)
    def g(factor, *a):
        return f(*a)

    @g.defjvp
    def rule(factor, primals, tangents):
        return jax.jvp(f, primals, tangents)

    return functools.partial(g, 2)


@wrapper
def custom_vjp_with_zeros(f):
    g = jax.custom_vjp(f)

    def forwards(*a):
        return jax.vjp(f, *[x.value for x in a])

    def backwards(pull, ct):
        plain = lambda t: isinstance(t, jax.custom_derivatives.SymbolicZero)  # noqa: E731
        full = jax.tree.map(
            lambda t: jax.numpy.zeros(t.shape, t.dtype) if plain(t) else t,
            ct,
            is_leaf=plain,
        )
        return pull(full)

    g.defvjp(forwards, backwards, symbolic_zeros=True)
    return g


@wrapper
def closure_converted(f):
    def run(*a):
        g, consts = jax.closure_convert(f, *a)
        return g(*a, *consts)

    return run


@wrapper
def linear_solve(f):
    def run(*a):
        out = total(f(*a))
        right = jnp.stack([out, 2 * out])
        return lax.custom_linear_solve(
            lambda v: 3 * v, right, lambda matvec, b: b / 3, symmetric=True
        )

    return run


@wrapper
def root(f):
    def run(*a):
        out = total(f(*a))
        return lax.custom_root(
            lambda x: 2 * x - out,
            jnp.float32(0),
            lambda g, start: (g(start + 1) * 0 - g(start)) / 2,
            lambda g, y: y / g(jnp.ones_like(y)),
        )

    return run


@wrapper
def checkified(f):
    def run(*a):
        error, out = checkify.checkify(f)(*a)
        return out

    return run


@wrapper
def reference(f):
    def run(*a):
        ref = jax.new_ref(jnp.zeros((2,), "float32"))
        ref[0] = total(f(*a))
        ref[1] += ref[0] + 1
        return ref[...]

    return run


# -- wrappers: callbacks and devices ----------------------------------------------------------


@wrapper
def callback_by_rows(f):
    def run(*a):
        out = total(f(*a))
        told = jax.ShapeDtypeStruct(out.shape, out.dtype)
        return jax.pure_callback(_plus_one, told, out, vmap_method="expand_dims")

    return run


def _plus_one(x):
    return x + 1


@wrapper
def unordered_callback(f):
    def run(*a):
        out = f(*a)
        sum_ = lax.stop_gradient(total(out))
        told = jax.ShapeDtypeStruct(sum_.shape, sum_.dtype)
        return out, io_callback(_plus_one, told, sum_)

    return run


@wrapper
def partly_manual(f):
    """A `shard_map` over one of two mesh axes."""

    def one(*a):
        out = f(*jax.tree.map(lambda x: x[0], a))
        return lax.psum(total(out), "x"), lax.axis_index("x")[None]

    def run(*a):
        count = jax.device_count()
        shape = (2, count // 2) if count > 1 else (1, 1)
        mesh = jax.make_mesh(shape, ("x", "y"), axis_types=(AxisType.Auto,) * 2)
        g = jax.shard_map(
            one, mesh=mesh, in_specs=P("x"), out_specs=(P(), P("x")), axis_names={"x"}
        )
        return jax.jit(g)(*cs._stacked(a, shape[0]))

    return run


@wrapper
def pmap_with_axes(f):
    def run(*a):
        g = jax.pmap(lambda n, *b: f(*b), in_axes=(None, *[0] * len(a)))
        return g(jnp.float32(1), *cs._stacked(a, jax.device_count()))

    return run


@wrapper
def pallas_grid(f):
    """A kernel over a grid of two, which asks for its index and names it."""

    def kernel(count, *refs):
        inputs, outs = refs[:count], refs[count:]
        values = jax.tree.leaves(f(*[r[0] for r in inputs]))
        for ref, value in zip(outs[:-1], values, strict=True):
            ref[0] = value
        outs[-1][0] = pl.program_id(0) + pl.num_programs(0)

    def run(*a):
        shapes, structure = jax.tree.flatten(jax.eval_shape(f, *a))
        rows = cs._stacked(a, 2)
        outs = [*shapes, jax.ShapeDtypeStruct((), "int32")]
        *found, _ = pl.pallas_call(
            functools.partial(kernel, len(a)),
            grid=(2,),
            in_specs=[_block(x.shape) for x in rows],
            out_specs=[_block((2, *s.shape)) for s in outs],
            out_shape=[jax.ShapeDtypeStruct((2, *s.shape), s.dtype) for s in outs],
            interpret=True,
        )(*rows)
        return jax.tree.unflatten(structure, found)

    return run


def _block(shape):
    rest = len(shape) - 1
    return pl.BlockSpec((1, *shape[1:]), lambda i: (i, *[0] * rest))


# -- ends -------------------------------------------------------------------------------------


@end
def lowered(f, args):
    """Lowers the program without compiling it; its types."""
    program = jax.jit(f).lower(*args)
    assert "func.func" in program.as_text()
    return jax.tree.map(
        lambda t: jax.ShapeDtypeStruct(t.shape, t.dtype), program.out_info
    )


@end
def hessian(f, args):
    g, floats = cs._loss(f, args)
    return jax.hessian(g)(*floats)


@end
def jacobian_forwards(f, args):
    g, floats = cs._of_floats(f, args)
    return jax.jacfwd(g)(*floats)


@end
def jacobian_backwards(f, args):
    g, floats = cs._of_floats(f, args)
    return jax.jacrev(g)(*floats)


@end
def compiled_vmap_of_vjp(f, args):
    def one(*a):
        g, floats = cs._of_floats(f, a)
        out, pull = jax.vjp(g, *floats)
        return pull(jax.tree.map(jnp.ones_like, out))

    return jax.jit(jax.vmap(one))(*cs._stacked(args, 2))
