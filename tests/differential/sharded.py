"""From a seed to a random program whose values are sharded over a random mesh."""

import dataclasses
import random

import numpy as np

from tests.differential import generate as single, meshes
from tests.differential.families import manual
from tests.differential.program import Block, Module, Program, Value

SIZES = (0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 12, 16, 24)
MOST_ELEMENTS = 1 << 12
AMONG = 0.35
"""How many operations say how their results are sharded."""


@dataclasses.dataclass(frozen=True, slots=True)
class ShardedProgram(Program):
    """A program for several devices, and the shardings of its arguments and results.

    `whole` computes the same on one device.
    """

    whole: str
    mesh: meshes.Mesh
    placements: list[meshes.Sharding]
    result_placements: list[meshes.Sharding]


class ShardedBlock(Block):
    """Operations some of whose results have shardings."""

    def __init__(self, module: Module, pool: list[Value], depth: int = 0, *, mesh):
        super().__init__(module, pool, depth)
        self.mesh = mesh
        # What a manual computation means to one device alone, by its text.
        self.meanings: dict[str, str] = {}

    def child(self) -> "ShardedBlock":
        return ShardedBlock(self.module, [], self.depth + 1, mesh=self.mesh)

    def apply_many(
        self, operation, operands, results, attributes="", regions=(), free=()
    ):
        values = super().apply_many(
            operation, operands, results, attributes, regions, free
        )
        if all(value.type.rank == 0 for value in values):
            return values
        if self.choose.random() >= AMONG:
            return values
        if self.choose.random() < 0.4:
            self._annotate(values)
            return values
        return [
            self._constrained(value) if self.choose.random() < 0.7 else value
            for value in values
        ]

    def _annotate(self, values: list[Value]) -> None:
        """The operation itself says how its results are sharded."""
        shardings = ", ".join(
            str(meshes.inner(self.choose, self.mesh, value.type.rank))
            for value in values
        )
        before, _, types = self.lines[-1].rpartition(" : (")
        attribute = f"{{sdy.sharding = #sdy.sharding_per_value<[{shardings}]>}}"
        self.lines[-1] = f"{before} {attribute} : ({types}"

    def _constrained(self, value: Value) -> Value:
        """The value under another name, after a constraint or a move."""
        module = self.module
        sharding = meshes.inner(self.choose, self.mesh, value.type.rank)
        moved = dataclasses.replace(value, name=module.fresh())
        module.makers[moved.name] = module.makers.get(value.name, "")
        operation = self.choose.choice(("sharding_constraint", "reshard"))
        self.line(
            f"{moved.name} = sdy.{operation} {value.name} {sharding} : {value.type}"
        )
        self.used.add(value.name)
        self.pool[self.pool.index(value)] = moved
        return moved


def manual_computation(block: Block) -> Value:
    """A computation written for each device, with collectives."""
    return manual.manual(block, single.OPERATIONS)


KINDS = (*single.OPERATIONS, (manual_computation, 12))


def _shape(choose: random.Random) -> tuple[int, ...]:
    rank = choose.choice((0, 1, 1, 2, 2, 2, 3, 3, 4))
    shape = [choose.choice(SIZES) for _ in range(rank)]
    if rank and choose.random() < 0.03:
        shape[choose.randrange(rank)] = choose.choice((33, 64, 100, 1000))
    if int(np.prod(shape, dtype=np.int64)) > MOST_ELEMENTS:
        shape = [min(size, 4) for size in shape]
    return tuple(shape)


def generate(seed: int, only=()) -> ShardedProgram:
    """The program of a seed, always the same; of the kinds of operations named in `only`, if any."""
    choose = random.Random(f"sharded {seed}")
    module = Module(choose, np.random.default_rng(seed))
    mesh = meshes.any_mesh(choose)
    block = ShardedBlock(module, [], mesh=mesh)
    kinds = [row for row in KINDS if not only or row[0].__name__ in only]
    results = single.fill(block, kinds, _shape)
    placements = [meshes.boundary(choose, mesh, v.shape) for v in module.arguments]
    result_placements = [meshes.boundary(choose, mesh, v.shape) for v in results]
    text = single.text_of(
        module,
        block,
        results,
        prologue=f"{mesh}\n",
        argument_attributes=[f"sdy.sharding = #sdy.sharding{p}" for p in placements],
        result_attributes=[
            f"sdy.sharding = #sdy.sharding{p}" for p in result_placements
        ],
    )
    whole = text
    for line, meaning in block.meanings.items():
        whole = whole.replace(single.indented(line), single.indented(meaning))
    return ShardedProgram(
        seed,
        text,
        module.arrays,
        results,
        module.operations,
        whole,
        mesh,
        placements,
        result_placements,
    )
