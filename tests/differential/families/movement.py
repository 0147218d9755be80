"""Operations that move elements: shapes, slices, pads, gathers, scatters."""

import dataclasses

from tests.differential import facts
from tests.differential.elements import INTEGERS, S32, U32, U64, Element
from tests.differential.facts import EXACT, Fact
from tests.differential.program import Block, Type, Unsuited, Value


def numbers_text(values) -> str:
    """An `array<i64: ...>` attribute."""
    return "array<i64" + (": " if values else "") + ", ".join(map(str, values)) + ">"


def list_text(values) -> str:
    return "[" + ", ".join(map(str, values)) + "]"


def any_value(block: Block, largest: int = 1 << 17) -> Value:
    return block.pick(lambda value: value.type.count <= largest)


def moved(value: Value) -> Fact:
    return value.fact


def broadcast(block: Block) -> Value:
    operand = any_value(block, 4096)
    rank = operand.type.rank
    rank = max(rank, min(rank + block.choose.randrange(3), 5))
    dims = block.choose.sample(range(rank), operand.type.rank)
    if block.choose.random() < 0.7:
        dims.sort()
    shape = [block.choose.choice((0, 1, 2, 3, 4, 5)) for _ in range(rank)]
    for dim, size in zip(dims, operand.shape, strict=True):
        if size != 1 or block.choose.random() < 0.5:
            shape[dim] = size
    result = operand.type.shaped(*shape)
    if result.count > 1 << 16:
        raise Unsuited
    attributes = f"broadcast_dimensions = {numbers_text(dims)}"
    return block.apply(
        "broadcast_in_dim", [operand], result, moved(operand), attributes
    )


def _factored(choose, count: int) -> list[int]:
    """A shape with this many elements."""
    shape = []
    while count > 1 and len(shape) < 4 and choose.random() < 0.8:
        divisors = [
            d for d in range(1, min(count, 64) + 1) if count % d == 0 and (d > 1)
        ]
        if not divisors:
            break
        shape.append(choose.choice(divisors))
        count //= shape[-1]
    if count != 1 or not shape and choose.random() < 0.5:
        shape.append(count)
    for _ in range(choose.randrange(2)):
        shape.insert(choose.randrange(len(shape) + 1), 1)
    choose.shuffle(shape)
    return shape


def reshape(block: Block) -> Value:
    operand = any_value(block)
    result = operand.type.shaped(*_factored(block.choose, operand.type.count))
    if result.count != operand.type.count:
        raise Unsuited
    return block.apply("reshape", [operand], result, moved(operand))


def transpose(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.rank >= 1)
    order = list(range(operand.type.rank))
    block.choose.shuffle(order)
    result = operand.type.shaped(*(operand.shape[i] for i in order))
    attributes = f"permutation = {numbers_text(order)}"
    return block.apply("transpose", [operand], result, moved(operand), attributes)


def reverse(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.rank >= 1)
    count = block.choose.randrange(operand.type.rank + 1)
    axes = block.choose.sample(range(operand.type.rank), count)
    attributes = f"dimensions = {numbers_text(axes)}"
    return block.apply("reverse", [operand], operand.type, moved(operand), attributes)


def slice_(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.rank >= 1)
    starts, limits, strides, shape = [], [], [], []
    for size in operand.shape:
        start = block.choose.randint(0, size)
        limit = block.choose.randint(start, size)
        if block.choose.random() < 0.3:
            start, limit = 0, size
        stride = block.choose.choice((1, 1, 1, 2, 3, 7))
        starts.append(start)
        limits.append(limit)
        strides.append(stride)
        shape.append(-(-(limit - start) // stride))
    attributes = (
        f"limit_indices = {numbers_text(limits)}, "
        f"start_indices = {numbers_text(starts)}, strides = {numbers_text(strides)}"
    )
    result = operand.type.shaped(*shape)
    return block.apply("slice", [operand], result, moved(operand), attributes)


def pad(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.rank >= 1 and value.type.count <= 512)
    filler = block.like(operand.type.shaped())
    low, high, interior, shape = [], [], [], []
    for size in operand.shape:
        inner = block.choose.choice((0, 0, 0, 1, 2))
        spread = size + max(size - 1, 0) * inner
        below = block.choose.choice((-2, -1, 0, 0, 1, 2, 3))
        above = block.choose.choice((-2, -1, 0, 0, 1, 2, 3))
        if spread + below + above < 0:
            below = above = 0
        low.append(below)
        high.append(above)
        interior.append(inner)
        shape.append(spread + below + above)
    attributes = (
        f"edge_padding_high = {numbers_text(high)}, "
        f"edge_padding_low = {numbers_text(low)}, "
        f"interior_padding = {numbers_text(interior)}"
    )
    fact = facts.join(operand.fact, filler.fact)
    result = operand.type.shaped(*shape)
    return block.apply("pad", [operand, filler], result, fact, attributes)


def concatenate(block: Block) -> Value:
    first = block.pick(lambda value: value.type.rank >= 1 and value.type.count <= 8192)
    axis = block.choose.randrange(first.type.rank)
    parts = [first]
    for _ in range(block.choose.randrange(3)):
        size = first.shape[axis] if block.choose.random() < 0.5 else 0
        size = size or block.choose.choice((0, 1, 2, 3))
        shape = list(first.shape)
        shape[axis] = size
        parts.append(block.like(first.type.shaped(*shape)))
    block.choose.shuffle(parts)
    shape = list(first.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    fact = facts.join(*(part.fact for part in parts))
    result = first.type.shaped(*shape)
    return block.apply("concatenate", parts, result, fact, f"dimension = {axis} : i64")


def iota(block: Block) -> Value:
    from_pool = block.pick(lambda value: value.type.rank >= 1)
    element = block.choose.choice(
        [e for e in (*INTEGERS, from_pool.element) if e.kind != "b"]
    )
    axis = block.choose.randrange(from_pool.type.rank)
    size = from_pool.shape[axis]
    if element.kind in "fc" and size > 2**element.precision:
        raise Unsuited
    fact = Fact(0.0, float(size), 0) if element.is_inexact else EXACT
    result = Type(from_pool.shape, element)
    return block.apply("iota", [], result, fact, f"iota_dimension = {axis} : i64")


def constant(block: Block) -> Value:
    from_pool = any_value(block, 12)
    wild = block.choose.random() < 0.2 and from_pool.element.kind == "f"
    if from_pool.type.count == 0:
        raise Unsuited
    sort = "wild" if wild else "small"
    if not from_pool.element.is_inexact:
        sort = "any"
    depth, block.depth = block.depth, block.depth + 1  # never an argument
    try:
        return block.argument(from_pool.type, sort)
    finally:
        block.depth = depth


def _starts(block: Block, operand: Value) -> tuple[list[Value], tuple[str, ...]]:
    """Scalar start indices of one integer type, some of them out of range; and the freedom taken."""
    element = block.choose.choice(INTEGERS)
    largest = max(operand.shape, default=1)
    anywhere = block.choose.random() < 0.2
    starts = [
        block.argument(Type((), element), "any")
        if anywhere
        else block.argument(Type((), element), "index", low=-2, high=largest + 1)
        for _ in operand.shape
    ]
    reaches_half = _reaches_half(element, largest)
    if element.kind == "u" and (anywhere or reaches_half):
        return starts, ("large unsigned start",)
    return starts, ("start of a narrow type",) if reaches_half else ()


def _reaches_half(element, largest: int) -> bool:
    return largest + 1 >= 1 << (element.width - 1)


def dynamic_slice(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.rank >= 1)
    sizes = [block.choose.randint(0, size) for size in operand.shape]
    starts, free = _starts(block, operand)
    if block.is_any_made_by("dynamic_slice", [operand]):
        free += ("slice of a slice",)
    result = operand.type.shaped(*sizes)
    attributes = f"slice_sizes = {numbers_text(sizes)}"
    return block.apply(
        "dynamic_slice",
        [operand, *starts],
        result,
        moved(operand),
        attributes,
        free=free,
    )


def dynamic_update_slice(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.rank >= 1)
    shape = [block.choose.randint(0, size) for size in operand.shape]
    update = block.like(operand.type.shaped(*shape))
    starts, free = _starts(block, operand)
    fact = facts.join(operand.fact, update.fact)
    return block.apply(
        "dynamic_update_slice",
        [operand, update, *starts],
        operand.type,
        fact,
        free=free,
    )


@dataclasses.dataclass(slots=True)
class WindowNumbers:
    """Dimension numbers that gather and scatter share; windows are the operand's dimensions left over."""

    batching: list[int]
    index_batching: list[int]
    dropped: list[int]
    indexed: list[int]
    vector: int
    windows: list[int]
    index_shape: list[int]
    offsets: list[int]


def _window_numbers(block: Block, operand: Type) -> WindowNumbers:
    """A random way to address windows of an operand."""
    choose = block.choose
    axes = list(range(operand.rank))
    batching = [
        axis for axis in axes if choose.random() < 0.15 and operand.shape[axis] > 0
    ]
    free = [axis for axis in axes if axis not in batching]
    indexed = choose.sample(free, choose.randint(0, len(free)))
    dropped = [
        axis for axis in free if operand.shape[axis] > 0 and choose.random() < 0.4
    ]
    windows = [axis for axis in free if axis not in dropped]
    batch_shape = [operand.shape[axis] for axis in batching]
    extra = choose.randrange(3)
    order = [("batch", k) for k in range(len(batching))] + [("own", 0)] * extra
    choose.shuffle(order)
    index_shape = [
        batch_shape[k] if kind == "batch" else choose.choice((0, 1, 2, 3, 4, 5))
        for kind, k in order
    ]
    vector = choose.randint(0, len(order))
    if len(indexed) == 1 and choose.random() < 0.4:
        vector = len(order)  # no dimension holds the vectors: they are of size 1
        position = lambda number: number
    else:
        index_shape.insert(vector, len(indexed))
        position = lambda number: number + (number >= vector)
    index_batching = [position(order.index(("batch", k))) for k in range(len(batching))]
    result_rank = len(order) + len(windows)
    offsets = sorted(choose.sample(range(result_rank), len(windows)))
    return WindowNumbers(
        batching,
        index_batching,
        dropped,
        indexed,
        vector,
        windows,
        index_shape,
        offsets,
    )


def _window_sizes(block: Block, operand: Type, numbers: WindowNumbers) -> list[int]:
    sizes = []
    for axis, size in enumerate(operand.shape):
        if axis in numbers.windows:
            whole = axis not in numbers.indexed or block.choose.random() < 0.3
            sizes.append(size if whole else block.choose.randint(0, size))
        else:
            sizes.append(1)
    return sizes


def _result_shape(numbers: WindowNumbers, sizes: list[int]) -> list[int]:
    batch = list(numbers.index_shape)
    rank = len(numbers.offsets)
    if numbers.vector < len(batch):
        del batch[numbers.vector]
    window = [sizes[axis] for axis in numbers.windows]
    shape = []
    for dim in range(rank + len(batch)):
        shape.append(window.pop(0) if dim in numbers.offsets else batch.pop(0))
    return shape


def _indices(
    block: Block, operand: Type, numbers: WindowNumbers
) -> tuple[Value, tuple[str, ...]]:
    """The starts of windows, some of them out of range; and the freedom that one alone takes."""
    element = block.choose.choice(INTEGERS)
    sort = "any" if block.choose.random() < 0.1 else "index"
    largest = max(operand.shape, default=1)
    limits = {"low": -2, "high": largest + 1}
    indices = block.argument(
        Type(tuple(numbers.index_shape), element),
        sort,
        **(limits if sort == "index" else {}),
    )
    is_alone = len(numbers.index_shape) <= 1 and numbers.vector == 0
    is_large = sort == "any" or _reaches_half(element, largest)
    is_misread = is_alone and is_large and element.kind == "u"
    return indices, ("large unsigned index",) if is_misread else ()


def gather(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.count <= 1 << 14)
    numbers = _window_numbers(block, operand.type)
    sizes = _window_sizes(block, operand.type, numbers)
    shape = _result_shape(numbers, sizes)
    indices, free = _indices(block, operand.type, numbers)
    fields = {
        "offset_dims": numbers.offsets,
        "collapsed_slice_dims": numbers.dropped,
        "operand_batching_dims": numbers.batching,
        "start_indices_batching_dims": numbers.index_batching,
        "start_index_map": numbers.indexed,
    }
    attributes = (
        f"dimension_numbers = #stablehlo.gather<{_fields(fields)}"
        f"index_vector_dim = {numbers.vector}>, indices_are_sorted = false, "
        f"slice_sizes = {numbers_text(sizes)}"
    )
    result = operand.type.shaped(*shape)
    if result.count > 1 << 15:
        raise Unsuited
    return block.apply(
        "gather", [operand, indices], result, moved(operand), attributes, free=free
    )


def _fields(fields) -> str:
    return "".join(
        f"{name} = {list_text(values)}, " for name, values in fields.items() if values
    )


COMBINERS = ("add", "multiply", "maximum", "minimum", "and", "or", "xor", "set")


def _combiner(block: Block, value: Value) -> str:
    kind = value.element.kind
    allowed = {
        "b": ("and", "or", "xor", "set"),
        "c": ("add", "set"),
        "f": ("add", "maximum", "minimum", "set"),
    }.get(kind, COMBINERS)
    return block.choose.choice(allowed)


def scatter(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.count <= 1 << 13)
    name = _combiner(block, operand)
    if operand.fact.wild and name == "add":
        raise Unsuited
    numbers = _window_numbers(block, operand.type)
    sizes = _window_sizes(block, operand.type, numbers)
    update_type = operand.type.shaped(*_result_shape(numbers, sizes))
    if update_type.count > 1 << 13:
        raise Unsuited
    updates = block.like(
        update_type, lambda value: not (value.fact.wild and name == "add")
    )
    indices, _ = _indices(block, operand.type, numbers)
    free = () if numbers.indexed else ("scatter without indices",)
    if any(operand.shape[axis] > _largest(indices.element) for axis in numbers.indexed):
        free = ("scatter with narrow indices",)
    element = operand.type.shaped()
    fact = _scattered(name, operand, updates)
    region = block.region(
        [element, element],
        [operand.fact, updates.fact],
        lambda inner, pair: [
            pair[1] if name == "set" else inner.apply(name, pair, element, operand.fact)
        ],
    )
    fields = {
        "update_window_dims": numbers.offsets,
        "inserted_window_dims": numbers.dropped,
        "input_batching_dims": numbers.batching,
        "scatter_indices_batching_dims": numbers.index_batching,
        "scatter_dims_to_operand_dims": numbers.indexed,
    }
    attributes = (
        "indices_are_sorted = false, scatter_dimension_numbers = "
        f"#stablehlo.scatter<{_fields(fields)}index_vector_dim = {numbers.vector}>, "
        "unique_indices = false"
    )
    return block.apply(
        "scatter",
        [operand, indices, updates],
        operand.type,
        fact,
        attributes,
        [region],
        free=free,
    )


def _largest(element: Element) -> int:
    return (1 << (element.width - (element.kind == "i"))) - 1


def _scattered(name: str, operand: Value, updates: Value) -> Fact:
    if not operand.element.is_inexact:
        return EXACT
    if name == "add":
        total = facts.added(
            operand.fact, facts.repeated(updates.fact, updates.type.count)
        )
        return facts.rounded(total, operand.element, steps=updates.type.count + 1)
    joined = facts.join(operand.fact, updates.fact)
    return dataclasses.replace(joined, raw=joined.raw and name == "set")


def dimension_size(block: Block) -> Value:
    operand = block.pick(lambda value: value.type.rank >= 1)
    axis = block.choose.randrange(operand.type.rank)
    return block.apply(
        "get_dimension_size",
        [operand],
        Type((), S32),
        EXACT,
        f"dimension = {axis} : i64",
    )


def random_bits(block: Block) -> Value:
    from_pool = block.pick(lambda value: value.type.count <= 4096)
    algorithm = block.choose.choice(("THREE_FRY", "PHILOX", "DEFAULT"))
    words = 2 if algorithm == "THREE_FRY" else block.choose.choice((2, 3))
    state = block.argument(Type((words,), U64), "any")
    element = block.choose.choice([e for e in INTEGERS if e.kind == "u"] + [U32])
    results = [(state.type, EXACT), (Type(from_pool.shape, element), EXACT)]
    attributes = f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>"
    return block.apply_many("rng_bit_generator", [state], results, attributes)[1]


OPERATIONS = (
    (broadcast, 3),
    (reshape, 2),
    (transpose, 2),
    (reverse, 1),
    (slice_, 2),
    (pad, 2),
    (concatenate, 2),
    (iota, 1),
    (constant, 1),
    (dynamic_slice, 1.5),
    (dynamic_update_slice, 1.5),
    (gather, 3),
    (scatter, 3),
    (dimension_size, 0.2),
    (random_bits, 1),
)
