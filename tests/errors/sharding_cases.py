"""Mistakes with meshes, specs and axes: every way to state shardings, times each.

`outcomes` runs them and gives the names of the exceptions; `sharding_mistakes.json` holds
those of upstream's JAX 0.10.2 on eight CPU devices. To write it, in an environment with
``jax==0.10.2`` and ``XLA_FLAGS=--xla_force_host_platform_device_count=8``:
``python sharding_cases.py sharding_mistakes.json``.
"""

import json
import sys

import numpy as np

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

X = np.arange(48, dtype=np.float32).reshape(8, 6)

SPECS = {
    "fine": lambda: P("x"),
    "both": lambda: P("x", "y"),
    "whole": lambda: P(),
    "unknown axis": lambda: P("q"),
    "doubled axis": lambda: P("x", "x"),
    "doubled in one": lambda: P(("x", "x")),
    "does not divide": lambda: P(None, "x"),
    "too long": lambda: P(None, None, "x"),
    "None": lambda: None,
    "a string": lambda: "x",
    "a number": lambda: 3,
    "unconstrained": lambda: P(P.UNCONSTRAINED),
    "unreduced unknown": lambda: P(unreduced={"q"}),
    "overlapping": lambda: P("x", unreduced={"x"}),
}


def meshes():
    """Meshes by name: of Auto and Explicit axes, other sizes, names, devices."""
    grid = np.array(jax.devices()).reshape(4, 2)
    return {
        "auto": Mesh(grid, ("x", "y")),
        "explicit": jax.make_mesh((4, 2), ("x", "y")),
        "other sizes": Mesh(grid.reshape(2, 4), ("x", "y")),
        "other names": Mesh(grid, ("a", "b")),
        "fewer devices": Mesh(grid[:2], ("x", "y")),
        "other order": Mesh(grid[::-1], ("x", "y")),
    }


def twice(x):
    return x * 2


def _committed():
    return jax.device_put(X, NamedSharding(meshes()["auto"], P("x")))


def _type(sharding):
    return jax.ShapeDtypeStruct(X.shape, X.dtype, sharding=sharding)


# Of a sharding.
OF_SHARDINGS = {
    "NamedSharding": lambda s: s,
    "device_put": lambda s: jax.device_put(X, s),
    "device_put of committed": lambda s: jax.device_put(_committed(), s),
    "jit in_shardings": lambda s: jax.jit(twice, in_shardings=(s,))(X),
    "jit in_shardings, committed": lambda s: jax.jit(twice, in_shardings=(s,))(
        _committed()
    ),
    "jit out_shardings": lambda s: jax.jit(twice, out_shardings=s)(X),
    "jit out_shardings, committed": lambda s: jax.jit(twice, out_shardings=s)(
        _committed()
    ),
    "lower": lambda s: jax.jit(twice).lower(_type(s)),
    "constraint": lambda s: lax.with_sharding_constraint(jnp.asarray(X), s),
    "constraint in jit": lambda s: jax.jit(
        lambda x: lax.with_sharding_constraint(x, s)
    )(X),
    "make_array_from_callback": lambda s: jax.make_array_from_callback(
        X.shape, s, lambda i: X[i]
    ),
    "make_array_from_process_local_data": lambda s: (
        jax.make_array_from_process_local_data(s, X)
    ),
    "zeros": lambda s: jnp.zeros(X.shape, device=s),
    "shard_shape": lambda s: s.shard_shape(X.shape),
}

# Of a spec, on the current mesh.
OF_SPECS = {
    "device_put of a spec": lambda s: jax.device_put(X, s),
    "jit in_shardings of a spec": lambda s: jax.jit(twice, in_shardings=(s,))(X),
    "jit out_shardings of a spec": lambda s: jax.jit(twice, out_shardings=s)(X),
    "constraint of a spec": lambda s: jax.jit(
        lambda x: lax.with_sharding_constraint(x, s)
    )(X),
    "reshard": lambda s: jax.reshard(jnp.asarray(X), s),
    "zeros out_sharding": lambda s: jnp.zeros(X.shape, out_sharding=s),
    "arange out_sharding": lambda s: jnp.arange(8.0, out_sharding=s),
    "dot out_sharding": lambda s: jnp.dot(
        jnp.asarray(X), jnp.asarray(X.T), out_sharding=s
    ),
    "normal out_sharding": lambda s: jax.random.normal(
        jax.random.key(0), X.shape, out_sharding=s
    ),
    "auto_axes": lambda s: jax.sharding.auto_axes(twice, out_sharding=s)(
        jnp.asarray(X)
    ),
    "shard_map in_specs": lambda s: jax.shard_map(
        twice, in_specs=(s,), out_specs=P("x")
    )(X),
    "shard_map out_specs": lambda s: jax.shard_map(
        twice, in_specs=(P("x"),), out_specs=s
    )(X),
    "shard_map out_specs unchecked": lambda s: jax.shard_map(
        twice, in_specs=(P("x"),), out_specs=s, check_vma=False
    )(X),
    "shard_map of one axis": lambda s: jax.shard_map(
        twice, in_specs=(s,), out_specs=s, axis_names={"x"}
    )(X),
}

AXES = {
    "x": "x",
    "both": ("x", "y"),
    "unknown": "q",
    "doubled": ("x", "x"),
    "None": None,
    "a set": {"x"},
}

COLLECTIVES = {
    "psum": lax.psum,
    "pmax": lax.pmax,
    "pmean": lax.pmean,
    "all_gather": lax.all_gather,
    "all_gather, axis 9": lambda x, n: lax.all_gather(x, n, axis=9),
    "psum_scatter": lax.psum_scatter,
    "psum_scatter tiled": lambda x, n: lax.psum_scatter(
        x, n, scatter_dimension=1, tiled=True
    ),
    "all_to_all": lambda x, n: lax.all_to_all(x, n, 0, 1),
    "ppermute": lambda x, n: lax.ppermute(x, n, [(0, 1), (1, 0)]),
    "ppermute, one twice": lambda x, n: lax.ppermute(x, n, [(0, 1), (2, 1)]),
    "axis_index": lambda x, n: lax.axis_index(n) + x,
    "axis_size": lambda x, n: lax.axis_size(n) * x,
    "pcast to nothing": lambda x, n: lax.pcast(x, n, to="nothing"),
}


def _mapped(out, **options):
    def run(f):
        mesh = meshes()["auto"]
        return jax.shard_map(f, mesh=mesh, in_specs=P("x"), out_specs=out, **options)(X)

    return run


SHARDINGS = {
    "inside": _mapped(P("x")),
    "replicated result": _mapped(P()),
    "unchecked": _mapped(P("x"), check_vma=False),
    "one axis": _mapped(P("x"), axis_names={"x"}),
    "outside": lambda f: f(jnp.asarray(X)),
    "in vmap": lambda f: jax.vmap(f, axis_name="x")(X),
}


def _on(mesh, call, spec):
    with jax.set_mesh(mesh):
        return call(spec())


def cases():
    """Functions of no arguments by name; each makes a mistake, or none."""
    found = {}
    for m, mesh in meshes().items():
        for s, spec in SPECS.items():
            for name, call in OF_SHARDINGS.items():
                found[f"{name} | {m} | {s}"] = lambda call=call, mesh=mesh, spec=spec: (
                    call(NamedSharding(mesh, spec()))
                )
            for name, call in OF_SPECS.items():
                found[f"{name} | {m} | {s}"] = lambda call=call, mesh=mesh, spec=spec: (
                    _on(mesh, call, spec)
                )
    for c, collective in COLLECTIVES.items():
        for a, axes in AXES.items():
            for p, sharding in SHARDINGS.items():
                found[f"{c} | {p} | {a}"] = (
                    lambda sharding=sharding, collective=collective, axes=axes: (
                        sharding(lambda x: collective(x, axes))
                    )
                )
    return found


def outcome(call):
    """The exception that a call raises, or None."""
    try:
        call()
    except Exception as error:
        return error
    finally:
        jax.set_mesh(None)
    return None


def outcomes():
    """The name of each case's exception; "fine" where there is none."""
    found = {}
    for name, call in cases().items():
        error = outcome(call)
        found[name] = "fine" if error is None else type(error).__name__
    return found


if __name__ == "__main__":
    with open(sys.argv[1], "w") as file:
        # Grouped by exception: most have few.
        groups = {}
        for name, kind in outcomes().items():
            groups.setdefault(kind, []).append(name)
        json.dump(groups, file, indent=0)
        file.write("\n")
