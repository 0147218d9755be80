"""Constructs under which a function is called: wrappers that give a function again, and ends that call it.

A wrapper takes a function of arrays to another one of the same arguments, whose results need not be the same:
it is compared with itself under other settings.
"""

import functools
from collections.abc import Callable

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import io_callback, pallas as pl
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from tests.programs import prelude

total = prelude.namespace()["total"]

WRAPPERS: dict[str, Callable] = {}
ENDS: dict[str, Callable] = {}
# What callbacks were given in the program that runs.
seen: list = []


def wrapper(make: Callable) -> Callable:
    WRAPPERS[make.__name__] = make
    return make


def end(call: Callable) -> Callable:
    ENDS[call.__name__] = call
    return call


def _is_float(x) -> bool:
    return jnp.issubdtype(jnp.result_type(x), jnp.floating)


def _scaled(x, factor):
    """A number near `x`; what is no float stays."""
    return x * factor if _is_float(x) else x


def _float(x):
    return jnp.asarray(x, "float32")


_NARROW = {
    "float64": "float32",
    "int64": "int32",
    "uint64": "uint32",
    "complex128": "complex64",
}


def narrowed(x):
    """A value of 64 bits with 32; others stay."""
    name = _NARROW.get(str(jnp.result_type(x)))
    return jnp.asarray(x).astype(name) if name else x


def _stacked(args, count: int):
    """`count` different batch elements of each argument."""
    return jax.tree.map(
        lambda a: jnp.stack([_scaled(a, 1 + i / 16) for i in range(count)]), args
    )


def _mesh(kind: AxisType = AxisType.Auto):
    return jax.make_mesh((jax.device_count(),), ("x",), axis_types=(kind,))


# -- wrappers: compiling and replaying --------------------------------------------------------


@wrapper
def jit(f):
    return jax.jit(f)


@wrapper
def nested_jit(f):
    inner = jax.jit(f)
    return jax.jit(lambda *a: jax.tree.map(lambda x: x, inner(*a)))


@wrapper
def jit_with_closure(f):
    def run(*a):
        return jax.jit(lambda: f(*a))()

    return run


@wrapper
def remat(f):
    return jax.checkpoint(f)


@wrapper
def remat_of_jit(f):
    policy = jax.checkpoint_policies.dots_saveable
    return jax.checkpoint(jax.jit(f), policy=policy)


@wrapper
def traced_again(f):
    def run(*a):
        program, shape = jax.make_jaxpr(f, return_shape=True)(*a)
        outs = jax.core.eval_jaxpr(program.jaxpr, program.consts, *jax.tree.leaves(a))
        return jax.tree.unflatten(jax.tree.structure(shape), outs)

    return run


@wrapper
def named(f):
    return jax.named_call(f, name="part")


# -- wrappers: control flow -------------------------------------------------------------------


@wrapper
def scan(f):
    def step(carry, a):
        out = f(*a)
        return carry + total(out), out

    return lambda *a: lax.scan(step, jnp.float32(0), _stacked(a, 3))


@wrapper
def scan_back(f):
    def step(carry, a):
        i, x = a
        return carry * 0.5 + total(f(*x)) * _float(i), carry

    def run(*a):
        return lax.scan(step, 0.25, (jnp.arange(2), _stacked(a, 2)), reverse=True)

    return run


@wrapper
def while_loop(f):
    def run(*a):
        step = lambda c: (c[0] + 1, c[1] + total(f(*a)))  # noqa: E731
        return lax.while_loop(lambda c: c[0] < 3, step, (0, jnp.float32(0)))

    return run


@wrapper
def fori_loop(f):
    def run(*a):
        return lax.fori_loop(0, 3, lambda i, c: c + total(f(*a)) * _float(i + 1), 0.0)

    return run


@wrapper
def fori_loop_with_index(f):
    def run(*a):
        def step(i, rows):
            x = jax.tree.map(lambda r: r[i], _stacked(a, 3))
            return rows.at[i].set(total(f(*x)))

        return lax.fori_loop(0, 3, step, jnp.zeros(3, "float32"))

    return run


@wrapper
def cond(f):
    def run(*a):
        return lax.cond(total(a) < 100, f, lambda *b: jax.tree.map(_same, f(*b)), *a)

    return run


def _same(x):
    return x


@wrapper
def switch(f):
    def run(*a):
        branches = [f, lambda *b: f(*jax.tree.map(lambda x: _scaled(x, 0.5), b)), f]
        return lax.switch(jnp.int32(1), branches, *a)

    return run


@wrapper
def mapped(f):
    return lambda *a: lax.map(lambda x: f(*x), _stacked(a, 2))


@wrapper
def vmapped(f):
    return lambda *a: jax.vmap(f)(*_stacked(a, 2))


@wrapper
def vmapped_with_sum(f):
    def one(*a):
        out = f(*a)
        return out, lax.psum(total(out), "i") + _float(lax.axis_index("i"))

    return lambda *a: jax.vmap(one, axis_name="i")(*_stacked(a, 2))


# -- wrappers: rules of the user's own --------------------------------------------------------


@wrapper
def custom_jvp(f):
    g = jax.custom_jvp(f)
    g.defjvp(lambda primals, tangents: jax.jvp(f, primals, tangents))
    return g


@wrapper
def custom_vjp(f):
    g = jax.custom_vjp(f)
    g.defvjp(lambda *a: jax.vjp(f, *a), lambda pull, ct: pull(ct))
    return g


@wrapper
def custom_vmap(f):
    g = jax.custom_batching.custom_vmap(f)

    @g.def_vmap
    def rule(size, batched, *a):
        out = jax.vmap(f, in_axes=[0 if b else None for b in batched])(*a)
        return out, jax.tree.map(lambda _: True, out)

    return lambda *a: jax.vmap(g)(*_stacked(a, 2))


# -- wrappers: callbacks ----------------------------------------------------------------------


@wrapper
def pure_callback(f):
    def run(*a):
        out = f(*a)
        told = jax.tree.map(lambda x: jax.ShapeDtypeStruct(x.shape, x.dtype), out)
        host = lambda t: jax.tree.map(np.asarray, t)  # noqa: E731
        return jax.pure_callback(host, told, out, vmap_method="sequential")

    return run


@wrapper
def ordered_callback(f):
    def run(*a):
        out = f(*a)
        io_callback(_note, None, total(out), ordered=True)
        io_callback(_note, None, 2 * total(out), ordered=True)
        return out

    return run


@wrapper
def debug_callback(f):
    def run(*a):
        out = f(*a)
        jax.debug.callback(_note, total(out))
        return out

    return run


def _note(x) -> None:
    seen.append(np.asarray(x, np.float32))


# -- wrappers: devices ------------------------------------------------------------------------


@wrapper
def shard_map(f, within=_same):
    def one(*a):
        out = f(*jax.tree.map(lambda x: x[0], a))
        rows = jax.tree.map(lambda x: jnp.asarray(x)[None], out)
        return rows, lax.psum(total(out), "x"), lax.axis_index("x")[None]

    def run(*a):
        count = jax.device_count()
        specs = (P("x"), P(), P("x"))
        g = jax.shard_map(one, mesh=_mesh(), in_specs=P("x"), out_specs=specs)
        return within(g)(*_stacked(a, count))

    return run


@wrapper
def jit_of_shard_map(f):
    return shard_map(f, jax.jit)


@wrapper
def shard_map_unchecked(f):
    def one(*a):
        out = f(*jax.tree.map(lambda x: x[0], a))
        return jax.tree.map(lambda x: lax.all_gather(x, "x"), out)

    def run(*a):
        g = jax.shard_map(
            one, mesh=_mesh(), in_specs=P("x"), out_specs=P(), check_vma=False
        )
        return g(*_stacked(a, jax.device_count()))

    return run


@wrapper
def pmap(f):
    def one(*a):
        out = f(*a)
        return out, lax.pmean(total(out), "x"), lax.axis_index("x")

    return lambda *a: jax.pmap(one, axis_name="x")(*_stacked(a, jax.device_count()))


@wrapper
def jit_with_shardings(f):
    def run(*a):
        split, whole = (NamedSharding(_mesh(), spec) for spec in (P("x"), P()))
        rows = jax.tree.map(
            lambda x: jax.device_put(x, split), _stacked(a, jax.device_count())
        )
        g = jax.jit(jax.vmap(f), in_shardings=split, out_shardings=whole)
        return g(*rows)

    return run


@wrapper
def explicit_mesh(f):
    def run(*a):
        with jax.set_mesh(_mesh(AxisType.Explicit)):
            rows = jax.tree.map(
                lambda x: jax.device_put(x, P("x")), _stacked(a, jax.device_count())
            )
            return jax.jit(jax.vmap(f))(*rows)

    return run


@wrapper
def spread_by_vmap(f):
    def one(*a):
        out = f(*a)
        constraint = functools.partial(
            lax.with_sharding_constraint, shardings=NamedSharding(_mesh(), P())
        )
        return jax.tree.map(constraint, out)

    def run(*a):
        g = jax.jit(jax.vmap(one, spmd_axis_name="x"))
        return g(*_stacked(a, jax.device_count()))

    return run


@wrapper
def pallas(f):
    def kernel(count, *refs):
        outs = jax.tree.leaves(f(*[r[...] for r in refs[:count]]))
        for ref, out in zip(refs[count:], outs, strict=True):
            ref[...] = out

    def run(*a):
        shapes, structure = jax.tree.flatten(jax.eval_shape(f, *a))
        outs = pl.pallas_call(
            functools.partial(kernel, len(a)),
            out_shape=[jax.ShapeDtypeStruct(s.shape, s.dtype) for s in shapes],
            interpret=True,
        )(*a)
        return jax.tree.unflatten(structure, outs)

    return run


@wrapper
def plain(f):
    return f


# -- ends -------------------------------------------------------------------------------------


def _of_floats(f, args):
    """A function of those arguments that are floats, giving its results that are; these arguments."""
    floating = [i for i, a in enumerate(args) if _is_float(a)]

    def g(*floats):
        full = list(args)
        for i, a in zip(floating, floats, strict=True):
            full[i] = a
        return [x for x in jax.tree.leaves(f(*full)) if _is_float(x)]

    return g, [args[i] for i in floating]


def _loss(f, args):
    g, floats = _of_floats(f, args)
    return lambda *a: total([x * x for x in g(*a)]), floats


@end
def call(f, args):
    return f(*args)


@end
def compiled(f, args):
    return jax.jit(f)(*args)


@end
def ahead_of_time(f, args):
    return jax.jit(f).lower(*args).compile()(*args)


@end
def grad(f, args):
    g, floats = _loss(f, args)
    return jax.grad(g)(*floats)


@end
def value_and_grad_compiled(f, args):
    g, floats = _loss(f, args)
    return jax.jit(jax.value_and_grad(g))(*floats)


@end
def jvp(f, args):
    g, floats = _of_floats(f, args)
    return jax.jvp(g, floats, jax.tree.map(jnp.ones_like, floats))


@end
def linearize(f, args):
    g, floats = _of_floats(f, args)
    out, linear = jax.linearize(g, *floats)
    return out, linear(*jax.tree.map(jnp.ones_like, floats))


@end
def vjp(f, args):
    g, floats = _of_floats(f, args)
    out, pull = jax.vjp(g, *floats)
    return out, pull(jax.tree.map(jnp.ones_like, out))


@end
def grad_of_grad(f, args):
    g, floats = _loss(f, args)
    return jax.jit(jax.grad(lambda *a: total(jax.grad(g)(*a))))(*floats)


@end
def vmap_of_grad(f, args):
    g, floats = _loss(f, args)
    return jax.vmap(jax.grad(g))(*_stacked(floats, 2))


@end
def vmap(f, args):
    return jax.vmap(f)(*_stacked(args, 2))
