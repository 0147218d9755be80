"""The mesh that was current where an equation was traced.

`auto_axes` and `explicit_axes` change the types of mesh axes for a function, and a block of
`use_abstract_mesh` arranges the same devices along other axes. Equations are replayed later,
by transformations and backwards, where the mesh is the one outside again. The types of an
equation's results record it.
"""

import contextlib
from typing import Any

from jax._src.core import jaxpr, mesh_context

NOTHING: Any = contextlib.nullcontext()


def may_differ() -> bool:
    """Whether there is a current mesh at all."""
    return not mesh_context.get_abstract_mesh().empty


def mesh_scope(eqn: jaxpr.JaxprEqn) -> Any:
    """A block in which the mesh is the one that was current for an equation."""
    return mesh_scope_of_type(eqn.outvars[0].aval) if eqn.outvars else NOTHING


def mesh_scope_of_type(aval: Any) -> Any:
    """Returns a context manager that makes the mesh of a type current."""
    mesh = getattr(getattr(aval, "sharding", None), "mesh", None)
    current = mesh_context.get_abstract_mesh()
    if mesh is None or mesh is current or mesh.empty:
        return NOTHING
    if mesh.size != current.size:
        return NOTHING
    # Which axes are Manual is the business of `shard_map`.
    if mesh.manual_axes != current.manual_axes:
        return NOTHING
    return mesh_context.use_axis_types(mesh)
