"""What runs programs for several devices: one device alone, and our two backends and the real XLA on many.

`whole` is our interpreter on one device, to which shardings mean nothing: what the others are measured by.
"""

import contextlib
import os

import numpy as np
import pypjrt
from pypjrt import _loader, errors
from pypjrt.compile_options import CompileOptions

from tests.differential import compare, executors, meshes
from tests.differential.sharded import ShardedProgram
from tests.testing import real_plugin

WHOLE = "whole"
NAMES = (WHOLE, *executors.NAMES)


class ReplicasDiffer(Exception):
    """Devices that hold the same piece of a result have different numbers."""


class WholeExecutor(executors.Executor):
    """Runs on one device what a program for several means."""

    def run_program(self, program: ShardedProgram) -> list[np.ndarray]:
        return self.run(program.whole, program.arguments)


class ShardedExecutor(executors.Executor):
    """A client with as many devices as any program wants, under a name."""

    def run(self, text: str, arguments: list[np.ndarray]) -> list[np.ndarray]:
        """Runs a program on one device."""
        return super().run(self._text(text), arguments)

    def _text(self, text: str) -> str:
        """The real XLA knows moves only as constraints."""
        if self.name == "xla":
            return text.replace("sdy.reshard ", "sdy.sharding_constraint ")
        return text

    def run_program(self, program: ShardedProgram) -> list[np.ndarray]:
        """The results put together from their pieces.

        Raises:
            ReplicasDiffer: copies of a piece are not the same.
            pypjrt.errors.PjrtError: the program was refused.
        """
        count = program.mesh.devices
        options = CompileOptions(
            num_partitions=count,
            use_spmd_partitioning=True,
            use_shardy_partitioner=True,
        )
        with contextlib.ExitStack() as stack:
            executable = stack.enter_context(
                self._client.compile(self._text(program.text), options=options)
            )
            rows = [self._pieces(stack, program, device) for device in range(count)]
            outputs = executable.execute_sharded(rows)
            buffers = [[stack.enter_context(b) for b in row] for row in outputs]
            pieces = [[executors.array_of(b) for b in row] for row in buffers]
        return [
            assemble(value.shape, placement, list(arrays), number)
            for number, (value, placement, arrays) in enumerate(
                zip(
                    program.results,
                    program.result_placements,
                    zip(*pieces, strict=True),
                    strict=True,
                )
            )
        ]

    def _pieces(self, stack, program: ShardedProgram, number: int):
        device = stack.enter_context(self._client.device(number))
        return [
            stack.enter_context(
                executors.buffer_from(
                    self._client, array[placement.index(number, array.shape)], device
                )
            )
            for array, placement in zip(
                program.arguments, program.placements, strict=True
            )
        ]


def is_theirs(program: ShardedProgram, by_name, pair: tuple[str, ...]) -> bool:
    """Whether the real XLA differs that would not on one device.

    A program for several devices means what it means to one: then its partitioner is wrong, or does not know
    how.
    """
    if "xla" not in pair or WHOLE not in by_name:
        return False
    wanted = by_name[WHOLE].run_program(program)
    try:
        found = by_name["xla"].run(program.whole, program.arguments)
    except errors.PjrtError:
        return False
    return not any(
        compare.difference(value, a, b)
        for value, a, b in zip(program.results, wanted, found, strict=True)
        if not value.freedoms
    )


def assemble(
    shape, placement: meshes.Sharding, pieces: list[np.ndarray], number: int
) -> np.ndarray:
    """The whole array; every device's piece must be what other devices have of the same slice."""
    whole = np.zeros(shape, pieces[0].dtype)
    first: dict[str, tuple[int, bytes]] = {}
    for device, piece in enumerate(pieces):
        index = placement.index(device, shape)
        if piece.shape != whole[index].shape:
            raise ReplicasDiffer(
                f"result {number} of device {device} is {piece.shape}, not {whole[index].shape}"
            )
        whole[index] = piece
        other, data = first.setdefault(str(index), (device, _bits(piece)))
        if data != _bits(piece):
            raise ReplicasDiffer(
                f"result {number}: devices {other} and {device} have the same piece and other numbers"
            )
    return whole


def _bits(array: np.ndarray) -> bytes:
    """The elements; what a NaN carries says nothing."""
    if array.dtype.kind in "biu":
        return array.tobytes()
    return np.where(np.isnan(array), np.array(np.nan, array.dtype), array).tobytes()


@contextlib.contextmanager
def opened(plugin_path: str, names=NAMES):
    """Executors by name, closed afterwards. The real XLA reads its flags from the environment."""
    ours = _loader.Plugin(plugin_path)
    devices = {"cpu_device_count": meshes.MOST_DEVICES}
    with contextlib.ExitStack() as stack:
        by_name: dict[str, executors.Executor] = {}
        for name in names:
            plugin, options = ours, {"backend": name, **devices}
            if name == WHOLE:
                options = {"backend": "reference"}
            elif name == "xla":
                os.environ["XLA_FLAGS"] = executors.XLA_FLAGS
                plugin, options = _loader.Plugin(real_plugin.path()), devices
            client = stack.enter_context(pypjrt.Client.create(plugin, options=options))
            sort = WholeExecutor if name == WHOLE else ShardedExecutor
            by_name[name] = sort(name, client)
        yield by_name
