"""`shard_map` outside of every trace: compiled as it is, once per program."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors, options
from jax._src.core import mesh as mesh_lib, mesh_context, shardings as shardings_lib
from jax._src.jit import jit
from jax._src.runtime import checks
from jax._src.runtime.arrays.array import Array
from jax._src.runtime.transfers import device_put_get, transfer_guard


def run(bind: Callable, args: Sequence[Any], params: dict) -> list[Any]:
    """The results, sharded as their specs say; no NaN or infinity among them is an error."""
    mesh = _devices_of(params["mesh"], args)
    placed = [
        _placed(x, mesh, spec) for x, spec in zip(args, params["in_specs"], strict=True)
    ]
    key = (
        "shard_map eager",
        mesh,
        *[params[k] for k in sorted(params) if k != "jaxpr"],
    )

    def make():
        def call(*values):
            return tuple(bind(*values, **params))

        if params["newly_manual_axes"] != frozenset(mesh.axis_names):
            return jit.jit(call)
        shardings = tuple(
            shardings_lib.NamedSharding(mesh, s) for s in params["out_specs"]
        )
        return jit.jit(call, out_shardings=shardings)

    run_program = params["jaxpr"].derived(key, make)
    if not options.disable_jit.value and not checks.is_requested():
        return list(run_program(*placed))
    # A program for several devices is one compiled program, also where others run in Python.
    with options.disable_jit(False), checks.suspended():
        return list(run_program(*placed))


def _devices_of(mesh, args):
    """The mesh with its devices.

    Raises:
        ValueError: neither the arguments nor the context have devices.
    """
    if isinstance(mesh, mesh_lib.Mesh):
        return mesh
    context = mesh_context.concrete_mesh()
    candidates = [] if context is None else [context]
    for x in args:
        found = getattr(getattr(x, "sharding", None), "mesh", None)
        if isinstance(found, mesh_lib.Mesh):
            candidates.append(found)
    for found in candidates:
        if found.shape_tuple == mesh.shape_tuple:
            return found
    raise errors.value_error(
        "shard_map: the mesh is abstract, and nothing determines its devices.",
        [("mesh", repr(mesh))],
        "Outside of jit, an argument or the context has a mesh with devices.",
        "Pass mesh=jax.make_mesh(…), or put an argument on such a mesh.",
    )


def _placed(x, mesh, spec):
    """An argument on the devices of the mesh; one that is on them stays as it is."""
    if isinstance(x, Array) and x.committed:
        return x
    sharding = shardings_lib.NamedSharding(mesh, spec)
    transfer_guard.check_operands([x], sharding)
    return device_put_get.device_put(x, sharding)
