"""Products and transforms: dot_general, convolution, fft, cholesky, triangular_solve."""

from tests.differential import facts
from tests.differential.elements import C64, C128, F32, F64, PRED, S32
from tests.differential.facts import EXACT, Fact
from tests.differential.families.movement import list_text, numbers_text
from tests.differential.program import Block, Type, Unsuited, Value

SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8, 16)


def _product(a: Value, b: Value, count: int) -> Fact:
    """The fact of a sum of `count` products."""
    if not a.element.is_inexact:
        return EXACT
    product = facts.multiplied(a.fact, b.fact)
    if a.element.kind == "c":
        product = facts.added(product, product)
        size = product.size
        product = Fact(-size, size, product.bits, product.error)
    return facts.summed(product, count, a.element)


def _factor(value: Value) -> bool:
    return not value.fact.wild and value.fact.size <= 1e3


def dot_general(block: Block) -> Value:
    choose = block.choose
    a = block.pick(
        lambda value: (
            _factor(value) and value.element is not PRED and value.type.count <= 1 << 14
        )
    )
    axes = list(range(a.type.rank))
    choose.shuffle(axes)
    cuts = sorted((choose.randint(0, len(axes)), choose.randint(0, len(axes))))
    batching, contracting = axes[: cuts[0]], axes[cuts[0] : cuts[1]]
    if choose.random() < 0.5:
        batching = []
    free = [choose.choice(SIZES) for _ in range(choose.randrange(3))]
    if choose.random() < 0.05:
        free = [choose.choice((33, 64, 100))]
    order = (
        [("batch", axis) for axis in batching]
        + [("contract", axis) for axis in contracting]
        + [("free", size) for size in free]
    )
    choose.shuffle(order)
    shape = [x if kind == "free" else a.shape[x] for kind, x in order]
    b = block.like(a.type.shaped(*shape), _factor)
    count = 1
    for axis in contracting:
        count *= a.shape[axis]
    left = [
        a.shape[axis]
        for axis in range(a.type.rank)
        if axis not in batching and axis not in contracting
    ]
    result = a.type.shaped(
        *(a.shape[axis] for axis in batching),
        *left,
        *(size for kind, size in order if kind == "free"),
    )
    if result.count * max(count, 1) > 1 << 22 or result.count > 1 << 15:
        raise Unsuited
    dims = {key: order.index(key) for key in order if key[0] != "free"}
    attributes = (
        "dot_dimension_numbers = #stablehlo.dot<"
        f"lhs_batching_dimensions = {list_text(batching)}, "
        f"rhs_batching_dimensions = {list_text([dims['batch', x] for x in batching])}, "
        f"lhs_contracting_dimensions = {list_text(contracting)}, "
        f"rhs_contracting_dimensions = {list_text([dims['contract', x] for x in contracting])}>"
    )
    fact = _product(a, b, count)
    return block.apply("dot_general", [a, b], result, fact, attributes)


def _window_size(size, kernel, stride, low, high, dilation, kernel_dilation) -> int:
    dilated = size and (size - 1) * dilation + 1
    spread = kernel and (kernel - 1) * kernel_dilation + 1
    padded = low + dilated + high
    return 0 if padded < spread else (padded - spread) // stride + 1


def _layout(choose, letters: list[str]) -> list[str]:
    order = list(letters)
    if choose.random() < 0.6:
        choose.shuffle(order)
    return order


def _in_order(order, sizes) -> list[int]:
    return [sizes[letter] for letter in order]


def convolution(block: Block) -> Value:
    """A convolution with any layout, stride, dilation, padding, reversal and groups."""
    choose = block.choose
    element = choose.choice((F32, F32, F32, F64, block.pick(_factor).element))
    if element is PRED:
        raise Unsuited
    rank = choose.choice((0, 1, 1, 2, 2, 2, 3))
    spatial = [str(axis) for axis in range(rank)]
    is_large = choose.random() < 0.2
    groups = choose.choice((1, 1, 8, 17) if is_large else (1, 1, 2, 3))
    batch_groups = choose.choice((1, 1, 1, 2)) if groups == 1 else 1
    batch = choose.choice((0, 1, 2, 3)) * batch_groups
    inputs = choose.choice((1, 4, 8, 17, 33) if is_large else (1, 2, 3))
    outputs = choose.choice((1, 2, 8, 16, 17, 33) if is_large else (1, 2, 4))
    outputs *= groups * batch_groups
    window = [_window(choose) for _ in spatial]
    if is_large and window:
        size = choose.choice((16, 17, 33, 64, 130, 1000))
        axis = choose.randrange(rank)
        window[axis] = (size, *window[axis][1:])
    left = {"b": batch, "f": inputs * groups}
    right = {"i": inputs, "o": outputs}
    result = {"b": batch // batch_groups, "f": outputs}
    for axis, (size, kernel, *rest, _) in zip(spatial, window, strict=True):
        left[axis], right[axis] = size, kernel
        result[axis] = _window_size(size, kernel, *rest)
    layouts = [
        _layout(choose, ["b", *spatial, "f"]),
        _layout(choose, ["i", "o", *spatial]),
        _layout(choose, ["b", *spatial, "f"]),
    ]
    a = block.like(Type(tuple(_in_order(layouts[0], left)), element), _factor)
    b = block.like(Type(tuple(_in_order(layouts[1], right)), element), _factor)
    shape = Type(tuple(_in_order(layouts[2], result)), element)
    count = inputs
    for _, kernel, *_ in window:
        count *= kernel
    largest = max(a.type.count, b.type.count, shape.count)
    if largest > 1 << 16 or shape.count * count > 1 << 22:
        raise Unsuited
    attributes = _convolution_attributes(layouts, window, groups, batch_groups)
    cancels = any(
        low and _window_size(size, kernel, stride, 0, 0, *rest) == result[axis]
        for axis, (size, kernel, stride, low, _, *rest, _) in zip(
            spatial, window, strict=True
        )
    )
    is_whole = any(
        reverses and kernel > 1 and result[axis] == 1
        for axis, (_, kernel, *_, reverses) in zip(spatial, window, strict=True)
    )
    free = ("padding that cancels",) if cancels else ()
    free += ("reversal of a whole window",) if is_whole else ()
    product = _product(a, b, count)
    return block.apply("convolution", [a, b], shape, product, attributes, free=free)


def _window(choose):
    """Size, kernel, stride, padding low and high, dilations, reversal of one dimension."""
    return (
        choose.choice((0, 1, 3, 5, 8, 9)),
        choose.choice((1, 2, 3, 3, 5)),
        choose.choice((1, 1, 2, 3)),
        choose.choice((-1, 0, 0, 1, 2)),
        choose.choice((-1, 0, 0, 1, 2)),
        choose.choice((1, 1, 1, 2, 3)),
        choose.choice((1, 1, 1, 2)),
        choose.random() < 0.2,
    )


def _convolution_attributes(layouts, window, groups, batch_groups) -> str:
    texts = ["[" + ", ".join(layout) + "]" for layout in layouts]
    columns = list(zip(*window, strict=True)) or [()] * 8
    rank = len(window)
    _, _, strides, low, high, dilation, kernel_dilation, reversal = columns
    pairs = ", ".join(f"[{a}, {b}]" for a, b in zip(low, high, strict=True))
    padding = f"dense<[{pairs}]>" if rank else "dense<>"
    turned = ", ".join("true" if x else "false" for x in reversal)
    return (
        f"batch_group_count = {batch_groups} : i64, "
        f"dimension_numbers = #stablehlo.conv<{texts[0]}x{texts[1]}->{texts[2]}>, "
        f"feature_group_count = {groups} : i64, "
        f"lhs_dilation = {numbers_text(dilation)}, "
        f"padding = {padding} : tensor<{rank}x2xi64>, "
        f"rhs_dilation = {numbers_text(kernel_dilation)}, "
        f"window_reversal = array<i1{': ' if rank else ''}{turned}>, "
        f"window_strides = {numbers_text(strides)}"
    )


def fft(block: Block) -> Value:
    """A Fourier transform over the last one to three dimensions."""
    choose = block.choose
    sort = choose.choice(("FFT", "IFFT", "RFFT", "IRFFT"))
    wanted = (F32, F64) if sort == "RFFT" else (C64, C128)
    element = choose.choice(wanted)
    rank = choose.choice((1, 1, 2, 3))
    lengths = [choose.choice((1, 2, 3, 4, 5, 7, 8, 12, 16)) for _ in range(rank)]
    batch = [choose.choice((1, 2, 3)) for _ in range(choose.randrange(2))]
    if choose.random() < 0.2:
        length = (17, 31, 32, 33, 64, 100, 127, 128, 210, 257, 1000, 1009, 4096)
        lengths[choose.randrange(rank)] = choose.choice(length)
        batch = [choose.choice((1, 2, 15, 17))]
    shape = batch + lengths
    half = [*shape[:-1], lengths[-1] // 2 + 1]
    operand = block.like(
        Type(tuple(half if sort == "IRFFT" else shape), element),
        lambda value: not value.fact.wild and value.fact.size < 1e4,
    )
    count = 1
    for length in lengths:
        count *= length
    if operand.type.count > 1 << 14:
        raise Unsuited
    part = {F32: C64, F64: C128, C64: F32, C128: F64}[element]
    result = Type(tuple(shape), element)
    if sort == "RFFT":
        result = Type(tuple(half), part)
    elif sort == "IRFFT":
        result = result.of(part)
    scale = 1.0 if sort in ("FFT", "RFFT") else 1 / count
    size = 2 * count * operand.fact.size * scale
    steps = 8 + count.bit_length()
    error = 2 * count * scale * operand.fact.error + steps * element.epsilon * size
    fact = Fact(-size, size, None, error + element.tiny)
    attributes = (
        f"fft_length = {numbers_text(lengths)}, fft_type = #stablehlo<fft_type {sort}>"
    )
    return block.apply("fft", [operand], result, fact, attributes)


def _batched_matrix(block: Block) -> tuple[Type, int]:
    element = block.choose.choice((F32, F64, C64, C128))
    size = block.choose.choice((0, 1, 2, 3, 5, 8))
    batch = [block.choose.choice((1, 2, 3)) for _ in range(block.choose.randrange(2))]
    return Type((*batch, size, size), element), size


def _diagonal(block: Block, type: Type, weight: float) -> Value:
    """`weight` times the unit matrix."""
    ranks = [type.rank - 2, type.rank - 1]

    rows, columns = (
        block.apply("iota", [], type.of(S32), EXACT, f"iota_dimension = {axis} : i64")
        for axis in ranks
    )
    attributes = (
        "compare_type = #stablehlo<comparison_type SIGNED>, "
        "comparison_direction = #stablehlo<comparison_direction EQ>"
    )
    where = block.apply("compare", [rows, columns], type.of(PRED), EXACT, attributes)
    ones = block.apply("convert", [where], type, Fact(0.0, 1.0, 0))
    scalar = block.number(type.element, weight)
    spread = block.apply(
        "broadcast_in_dim",
        [scalar],
        type,
        scalar.fact,
        f"broadcast_dimensions = {numbers_text([])}",
    )
    return block.apply("multiply", [ones, spread], type, Fact(0.0, weight, 0))


def _plus(block: Block, a: Value, b: Value) -> Value:
    fact = facts.rounded(facts.added(a.fact, b.fact), a.element)
    return block.apply("add", [a, b], a.type, fact)


def triangular_solve(block: Block) -> Value:
    """A system with a triangle whose diagonal dominates."""
    choose = block.choose
    type, size = _batched_matrix(block)
    small = block.argument(type, "small")
    matrix = _plus(block, small, _diagonal(block, type, 8.0 * max(size, 1) + 8))
    left = choose.random() < 0.5
    columns = choose.choice((0, 1, 2, 3, 4))
    sides = (size, columns) if left else (columns, size)
    right = block.like(
        type.shaped(*type.shape[:-2], *sides), lambda v: _factor(v) and v.fact.size < 64
    )
    unit = False
    transposed = choose.choice(("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"))
    attributes = (
        f"left_side = {str(left).lower()}, lower = {choose.choice(('true', 'false'))}, "
        f"transpose_a = #stablehlo<transpose {transposed}>, "
        f"unit_diagonal = {str(unit).lower()}"
    )
    bound = right.fact.size
    error = right.fact.error + 64 * (size + 1) * type.element.epsilon * bound
    fact = Fact(-bound, bound, None, error + type.element.tiny)
    return block.apply(
        "triangular_solve", [matrix, right], right.type, fact, attributes
    )


def cholesky(block: Block) -> Value:
    """The Cholesky factor of a symmetric matrix whose diagonal dominates: the triangle that is read, and zeros."""
    choose = block.choose
    type, size = _batched_matrix(block)
    small = block.argument(type, "small")
    weight = 16.0 * max(size, 1) + 16
    matrix = _plus(block, small, _diagonal(block, type, weight))
    if type.element.kind == "c":
        raise Unsuited  # the diagonal would have imaginary parts
    lower = choose.choice(("true", "false"))
    error = 64 * (size + 1) * type.element.epsilon * weight
    fact = Fact(-weight, weight, None, error)
    return block.apply("cholesky", [matrix], type, fact, f"lower = {lower}")


OPERATIONS = (
    (dot_general, 4),
    (convolution, 3),
    (fft, 1.5),
    (triangular_solve, 0.5),
    (cholesky, 0.5),
)
