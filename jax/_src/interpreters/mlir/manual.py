"""The part of a mesh on which a program is written for one device."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from jax._src.base import records
from jax._src.core import partition_spec, shardings as shardings_lib
from jax._src.interpreters.mlir import shardings, types
from jax._src.lib.mlir import ir


@records.record
class ManualRegion:
    """A mesh, and those of its axes that the program speaks about itself."""

    mesh: Any
    axes: frozenset[Hashable]

    def positions(self, names: Sequence[Hashable]) -> np.ndarray:
        """The partitions that differ only along `names`: one row for each such group.

        Within a row, the last name runs fastest.
        """
        mesh = self.mesh
        ids = np.arange(mesh.size, dtype=np.int64).reshape(mesh.axis_sizes)
        order = [mesh.axis_names.index(name) for name in names]
        rest = [i for i in range(ids.ndim) if i not in order]
        size = int(np.prod([mesh.axis_sizes[i] for i in order], dtype=np.int64))
        return ids.transpose([*rest, *order]).reshape(-1, size)

    def groups(
        self, names: Sequence[Hashable], within: Sequence[Sequence[int]] | None
    ) -> np.ndarray:
        """The groups of partitions that speak with each other.

        Args:
            names: the axes along which they do.
            within: positions along these axes that form groups; None: all form one.

        Returns:
            A row for each group; shorter groups end with -1.
        """
        rows = self.positions(names)
        if within is None:
            return rows
        length = max(map(len, within))
        found = np.full((len(rows) * len(within), length), -1, np.int64)
        for i, row in enumerate(rows):
            for j, group in enumerate(within):
                found[i * len(within) + j, : len(group)] = row[list(group)]
        return found

    @property
    def other_axes(self) -> tuple[Hashable, ...]:
        """The axes of the mesh along which the compiler divides the program."""
        axes = [name for name in self.mesh.axis_names if name not in self.axes]
        return tuple(name for name in axes if self.mesh.shape[name] > 1)

    def first_along_others(self) -> np.ndarray:
        """For each partition, 1 if it is the first along the other axes, else 0."""
        ids = np.arange(self.mesh.size, dtype=np.int64).reshape(self.mesh.axis_sizes)
        first = [
            0 if n in self.other_axes else slice(None) for n in self.mesh.axis_names
        ]
        return np.isin(ids, ids[tuple(first)]).ravel().astype(np.int32)

    def see_whole(
        self, ctx: Any, operands: Sequence[Any], body: Callable[..., None]
    ) -> None:
        """Builds a program without results of whole operands, on every device.

        Args:
            ctx: the context of the rule whose operands these are.
            operands: values that the compiler divides along the other axes.
            body: builds the program, where every axis of the mesh is manual.
        """
        module = ctx.module_context
        whole = shardings_lib.NamedSharding(self.mesh, partition_spec.PartitionSpec())

        def build(*values):
            body(*values)
            return ()

        manual_computation(
            module,
            operands,
            in_texts=[
                text_of(module, whole, len(types.physical_aval(aval).shape))
                for aval in ctx.avals_in
            ],
            out_texts=[],
            out_types=[],
            axes=tuple(n for n in self.mesh.axis_names if n not in self.axes),
            block_types=[value.type for value in operands],
            body=build,
        )

    def in_all_axes(self, ctx: Any, make: Callable[[], Any]) -> Any:
        """A scalar that `make` builds where every axis of the mesh is manual.

        The number of a partition means something only there.
        """
        rest = tuple(n for n in self.mesh.axis_names if n not in self.axes)
        if not rest:
            return make()
        module = ctx.module_context
        placed = shardings_lib.NamedSharding(self.mesh, partition_spec.PartitionSpec())
        return manual_computation(
            module,
            (),
            in_texts=(),
            out_texts=[text_of(module, placed, 0)],
            out_types=[types.aval_to_ir_type(a) for a in ctx.avals_out],
            axes=rest,
            block_types=(),
            body=lambda: [make()],
        )[0]


def text_of(module: Any, placement: Any, ndim: int, **options: Any) -> str:
    """A placement over the mesh of the user, named also where it splits nothing."""
    return shardings.sharding_text(module, placement, ndim, **options)


def manual_computation(
    module: Any,
    operands: Sequence[Any],
    *,
    in_texts: Sequence[str],
    out_texts: Sequence[str],
    out_types: Sequence[Any],
    axes: Sequence[Hashable],
    block_types: Sequence[Any],
    body: Callable[..., Sequence[Any]],
) -> list[Any]:
    """What a program of one device computes of parts of the operands.

    Args:
        module: the context of the module.
        operands: the whole values.
        in_texts: how each of them is split.
        out_texts: how each result is split.
        out_types: the types of the whole results.
        axes: the axes that become manual, in the order of the mesh.
        block_types: the types of the parts of the operands.
        body: builds the program: from the parts of operands to those of results.
    """
    listed = ", ".join(shardings.quoted(name) for name in axes)
    operation = ir.Operation.create(
        "sdy.manual_computation",
        results=list(out_types),
        operands=list(operands),
        attributes={
            "in_shardings": shardings.per_value_attribute(module, in_texts),
            "out_shardings": shardings.per_value_attribute(module, out_texts),
            "manual_axes": ir.Attribute.parse(f"#sdy<manual_axes{{{listed}}}>"),
        },
        regions=1,
    )
    block = operation.regions[0].blocks.append(*block_types)
    with ir.InsertionPoint(block):
        outs = list(body(*block.arguments))
        ir.Operation.create("sdy.return", operands=outs)
    return list(operation.results)
