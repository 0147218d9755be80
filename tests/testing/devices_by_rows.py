"""Programs of `shard_map` evaluated on one device: the devices are rows of `vmap`.

The slow, obvious meaning of a manual computation: cut the arguments into parts, map the
body over all parts with the mesh axes as named axes, put the results together. Tests
compare everything else with it.
"""

import math

import jax
import jax.numpy as jnp
from jax._src.core import evaluate, jaxpr as jaxpr_lib
from jax._src.shard_map.primitive import shard_map_p


def run(fun, *args):
    """The results of a function that calls `shard_map` over an `AbstractMesh`."""
    closed = jax.make_jaxpr(fun)(*args)
    structure = jax.tree.structure(jax.eval_shape(fun, *args))
    return jax.tree.unflatten(structure, _evaluate(closed, jax.tree.leaves(args)))


def _evaluate(closed, args):
    jaxpr = closed.jaxpr
    values = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))

    def read(atom):
        return atom.val if isinstance(atom, jaxpr_lib.Literal) else values[atom]

    for eqn in jaxpr.eqns:
        operands = [read(v) for v in eqn.invars]
        if eqn.primitive is shard_map_p:
            outs = manual_computation(operands, **eqn.params)
        elif eqn.primitive.name in ("jit", "remat2"):
            outs = _evaluate(eqn.params["jaxpr"], operands)
        else:
            outs = eqn.primitive.bind(*operands, **eqn.params)
            outs = outs if eqn.primitive.multiple_results else [outs]
        values.update(zip(eqn.outvars, outs, strict=True))
    return [read(v) for v in jaxpr.outvars]


def manual_computation(
    args, *, jaxpr, mesh, in_specs, out_specs, check_vma, newly_manual_axes
):
    """What an equation computes whose axes are all of the mesh's."""
    assert newly_manual_axes == frozenset(mesh.axis_names)

    def body(*parts):
        return evaluate.eval_closed(jaxpr, *parts)

    for name in reversed(mesh.axis_names):
        body = jax.vmap(body, axis_name=name, axis_size=mesh.shape[name])
    parts = [cut(x, s, mesh) for x, s in zip(args, in_specs, strict=True)]
    outs = body(*parts)
    return [put_together(o, s, mesh) for o, s in zip(outs, out_specs, strict=True)]


def cut(x, spec, mesh):
    """The parts of an array, along one axis in front for each axis of the mesh."""
    x = jnp.asarray(x)
    shape, indices = [], {}
    for axis, size in enumerate(x.shape):
        for name in spec.names_of(axis):
            indices[name] = len(shape)
            shape.append(mesh.shape[name])
        shape.append(
            size // math.prod(mesh.shape[name] for name in spec.names_of(axis))
        )
    front = [indices[name] for name in mesh.axis_names if name in indices]
    rest = [i for i in range(len(shape)) if i not in front]
    parts = x.reshape(shape).transpose(front + rest)
    for i, name in enumerate(mesh.axis_names):
        if name not in indices:
            parts = jnp.repeat(jnp.expand_dims(parts, i), mesh.shape[name], axis=i)
    return parts


def put_together(parts, spec, mesh):
    """The array of these parts; along axes without a name, the first one's."""
    names = mesh.axis_names
    for i in reversed(range(len(names))):
        if names[i] not in spec.names:
            parts = parts[(slice(None),) * i + (0,)]
    front = [name for name in names if name in spec.names]
    local = parts.shape[len(front) :]
    order, shape = [], []
    for axis, size in enumerate(local):
        split = spec.names_of(axis)
        order += [*map(front.index, split), len(front) + axis]
        shape.append(size * math.prod(mesh.shape[name] for name in split))
    return parts.transpose(order).reshape(shape)
