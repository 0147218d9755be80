"""The current mesh, for functions that name none.

Both the axes (which programs see) and the devices (which calls see) are settings of
the context on which traces depend: they are part of the key of every compiled function.
"""

import contextvars
from typing import Any

from jax._src.base import config, errors
from jax._src.core import mesh as mesh_lib, trace

_abstract = config.anything(
    "jax_context_axes",
    mesh_lib.NO_ABSTRACT_MESH,
    "the axes of the current mesh",
    traced=True,
)
_concrete = config.anything(
    "jax_context_mesh", None, "the current mesh with its devices", traced=True
)


def get_abstract_mesh() -> mesh_lib.AbstractMesh:
    """The axes of the current mesh; an empty mesh where none was set."""
    return _abstract.value


def get_mesh() -> mesh_lib.Mesh:
    """The current mesh; an empty one where none was set.

    Raises:
        ValueError: something is being traced: ask for `get_abstract_mesh` there.
    """
    if not trace.is_evaluating():
        raise ValueError(
            "get_mesh: devices are not known while a function is traced; use "
            "jax.sharding.get_abstract_mesh()."
        )
    return _concrete.value or mesh_lib.NO_MESH


def concrete_mesh() -> mesh_lib.Mesh | None:
    """The current mesh with its devices, also while tracing; None where none was set."""
    return _concrete.value


def mesh_for_specs() -> mesh_lib.Mesh | mesh_lib.AbstractMesh | None:
    """The mesh whose axes a bare `PartitionSpec` names; None where there is none.

    The block that was entered last by ``with mesh:`` counts where none was set. While a
    program is traced under a mesh without devices, that is the one.
    """
    abstract = _abstract.value
    concrete = _concrete.value
    if not abstract.empty:
        if concrete is not None and concrete.abstract_mesh is abstract:
            return concrete
        return abstract
    blocks = mesh_lib.entered.get()
    return blocks[-1] if blocks else None


class use_abstract_mesh:
    """A block in which `mesh` gives the current axes.

    Args:
        mesh: an `AbstractMesh`.

    Raises:
        ValueError: `mesh` is none, or has another size than the current one.
    """

    __slots__ = ("_setting", "mesh")

    def __init__(self, mesh: mesh_lib.AbstractMesh):
        if not isinstance(mesh, mesh_lib.AbstractMesh):
            raise ValueError(
                f"use_abstract_mesh takes an AbstractMesh, not {type(mesh).__name__}."
            )
        self.mesh = mesh
        self._setting: Any = None

    def __enter__(self) -> mesh_lib.AbstractMesh:
        current = _abstract.value
        if not (current.empty or self.mesh.empty) and current.size != self.mesh.size:
            raise errors.value_error(
                "use_abstract_mesh cannot change the size of the mesh.",
                [("current mesh", repr(current)), ("new mesh", repr(self.mesh))],
                "Inside of a block, axes may be renamed or regrouped; the devices "
                "stay.",
            )
        self._setting = _abstract(self.mesh)
        self._setting.__enter__()
        return self.mesh

    def __exit__(self, *exc_info: object) -> None:
        self._setting.__exit__(*exc_info)


class use_entered_mesh:
    """A block in which the mesh of a block ``with mesh:`` around it is the current one.

    Where none was entered, or a mesh is current, nothing changes.
    """

    __slots__ = ("_settings",)

    def __enter__(self) -> None:
        blocks = mesh_lib.entered.get()
        self._settings: tuple = ()
        if not blocks or blocks[-1].empty or not _abstract.value.empty:
            return
        self._settings = _abstract(blocks[-1].abstract_mesh), _concrete(blocks[-1])
        for setting in self._settings:
            setting.__enter__()

    def __exit__(self, *exc_info: object) -> None:
        for setting in reversed(self._settings):
            setting.__exit__(*exc_info)


class use_axis_types(use_abstract_mesh):
    """A block in which axes of the current mesh have other types, on the same devices.

    Args:
        mesh: the current mesh, or that of arrays where there is none, so changed.
    """

    __slots__ = ("_devices",)

    def __enter__(self) -> mesh_lib.AbstractMesh:
        current = _concrete.value
        if current is not None and current.shape == self.mesh.shape:
            types = self.mesh.axis_types
            current = mesh_lib.Mesh(
                current.devices, current.axis_names, axis_types=types
            )
        self._devices = _concrete(current)
        self._devices.__enter__()
        return super().__enter__()

    def __exit__(self, *exc_info: object) -> None:
        super().__exit__(*exc_info)
        self._devices.__exit__(*exc_info)


class set_mesh:
    """Makes `mesh` the current mesh, from now on, or for a block as a context manager.

    Under a mesh, functions run on all of its devices, their results are committed to
    them, and a `PartitionSpec` may stand wherever a sharding is expected. It is that of
    the calling thread.

    Args:
        mesh: a `Mesh`; None: there is none from now on.

    Raises:
        ValueError: something is being traced, `mesh` has no devices, or has an axis
            of type `Manual`.
    """

    __slots__ = ("prev_abstract_mesh", "prev_mesh")

    def __init__(self, mesh: mesh_lib.Mesh | None):
        if mesh is not None and not isinstance(mesh, mesh_lib.Mesh):
            raise ValueError(
                f"set_mesh takes a jax.sharding.Mesh, not {type(mesh).__name__}."
            )
        if not trace.is_evaluating():
            raise ValueError(
                "set_mesh: the mesh cannot change while a function is traced. Call it "
                "outside of the jitted function."
            )
        if mesh is not None and mesh.manual_axes:
            raise errors.value_error(
                "set_mesh: the mesh contains manual axes.",
                [("mesh", repr(mesh)), ("manual axes", repr(mesh.manual_axes))],
                ways="Enter them with jax.shard_map.",
            )
        self.prev_abstract_mesh = _abstract.value
        self.prev_mesh = _concrete.value
        if mesh is None or mesh.empty:
            _set(mesh_lib.NO_ABSTRACT_MESH, None)
        else:
            _set(mesh.abstract_mesh, mesh)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _set(self.prev_abstract_mesh, self.prev_mesh)


def carry_options(context: contextvars.Context) -> contextvars.Context:
    """Returns a copy of a context with the options of the current one; its meshes stay."""
    copy = context.copy()
    outer = copy.get(config.overrides_variable) or {}
    now = config.overrides_variable.get() or {}
    meshes = {option.name for option in (_abstract, _concrete)}
    merged = {name: value for name, value in now.items() if name not in meshes}
    merged |= {name: value for name, value in outer.items() if name in meshes}
    copy.run(config.overrides_variable.set, merged or None)
    return copy


def _set(abstract, concrete):
    """Changes the settings of this thread permanently; a default is stored as no setting."""
    overrides = dict(config.overrides_variable.get() or {})
    for option, value in ((_abstract, abstract), (_concrete, concrete)):
        overrides.pop(option.name, None)
        if value is not option.default:
            overrides[option.name] = value
    config.overrides_variable.set(overrides or None)
