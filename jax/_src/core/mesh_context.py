"""The mesh that is meant where none is named."""

import contextvars
from typing import Any

from jax._src.core import mesh as me, trace as tr

_NO_MESH = me.AbstractMesh((), ())
_abstract: contextvars.ContextVar[me.AbstractMesh] = contextvars.ContextVar(
    "jax_abstract_mesh", default=_NO_MESH
)
_concrete: contextvars.ContextVar[me.Mesh | None] = contextvars.ContextVar(
    "jax_mesh", default=None
)


def get_abstract_mesh() -> me.AbstractMesh:
    """The axes of the current mesh; an empty mesh where none was set."""
    return _abstract.get()


def get_mesh() -> me.Mesh | me.AbstractMesh:
    """The current mesh; an empty one where none was set.

    Raises:
        ValueError: something is being traced: ask for `get_abstract_mesh` there.
    """
    if not tr.is_evaluating():
        raise ValueError(
            "get_mesh: devices are not known while a function is traced; use "
            "jax.sharding.get_abstract_mesh()."
        )
    return _concrete.get() or _NO_MESH


class use_abstract_mesh:
    """A block in which `mesh` gives the current axes.

    Args:
        mesh: an `AbstractMesh`.
    """

    def __init__(self, mesh: me.AbstractMesh):
        if not isinstance(mesh, me.AbstractMesh):
            raise ValueError(
                f"use_abstract_mesh takes an AbstractMesh, not {type(mesh).__name__}."
            )
        self.mesh = mesh
        self.prev: Any = None

    def __enter__(self) -> me.AbstractMesh:
        self.prev = _abstract.set(self.mesh)
        return self.mesh

    def __exit__(self, *_: object) -> None:
        _abstract.reset(self.prev)


class set_mesh:
    """Makes `mesh` the current mesh, from now on, or for a block as a context manager.

    Args:
        mesh: a `Mesh`.

    Raises:
        ValueError: something is being traced, or `mesh` has no devices.
    """

    def __init__(self, mesh: me.Mesh):
        if not isinstance(mesh, me.Mesh):
            raise ValueError(f"set_mesh takes a Mesh, not {type(mesh).__name__}.")
        if not tr.is_evaluating():
            raise ValueError("set_mesh: the mesh cannot change while tracing.")
        self.mesh = mesh
        self.prev_abstract_mesh = _abstract.get()
        self.prev_mesh = _concrete.get()
        _set(mesh.abstract_mesh, mesh)

    def __enter__(self) -> me.Mesh:
        return self.mesh

    def __exit__(self, *_: object) -> None:
        _set(self.prev_abstract_mesh, self.prev_mesh)


def _set(abstract, concrete):
    _abstract.set(abstract)
    _concrete.set(concrete)


def concrete_mesh() -> me.Mesh | None:
    """The current mesh with its devices, also while tracing."""
    return _concrete.get()
