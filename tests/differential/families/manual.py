"""Manual computations: programs of one device, with collectives, within a program for all.

What one means is written out as well, for one device alone: the body once for each index along the manual axes, on
slices of the operands, with collectives as what they compute of the copies of their operand.
"""

import dataclasses
import itertools
import math
import re

from tests.differential import facts, meshes
from tests.differential.facts import EXACT, Fact
from tests.differential.families.movement import numbers_text
from tests.differential.families.reduction import _combiner
from tests.differential.program import Block, Type, Unsuited, Value

CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = {}, type = 1>"
MOST_COPIES = 8
MOST_ELEMENTS = 2048


class Body:
    """The text of one device, and what each of its lines means to all copies."""

    def __init__(self, outer: Block, mesh: meshes.Mesh, manual: list[int]) -> None:
        self.outer = outer
        self.block = Block(outer.module, [], outer.depth + 1)
        self.mesh, self.manual = mesh, manual
        self.sizes = [mesh.sizes[axis] for axis in manual]
        self.meanings: dict[int, list[str]] = {}
        self.varying: dict[str, frozenset[int]] = {}

    @property
    def copies(self) -> list[tuple[int, ...]]:
        return list(itertools.product(*(range(size) for size in self.sizes)))

    def copy_of(self, device: int) -> int:
        """The number of the copy of the body that a device runs."""
        number = 0
        for axis, size in zip(self.manual, self.sizes, strict=True):
            part = meshes.Part(axis, 1, size)
            number = number * size + self.mesh.coordinate(device, part)
        return number

    def varies(self, value: Value) -> frozenset[int]:
        """The axes along which copies may differ."""
        for line in self.block.lines:
            made, _, computed = line.partition(" = ")
            names = re.findall(r"%\w+", made)
            if names[0] in self.varying:
                continue
            used = re.findall(r"%\w+", computed)
            along = frozenset().union(*(self.varying.get(u, ()) for u in used))
            self.varying.update(dict.fromkeys(names, along))
        return self.varying[value.name]

    def collective(self, operation, operand, result, fact, text, meaning, along):
        """Writes a collective; `meaning(copy)` gives the lines and the value of a copy."""
        self.varies(operand)
        block = self.block
        module = block.module
        made = Value(module.fresh(), result, fact, operand.freedoms)
        module.operations.append(operation)
        self.meanings[len(block.lines)] = [
            line for copy in range(len(self.copies)) for line in meaning(copy, made)
        ]
        block.lines.append(f"{made.name} = {text} : ({operand.type}) -> ({result})")
        self.varying[made.name] = along
        block.pool.append(made)
        return made

    def unrolled(self) -> list[str]:
        """The body once for each copy."""
        lines = []
        for number, line in enumerate(self.block.lines):
            if number in self.meanings:
                lines += self.meanings[number]
                continue
            lines += [at(line, copy) for copy in range(len(self.copies))]
        return lines


def at(text: str, copy: int) -> str:
    """Text with the names of one copy."""
    return re.sub(r"%(\w+)", rf"%c\1_{copy}", text)


def _op(result: str, operation: str, operands, attributes, types, made) -> str:
    properties = f" <{{{attributes}}}>" if attributes else ""
    return (
        f'{result} = "stablehlo.{operation}"({", ".join(operands)}){properties} : '
        f"({', '.join(str(t) for t in types)}) -> ({made})"
    )


def _folded(body: Body, name: str, value: Value, group: list[int], to: str):
    """Lines that join what a group of copies has, in order; the last gives `to`."""
    copies = [at(value.name, copy) for copy in group]
    if len(copies) == 1:
        return [_op(to, "reshape", copies, "", [value.type], value.type)]
    lines, joined = [], copies[0]
    for number, other in enumerate(copies[1:], 2):
        made = to if number == len(copies) else f"{to}_{number}"
        lines.append(_op(made, name, [joined, other], "", [value.type] * 2, value.type))
        joined = made
    return lines


def _slice(value: Type, dim: int, pieces: int, number: int) -> tuple[Type, str]:
    """A piece along a dimension, and the attributes of the slice."""
    step = value.shape[dim] // pieces
    starts, limits = [0] * value.rank, list(value.shape)
    starts[dim], limits[dim] = number * step, (number + 1) * step
    shape = list(value.shape)
    shape[dim] = step
    return value.shaped(*shape), (
        f"start_indices = {numbers_text(starts)}, limit_indices = {numbers_text(limits)}, "
        f"strides = {numbers_text([1] * value.rank)}"
    )


def _groups(body: Body, axes: list[int]) -> tuple[str, list[list[int]], dict]:
    """Groups of devices that differ along axes: their text, those of copies, and the group of each."""
    devices = meshes.groups(body.mesh, axes)
    numbers = [[body.copy_of(device) for device in group] for group in devices]
    where = {copy: group for group in numbers for copy in group}
    rows, columns = len(devices), len(devices[0])
    return f"dense<{devices}> : tensor<{rows}x{columns}xi64>", numbers, where


def _some_axes(body: Body) -> list[int]:
    choose = body.block.choose
    return sorted(choose.sample(body.manual, choose.randint(1, len(body.manual))))


def _region(body: Body, name: str, element) -> str:
    a, b, c = (body.block.module.fresh() for _ in range(3))
    scalar = Type((), element)
    return (
        f"({{\n^bb0({a}: {scalar}, {b}: {scalar}):\n"
        f'  {c} = "stablehlo.{name}"({a}, {b}) : ({scalar}, {scalar}) -> ({scalar})\n'
        f'  "stablehlo.return"({c}) : ({scalar}) -> ()\n}})'
    )


def _joined(name: str, value: Value, count: int) -> Fact:
    if not value.element.is_inexact:
        return EXACT
    if name == "add":
        return facts.summed(value.fact, count, value.element)
    return dataclasses.replace(value.fact, raw=False)


def all_reduce(body: Body, value: Value, axes: list[int] | None = None) -> Value:
    axes = axes or _some_axes(body)
    name = _combiner(body.block, value)
    text, _, where = _groups(body, axes)
    channel = CHANNEL.format(body.block.module.names)
    return body.collective(
        "all_reduce",
        value,
        value.type,
        _joined(name, value, len(where[0])),
        f'"stablehlo.all_reduce"({value.name}) <{{{channel}, replica_groups = {text}, '
        f"use_global_device_ids}}> {_region(body, name, value.element)}",
        lambda copy, made: _folded(body, name, value, where[copy], at(made.name, copy)),
        body.varies(value) - set(axes),
    )


def all_gather(body: Body, value: Value) -> Value:
    if not value.type.rank or 0 in value.shape:
        raise Unsuited
    axes, dim = _some_axes(body), body.block.choose.randrange(value.type.rank)
    text, _, where = _groups(body, axes)
    shape = list(value.shape)
    shape[dim] *= len(where[0])
    if math.prod(shape) > MOST_ELEMENTS:
        raise Unsuited
    result = value.type.shaped(*shape)
    channel = CHANNEL.format(body.block.module.names)

    def meaning(copy, made):
        copies = [at(value.name, other) for other in where[copy]]
        dimension = f"dimension = {dim} : i64"
        types = [value.type] * len(copies)
        return [
            _op(at(made.name, copy), "concatenate", copies, dimension, types, result)
        ]

    return body.collective(
        "all_gather",
        value,
        result,
        value.fact,
        f'"stablehlo.all_gather"({value.name}) <{{all_gather_dim = {dim} : i64, {channel}, '
        f"replica_groups = {text}, use_global_device_ids}}>",
        meaning,
        body.varies(value) - set(axes),
    )


def reduce_scatter(body: Body, value: Value) -> Value:
    axes = _some_axes(body)
    text, _, where = _groups(body, axes)
    count = len(where[0])
    dims = [d for d, size in enumerate(value.shape) if size and size % count == 0]
    if not dims:
        raise Unsuited
    dim, name = body.block.choose.choice(dims), _combiner(body.block, value)
    result, _ = _slice(value.type, dim, count, 0)
    channel = CHANNEL.format(body.block.module.names)

    def meaning(copy, made):
        whole = at(made.name, copy) + "_all"
        _, attributes = _slice(value.type, dim, count, where[copy].index(copy))
        return [
            *_folded(body, name, value, where[copy], whole),
            _op(
                at(made.name, copy), "slice", [whole], attributes, [value.type], result
            ),
        ]

    return body.collective(
        "reduce_scatter",
        value,
        result,
        _joined(name, value, count),
        f'"stablehlo.reduce_scatter"({value.name}) <{{scatter_dimension = {dim} : i64, {channel}, '
        f"replica_groups = {text}, use_global_device_ids}}> "
        f"{_region(body, name, value.element)}",
        meaning,
        body.varies(value) | set(axes),
    )


def all_to_all(body: Body, value: Value) -> Value:
    axes = _some_axes(body)
    text, _, where = _groups(body, axes)
    count = len(where[0])
    dims = [d for d, size in enumerate(value.shape) if size % count == 0]
    if not dims:
        raise Unsuited
    split = body.block.choose.choice(dims)
    joined = body.block.choose.randrange(value.type.rank)
    piece, _ = _slice(value.type, split, count, 0)
    shape = list(piece.shape)
    shape[joined] *= count
    result = value.type.shaped(*shape)
    channel = CHANNEL.format(body.block.module.names)

    def meaning(copy, made):
        rank, name = where[copy].index(copy), at(made.name, copy)
        _, attributes = _slice(value.type, split, count, rank)
        pieces = [f"{name}_{other}" for other in where[copy]]
        lines = [
            _op(made, "slice", [at(value.name, other)], attributes, [value.type], piece)
            for made, other in zip(pieces, where[copy], strict=True)
        ]
        dimension = f"dimension = {joined} : i64"
        return [
            *lines,
            _op(name, "concatenate", pieces, dimension, [piece] * count, result),
        ]

    return body.collective(
        "all_to_all",
        value,
        result,
        value.fact,
        f'"stablehlo.all_to_all"({value.name}) <{{split_dimension = {split} : i64, '
        f"concat_dimension = {joined} : i64, split_count = {count} : i64, {channel}, "
        f"replica_groups = {text}}}>",
        meaning,
        body.varies(value) | set(axes),
    )


def collective_permute(body: Body, value: Value) -> Value:
    """Some send to one another within groups; who is sent nothing has zeros."""
    axes, choose = _some_axes(body), body.block.choose
    devices = meshes.groups(body.mesh, axes)
    count = len(devices[0])
    targets = choose.sample(range(count), count)
    ranks = [(a, b) for a, b in enumerate(targets) if choose.random() < 0.8]
    if not ranks:
        raise Unsuited
    pairs = [[group[a], group[b]] for group in devices for a, b in ranks]
    sources = {body.copy_of(b): body.copy_of(a) for a, b in pairs}
    channel = CHANNEL.format(body.block.module.names)
    zeros = "(0.0, 0.0)" if value.element.kind == "c" else "0"
    zeros = {"f": "0.0", "b": "false"}.get(value.element.kind, zeros)

    def meaning(copy, made):
        if copy in sources:
            source = at(value.name, sources[copy])
            return [
                _op(
                    at(made.name, copy),
                    "reshape",
                    [source],
                    "",
                    [value.type],
                    value.type,
                )
            ]
        attribute = f"value = dense<{zeros}> : {value.type}"
        return [_op(at(made.name, copy), "constant", [], attribute, [], value.type)]

    fact = value.fact
    if value.element.is_inexact:
        fact = facts.join(value.fact, Fact(0.0, 0.0, 0, raw=True))
    return body.collective(
        "collective_permute",
        value,
        value.type,
        fact,
        f'"stablehlo.collective_permute"({value.name}) <{{{channel}, '
        f"source_target_pairs = dense<{pairs}> : tensor<{len(pairs)}x2xi64>}}>",
        meaning,
        body.varies(value) | set(axes),
    )


COLLECTIVES = (all_reduce, all_gather, reduce_scatter, all_to_all, collective_permute)


def _operand(body: Body, value: Value):
    """A piece of an operand as the body's argument: its sharding and the slices that it means."""
    choose, outer = body.block.choose, body.outer
    axes = [meshes.Part(axis, 1, body.mesh.sizes[axis]) for axis in body.manual]
    choose.shuffle(axes)
    dims: list[list[meshes.Part]] = [[] for _ in value.shape]
    shape = list(value.shape)
    for part in axes:
        fits = [d for d, size in enumerate(shape) if size % part.size == 0]
        if fits and choose.random() < 0.8:
            dim = choose.choice(fits)
            dims[dim].append(part)
            shape[dim] //= part.size
    sharding = meshes.Sharding(
        body.mesh,
        tuple(tuple(parts) for parts in dims),
        is_open=tuple(choose.random() < 0.3 for _ in dims),
    )
    local = Value(
        outer.module.fresh(), value.type.shaped(*shape), value.fact, value.freedoms
    )
    lines = []
    for number in range(len(body.copies)):
        device = next(d for d in range(body.mesh.devices) if body.copy_of(d) == number)
        index = sharding.index(device, value.shape)
        attributes = (
            f"start_indices = {numbers_text([i.start for i in index])}, "
            f"limit_indices = {numbers_text([i.stop for i in index])}, "
            f"strides = {numbers_text([1] * len(index))}"
        )
        lines.append(
            _op(
                at(local.name, number),
                "slice",
                [value.name],
                attributes,
                [value.type],
                local.type,
            )
        )
    body.varying[local.name] = frozenset(
        part.axis for parts in dims for part in parts if part.size > 1
    )
    body.block.pool.append(local)
    return local, sharding, lines


def _result(body: Body, value: Value):
    """How a result of the body makes up a whole: sharding, type, and the lines that join the copies."""
    choose, mesh = body.block.choose, body.mesh
    if body.varies(value) and not value.type.rank:
        value = all_reduce(body, value, body.manual)
    varies = body.varies(value)
    axes = [
        axis
        for axis in body.manual
        if axis in varies or (value.type.rank and choose.random() < 0.2)
    ]
    choose.shuffle(axes)
    dims: list[list[meshes.Part]] = [[] for _ in value.shape]
    for axis in axes:
        choose.choice(dims).append(meshes.Part(axis, 1, mesh.sizes[axis]))
    sharding = meshes.Sharding(mesh, tuple(tuple(parts) for parts in dims))
    shape = [size * sharding.pieces(d) for d, size in enumerate(value.shape)]
    if math.prod(shape) > 4 * MOST_ELEMENTS:
        raise Unsuited
    whole = Value(
        body.outer.module.fresh(),
        value.type.shaped(*shape),
        value.fact,
        value.freedoms,
    )
    return value, sharding, whole, _assembled(body, value, sharding, whole)


def _assembled(body: Body, value: Value, sharding, whole: Value) -> list[str]:
    """Concatenations of the copies, one dimension after the other."""
    lines = []
    counts = [sharding.pieces(dim) for dim in range(len(value.shape))]
    parts: dict[tuple[int, ...], str] = {}
    for device in range(body.mesh.devices):
        index = sharding.index(device, whole.shape)
        rows = tuple(
            i.start // size if size else 0
            for i, size in zip(index, value.shape, strict=True)
        )
        parts.setdefault(rows, at(value.name, body.copy_of(device)))
    if 0 in value.shape:
        some = next(iter(parts.values()))
        parts = dict.fromkeys(itertools.product(*map(range, counts)), some)
    shape = list(value.shape)
    for dim in reversed(range(len(counts))):
        piece = value.type.shaped(*shape)
        shape[dim] *= counts[dim]
        longer = value.type.shaped(*shape)
        joined = {}
        for rows in itertools.product(*map(range, counts[:dim])):
            names = [parts[(*rows, n)] for n in range(counts[dim])]
            made = f"{at(whole.name, dim)}_{'_'.join(map(str, rows))}"
            types, dimension = [piece] * len(names), f"dimension = {dim} : i64"
            lines.append(_op(made, "concatenate", names, dimension, types, longer))
            joined[rows] = made
        parts = joined
    return [
        *lines,
        _op(whole.name, "reshape", [parts[()]], "", [whole.type], whole.type),
    ]


def manual(block: Block, operations) -> Value:
    """A manual computation of some random operations and collectives."""
    choose, mesh = block.choose, block.mesh
    if block.depth:
        raise Unsuited
    axes = list(range(len(mesh.sizes)))
    if choose.random() < 0.35:
        axes = sorted(choose.sample(axes, choose.randint(1, len(axes))))
    body = Body(block, mesh, axes)
    if not 1 < len(body.copies) <= MOST_COPIES:
        raise Unsuited
    operands = [
        block.pick(lambda value: value.type.count <= MOST_ELEMENTS)
        for _ in range(choose.randint(1, 3))
    ]
    arguments = [_operand(body, value) for value in operands]
    for _ in range(choose.choice((1, 2, 3, 4, 6))):
        try:
            if choose.random() < 0.6:
                suited = [
                    v
                    for v in body.block.pool
                    if v.fact.is_sharp or v.fact.wild
                    if v.type.count <= MOST_ELEMENTS
                ]
                if not suited:
                    continue
                choose.choice(COLLECTIVES)(body, choose.choice(suited))
            else:
                (operation, _), *_ = choose.choices(
                    operations, [weight for _, weight in operations]
                )
                operation(body.block)
        except Unsuited:
            continue
    last = body.block.pool[-choose.randint(1, 3) :]
    results = [_result(body, value) for value in last]
    return _write(block, body, operands, arguments, results)


def _write(block: Block, body: Body, operands, arguments, results) -> Value:
    listed = ", ".join(str(sharding) for _, sharding, _ in arguments)
    given = ", ".join(str(sharding) for _, sharding, _, _ in results)
    names = ", ".join(f'"a{axis}"' for axis in body.manual)
    head = ", ".join(f"{local.name}: {local.type}" for local, _, _ in arguments)
    returned = ", ".join(value.name for value, *_ in results)
    local_types = ", ".join(str(value.type) for value, *_ in results)
    made = ", ".join(whole.name for _, _, whole, _ in results)
    lines = "\n".join(body.block.lines).replace("\n", "\n  ")
    text = (
        f'{made} = "sdy.manual_computation"({", ".join(v.name for v in operands)}) '
        f"<{{in_shardings = #sdy.sharding_per_value<[{listed}]>, "
        f"out_shardings = #sdy.sharding_per_value<[{given}]>, "
        f"manual_axes = #sdy<manual_axes{{{names}}}>}}> ({{\n^bb0({head}):\n  {lines}\n"
        f'  "sdy.return"({returned}) : ({local_types}) -> ()\n}}) : '
        f"({', '.join(str(v.type) for v in operands)}) -> "
        f"({', '.join(str(whole.type) for _, _, whole, _ in results)})"
    )
    meaning = [line for _, _, lines in arguments for line in lines]
    meaning += body.unrolled()
    meaning += [line for *_, lines in results for line in lines]
    block.line(text)
    block.meanings[text] = "\n".join(meaning)
    block.used.update(value.name for value in operands)
    block.module.operations.append("manual_computation")
    free = body.block.freedoms_of([*operands, *body.block.pool])
    free |= body.block.region_freedoms
    wholes = [
        dataclasses.replace(whole, freedoms=whole.freedoms | free)
        for _, _, whole, _ in results
    ]
    block.pool.extend(wholes)
    return wholes[0]
