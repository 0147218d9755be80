"""Exported programs: calling them, their derivatives, and their bytes."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import avals as avals_lib
from jax._src.export import (
    call_primitive,
    checks,
    flat_tables as ft,
    modules,
    placements,
    serialization,
)
from jax._src.interpreters import mlir
from jax._src.transforms import calls, custom_vjp

# Modules of the first are understood; the second is what is written.
minimum_supported_calling_convention_version = 9
maximum_supported_calling_convention_version = 10


@dataclasses.dataclass(frozen=True)
class Exported:
    """A function as a program that can be kept, sent and called.

    Attributes:
        fun_name: the name of the function.
        in_tree: the structure of the pair (positional arguments, keyword arguments).
        in_avals: the types of the leaves of the arguments.
        out_tree: the structure of the result.
        out_avals: the types of its leaves.
        in_shardings_hlo: how the arguments are spread over devices, in programs of older
            versions; see `in_shardings_jax`. None: nothing is said.
        out_shardings_hlo: the same for the results.
        nr_devices: for how many devices the program is.
        platforms: for which platforms, such as ``("cpu",)``.
        ordered_effects: effects that keep their order: none.
        unordered_effects: other effects: none.
        disabled_safety_checks: the checks that were turned off.
        mlir_module_serialized: the module, a portable artifact of StableHLO.
        calling_convention_version: how the module's main function is called.
        module_kept_var_idx: the numbers of the leaves that the module takes.
        uses_global_constants: whether main takes more than arrays, which is so with
            several platforms.
    """

    fun_name: str
    in_tree: Any
    in_avals: tuple[Any, ...]
    out_tree: Any
    out_avals: tuple[Any, ...]
    _has_named_shardings: bool
    _in_named_shardings: tuple[Any, ...]
    _out_named_shardings: tuple[Any, ...]
    in_shardings_hlo: tuple[Any, ...]
    out_shardings_hlo: tuple[Any, ...]
    nr_devices: int
    platforms: tuple[str, ...]
    ordered_effects: tuple[Any, ...]
    unordered_effects: tuple[Any, ...]
    disabled_safety_checks: Sequence[checks.DisabledSafetyCheck]
    mlir_module_serialized: bytes
    calling_convention_version: int
    module_kept_var_idx: tuple[int, ...]
    uses_global_constants: bool
    _get_vjp: Callable[["Exported"], "Exported"] | None

    def __hash__(self) -> int:
        return hash((self.fun_name, self.in_avals, self.mlir_module_serialized))

    def __str__(self) -> str:
        # Short: printed programs show it.
        return f"Exported(fun_name={self.fun_name}, ...)"

    def mlir_module(self, serialized: bool = True) -> Any:
        """The StableHLO module.

        Args:
            serialized: whether as text; else as an object of MLIR's.

        Raises:
            ValueError: the module is damaged.
        """
        module = modules.read(self.mlir_module_serialized, mlir.make_ir_context())
        return mlir.module_to_string(module, True) if serialized else module

    def in_shardings_jax(self, mesh: Any) -> Sequence[Any]:
        """How the leaves of the arguments are spread over a mesh, for `jax.device_put`.

        Args:
            mesh: with axes of the names, sizes and types of the exported program, with
                or without devices; None: the program's own, which has none.

        Returns:
            A sharding per leaf; None where the program does not say.

        Raises:
            ValueError: the axes of the mesh are others.

        Examples:
            >>> mesh = jax.make_mesh((1,), ("x",))
            >>> row = jax.NamedSharding(mesh, jax.P("x"))
            >>> exported = jax.export.export(jax.jit(jnp.sin, in_shardings=row))(
            ...     jax.ShapeDtypeStruct((8,), "float32"))
            >>> exported.in_shardings_jax(mesh)[0].spec
            P('x',)
        """
        return self._on_mesh(
            self._in_named_shardings, self.in_shardings_hlo, self.in_avals, mesh
        )

    def out_shardings_jax(self, mesh: Any) -> Sequence[Any]:
        """How the leaves of the results are spread over a mesh; see `in_shardings_jax`."""
        return self._on_mesh(
            self._out_named_shardings, self.out_shardings_hlo, self.out_avals, mesh
        )

    def _on_mesh(self, named, tiles, avals, mesh):
        if self._has_named_shardings:
            return tuple(placements.on_mesh(sharding, mesh) for sharding in named)
        return tuple(
            placements.named_on_mesh(sharding, aval.ndim, mesh)
            for sharding, aval in zip(tiles, avals, strict=True)
        )

    def has_vjp(self) -> bool:
        """Whether there is a program for the derivative."""
        return self._get_vjp is not None

    def vjp(self) -> "Exported":
        """The exported program of the derivative, in reverse mode.

        It takes the leaves of the arguments and the cotangents of the leaves of the
        result, and returns a tuple of cotangents of the former. Cotangents of integers
        have the dtype `float0`.

        Raises:
            ValueError: there is none: the program was serialized without it.
        """
        if self._get_vjp is None:
            raise errors.value_error(
                "No VJP is available.",
                [("function", self.fun_name)],
                "A serialized program has the derivatives that it was serialized with.",
                "Serialize it with exported.serialize(vjp_order=1), or more.",
            )
        return self._get_vjp(self)

    def serialize(self, vjp_order: int = 0) -> bytearray:
        """The program as bytes, which `deserialize` reads.

        Args:
            vjp_order: how many times the program shall be differentiable.

        Raises:
            ValueError: it is not differentiable that often, or its arguments or results
                have nodes of classes that are not registered for serialization.
            TypeError: a dictionary among them has keys that are no strings.
            NotImplementedError: a dtype has no form in exported programs.
        """
        return bytearray(ft.write(self._table(vjp_order)))

    def _table(self, vjp_order):
        nested = None
        if vjp_order > 0:
            if not self.has_vjp():
                raise errors.value_error(
                    "serialization of an Exported that does not have vjps of "
                    "high-enough order",
                    [("function", self.fun_name)],
                    ways="Ask for a lower vjp_order, or export the function again.",
                )
            nested = self.vjp()._table(vjp_order - 1)
        return serialization.write(self, nested)

    @api_boundary
    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the program, also within transformations and other programs.

        Reverse mode differentiates it if `has_vjp`; forward mode and `vmap` cannot.

        Args:
            *args: trees of arrays, of the shapes and dtypes that were exported.
            **kwargs: the same.

        Returns:
            A tree of arrays of the structure `out_tree`.

        Raises:
            ValueError: trees, shapes or dtypes differ from those that were exported, the
                program is for other platforms or another number of devices, or the
                module is damaged.
            TypeError: a leaf of the arguments is no array.
            NotImplementedError: the module has what is not offered here.
        """
        leaves, in_tree = tree.tree_flatten((args, kwargs))
        if in_tree != self.in_tree:
            raise ValueError(self._different_tree(in_tree))
        named, _ = tree.tree_flatten_with_path((args, kwargs))
        calls.check_values(leaves, "Exported.call")
        for (path, leaf), wanted in zip(named, self.in_avals, strict=True):
            call_primitive.check_operand(_name(path), wanted, avals_lib.get_aval(leaf))
        call_primitive.result_types(self, [avals_lib.get_aval(leaf) for leaf in leaves])
        outs = _differentiable(self)(*leaves)
        return tree.tree_unflatten(self.out_tree, outs)

    def _different_tree(self, in_tree):
        differences = tree.equality_errors_pytreedef(in_tree, self.in_tree)
        return errors.explain(
            "The invocation args and kwargs must have the same pytree structure as when "
            f"the function {self.fun_name!r} was exported.",
            [
                (_name(path), f"{called} when called, {exported} when exported")
                for path, called, exported, _ in differences
            ],
        )


def _name(path):
    if not path:
        return "arguments"
    return ("args", "kwargs")[path[0].idx] + tree.keystr(path[1:])


def _differentiable(exported: Exported) -> Callable[..., Any]:
    def call_exported(*leaves):
        return call_primitive.call_exported_p.bind(*leaves, exported=exported)

    def forward(*leaves):
        # The function, not the primitive: it may be differentiated again.
        return function(*leaves), leaves

    def backward(leaves, cotangents):
        return tuple(exported.vjp().call(*leaves, *cotangents))

    function = custom_vjp.custom_vjp(call_exported)
    function.defvjp(forward, backward)
    return function


def make_exported(
    vjp: Callable[[Exported], Exported] | None,
    inputs: tuple[Any, ...],
    results: tuple[Any, ...],
    **fields: Any,
) -> Exported:
    """An exported program without effects, with placements of arguments and results."""
    older = {
        "in_shardings_hlo": (None,) * len(inputs),
        "out_shardings_hlo": (None,) * len(results),
    }
    has_older = any(p is not None for key in older for p in fields.get(key, ()))
    return Exported(
        _has_named_shardings=not has_older,
        _in_named_shardings=inputs,
        _out_named_shardings=results,
        ordered_effects=(),
        unordered_effects=(),
        _get_vjp=vjp,
        **{**older, **fields},
    )


def deserialize(blob: bytes | bytearray) -> Exported:
    """The exported program that `Exported.serialize` wrote, here or in upstream's JAX.

    The module is read when the program is called.

    Args:
        blob: the bytes.

    Raises:
        TypeError: `blob` holds no bytes.
        ValueError: they are damaged, or have classes that are not registered here, or
            the program is called in a way that is not known.
        NotImplementedError: the program has effects, or arguments in another memory.
    """
    table = ft.Reader(bytes(memoryview(blob))).root()
    return _made(serialization.read(table))


def _made(fields):
    version = fields["calling_convention_version"]
    first = minimum_supported_calling_convention_version
    last = maximum_supported_calling_convention_version
    if not first <= version <= last:
        raise errors.value_error(
            f"The exported program has calling convention version {version}.",
            [("supported", f"{first} to {last}")],
            ways="Export it again, with a JAX of the last years.",
        )
    nested = fields.pop("vjp")
    vjp = None
    if nested is not None:
        derivative = _made(nested)
        _check_derivative(fields, derivative)

        def vjp(_):
            return derivative

    inputs, results = fields.pop("inputs"), fields.pop("results")
    return make_exported(vjp, inputs, results, **fields)


def _check_derivative(fields, derivative):
    """Refuses a derivative of another function."""
    shape_of = lambda avals: [(a.shape, a.dtype) for a in avals]  # noqa: E731
    tangents = lambda avals: [a.to_cotangent_aval() for a in avals]  # noqa: E731
    wanted = [*fields["in_avals"], *tangents(fields["out_avals"])]
    if shape_of(derivative.in_avals) != shape_of(wanted) or shape_of(
        derivative.out_avals
    ) != shape_of(tangents(fields["in_avals"])):
        raise ft.damaged("its derivative does not fit its types")


traceback_filter.hide_frames(globals())
