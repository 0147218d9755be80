"""Kernels on the cores of a mesh: `core_map` and `kernel`.

Interpreted, the cores take turns: each runs the whole function before the next one begins.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, traceback_filter, util
from jax._src.core import avals, references, state
from jax._src.jit import jit as jit_module
from jax._src.numpy import lax_api as lax, numpy_api as jnp
from jax._src.pallas import (
    access_log,
    block_mappings,
    checking,
    checking_mode,
    grid_mapping,
    memory,
    scoped,
    uninitialized,
)
from jax._src.pallas.compiled_results import compiled_result_p
from jax._src.transforms import calls


def core_map(
    mesh: Any,
    *,
    compiler_params: Any = None,
    interpret: Any = False,
    debug: bool = False,
    cost_estimate: Any = None,
    name: str | None = None,
    metadata: Mapping[str, str] | None = None,
    scratch_shapes: Any = (),
) -> Callable[[Callable[..., None]], None]:
    """Runs a function on each core of a mesh; a decorator.

    The function reads and writes references from outside. `jax.lax.axis_index` of the
    mesh's axes says which core it is on.

    Args:
        mesh: the cores, such as `pltpu.create_tensorcore_mesh` makes.
        compiler_params: settings of one platform's compiler.
        interpret: True runs the cores on every platform, as ordinary programs; False on
            CPUs, where they are taken one after the other as well.
        debug: accepted.
        cost_estimate: accepted; what it costs.
        name: its name in messages.
        metadata: accepted.
        scratch_shapes: a tree of types of memory, which each core has of its own.

    Returns:
        A decorator of a function of references to that memory, which runs at once.

    Raises:
        ValueError: the function returns something; when the program is lowered,
            `interpret` is not set and the platform is no CPU.
    """
    mode = checking_mode.mode_of(interpret)

    def run(body: Callable[..., None]) -> None:
        with uninitialized.under(mode):
            _on_each_core(
                mesh, body, scratch_shapes, name or util.function_name(body), not mode
            )

    return run


def _on_each_core(mesh, body, scratch, name, is_compiled):
    sizes = dict(mesh.shape)

    def core(number, carry):
        if is_compiled:
            number = compiled_result_p.bind(number)
        ids = grid_mapping.program_ids_of(number, list(sizes.values()))
        checker = checking.checker_now()
        if checker is not None:
            checker.parallel = tuple(range(len(ids)))
            checker.run.write(checker.begin_step(checker.run.read(), number, ids, []))
        with state.bind_axis_indices(sizes, dict(zip(sizes, ids, strict=True))):
            _run_body(body, scratch, name)
        return carry

    lax.fori_loop(0, math.prod(sizes.values()), core, np.int32(0))


def _run_body(body, scratch, name):
    if isinstance(scratch, dict):
        out = scoped.run_scoped(body, **scratch)
    else:
        out = scoped.run_scoped(body, *scratch)
    if out is not None:
        raise errors.value_error(
            f"The function `{name}` on cores returned something.",
            [("returned", type(out).__name__)],
            "It writes its results to references, and returns None.",
        )


class _NotSpecified:
    def __repr__(self) -> str:
        return "<not specified>"


_not_specified = _NotSpecified()


def kernel(
    body: Any = _not_specified,
    out_type: Any = (),
    *,
    mesh: Any,
    scratch_types: Any = (),
    compiler_params: Any = None,
    interpret: Any = False,
    cost_estimate: Any = None,
    debug: bool = False,
    name: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Any:
    """Makes a function of arrays from one that runs on each core of a mesh.

    Args:
        body: takes references to the arguments, to the results, and to memory of each core;
            a sequence of such functions for a sequence of meshes. Left out: returns a
            decorator.
        out_type: a tree of objects with `shape` and `dtype`: the results.
        mesh: the cores.
        scratch_types: a sequence of types of memory, or a dict, passed by name.
        compiler_params: settings of one platform's compiler.
        interpret: True runs the cores on every platform, as ordinary programs; False on
            CPUs, where they are taken one after the other as well.
        cost_estimate: accepted; what it costs.
        debug: accepted.
        name: its name in messages.
        metadata: accepted.

    Returns:
        A function of trees of arrays and references; what is written to these stays.

    Raises:
        ValueError: one of `body` and `mesh` is a sequence alone; when the program is
            lowered, `interpret` is not set and the platform is no CPU.

    Examples:
        >>> mesh = pltpu.create_tensorcore_mesh("core", num_cores=2)
        >>> def double(x, out):
        ...     part = pl.ds(jax.lax.axis_index("core") * 2, 2)
        ...     out[part] = x[part] * 2
        >>> pl.kernel(double, jnp.ones(4), mesh=mesh, interpret=True)(jnp.ones(4))
        Array([2., 2., 2., 2.], dtype=float32)
    """
    several = isinstance(mesh, Sequence)
    settings = {
        "mesh": mesh,
        "scratch_types": scratch_types,
        "compiler_params": compiler_params,
        "interpret": checking_mode.mode_of(interpret),
        "cost_estimate": cost_estimate,
        "debug": debug,
        "name": name,
        "metadata": metadata,
    }
    if body is _not_specified:
        if several:
            raise _unlike("As a decorator pl.kernel takes one mesh.")
        return lambda given: kernel(given, out_type, **settings)
    if several is not isinstance(body, Sequence):
        raise _unlike("There is a mesh for each body.")
    bodies, meshes = (body, mesh) if several else ([body], [mesh])
    for one in bodies:
        calls.check_callable(one, "pl.kernel")
    named = name or util.function_name(bodies[0])

    def call(*args: Any) -> Any:
        if checking_mode.is_checked(settings["interpret"]):
            checker = checking.Checker([])
            with checking.by(checker):
                checker.run = references.Ref(
                    memory.run_ref(checker), checker.begin(np.int32(0))
                )
                results = on_cores(*args)
                end = checker.finish(checker.run.read(), [], [])
            return tree.tree_map(
                lambda x: jnp.where(end == 0, x, jnp.zeros_like(x)), results
            )
        return on_cores(*args)

    def on_cores(*args: Any) -> Any:
        refs = tree.tree_map(_argument, args)
        outs = tree.tree_map(_result, out_type)
        results = outs if isinstance(outs, tuple | list) else (outs,)
        for one, cores in zip(bodies, meshes, strict=True):

            def run(*own: Any, _body: Any = one, **by_name: Any) -> Any:
                return _body(*refs, *results, *own, **by_name)

            core_map(
                cores,
                interpret=settings["interpret"],
                name=named,
                scratch_shapes=scratch_types,
            )(run)
        if settings["interpret"]:
            return tree.tree_map(lambda ref: ref.read(), outs)
        return tree.tree_map(lambda ref: compiled_result_p.bind(ref.read()), outs)

    call.__name__ = named
    return traceback_filter.api_boundary(jit_module.jit(call))


def _unlike(rule):
    return errors.value_error(
        "pl.kernel: one of body and mesh is a sequence, the other is none.", rule=rule
    )


def _argument(x):
    """A reference to an argument, which may be one already."""
    if isinstance(x, references.Ref):
        return x
    array = jnp.asarray(x)
    aval = avals.get_aval(array)
    ref = _checked(memory.kernel_ref(aval, memory.ANY), "an argument", True)
    return references.Ref(ref, array)


def _result(given):
    aval, space = block_mappings.output(given)
    ref = _checked(memory.kernel_ref(aval, space or memory.ANY), "a result", False)
    return references.Ref(ref, uninitialized.array(aval))


def _checked(ref, what, is_written):
    """The type of a reference, whose accesses are reported where the cores are checked."""
    checker = checking.checker_now()
    if checker is None:
        return ref
    shape, number = tuple(ref.shape), len(checker.memories)
    checker.add(access_log.Memory(what, shape, shape, shape, number, is_written))
    return memory.numbered(ref, number)
