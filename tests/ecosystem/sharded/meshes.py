"""The meshes on which the libraries train, and where they put their arrays.

Every program here trains once on eight devices and once on a mesh of one: the losses
must be the same up to rounding, and each array must be where the library was told.
"""

import numpy as np

import jax
from tests.ecosystem import data

STEPS = 12
# Sums over the batch are taken in another order; rounding grows from step to step.
SAME_LOSSES = {"rtol": 2e-4}
POINTS = 144  # a multiple of every mesh's data axis


def mesh_of(data_size, model_size):
    """The first devices as a mesh with the axes `data` and `model`, both Auto."""
    return jax.make_mesh(
        (data_size, model_size),
        ("data", "model"),
        axis_types=(jax.sharding.AxisType.Auto,) * 2,
        devices=jax.devices()[: data_size * model_size],
    )


def spirals():
    """Points and labels, on the host."""
    points, labels = data.spirals(POINTS)
    return np.asarray(points), np.asarray(labels)


def batch_on(mesh):
    """Points and labels, divided over the axis `data`."""
    rows = jax.NamedSharding(mesh, jax.P("data"))
    return tuple(jax.device_put(x, rows) for x in spirals())


def names_of(path):
    """The path of a leaf, as words with dots."""
    return ".".join(
        str(getattr(key, "key", getattr(key, "name", getattr(key, "idx", key))))
        for key in path
    )


def specs_of(tree):
    """The specs of all arrays of a tree by their paths, without trailing None."""
    found = {}
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        if isinstance(leaf, jax.Array):
            entries = list(leaf.sharding.spec)
            while entries and entries[-1] is None:
                entries.pop()
            found[names_of(path)] = tuple(entries)
    return found


def check_parts(tree, mesh):
    """Each array is on every device of the mesh, in parts as small as its spec says."""
    for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
        if not isinstance(leaf, jax.Array):
            continue
        shape = list(leaf.shape)
        for dim, entry in enumerate(leaf.sharding.spec):
            for axis in (entry,) if isinstance(entry, str) else entry or ():
                shape[dim] //= mesh.shape[axis]
        shards = leaf.addressable_shards
        assert {s.device for s in shards} == set(mesh.devices.flat), names_of(path)
        assert {s.data.shape for s in shards} == {tuple(shape)}, names_of(path)
