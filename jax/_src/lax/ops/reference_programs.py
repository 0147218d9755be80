"""Running programs by the NumPy references of their operations: the oracle of tests."""

import importlib
from collections.abc import Callable

import numpy as np

from jax._src.core import jaxpr as jaxpr_lib
from jax._src.core.primitive import Primitive


def reference_of(primitive: Primitive) -> Callable | None:
    """The NumPy version of a primitive, or None.

    A reference given by its dotted name is imported here: what only tests need, such
    as SciPy, costs nobody else the time.
    """
    reference = primitive.rules.get("reference")
    return _named(reference) if isinstance(reference, str) else reference


def _named(path: str) -> Callable:
    module, _, name = path.rpartition(".")
    function = getattr(importlib.import_module(module), name)

    def reference(*arrays, **params):
        with np.errstate(all="ignore"):
            found = function(*(np.asarray(x, np.float64) for x in arrays))
        return np.asarray(found).astype(arrays[0].dtype)

    return reference


def run_by_reference(jaxpr: jaxpr_lib.Jaxpr, consts, *args) -> list[np.ndarray]:
    """The results of a program for NumPy arrays.

    Raises:
        NotImplementedError: an operation has no reference.
    """
    values = dict(zip(jaxpr.constvars, map(np.asarray, consts), strict=True))
    values.update(zip(jaxpr.invars, args, strict=True))

    def read(atom):
        if isinstance(atom, jaxpr_lib.Literal):
            return np.asarray(atom.val).astype(atom.aval.dtype)
        return np.asarray(values[atom])

    for eqn in jaxpr.eqns:
        reference = reference_of(eqn.primitive)
        if reference is None:
            raise NotImplementedError(f"{eqn.primitive.name} has no reference")
        found = reference(*map(read, eqn.invars), **eqn.params)
        outs = found if eqn.primitive.multiple_results else [found]
        for var, out in zip(eqn.outvars, outs, strict=True):
            values[var] = np.asarray(out).astype(var.aval.dtype, copy=False)
    return [read(atom) for atom in jaxpr.outvars]


def run_closed_by_reference(closed: jaxpr_lib.ClosedJaxpr, *args) -> list[np.ndarray]:
    """Evaluates a closed jaxpr with the reference rules of its primitives."""
    return run_by_reference(closed.jaxpr, closed.consts, *args)
