"""Products of some size and what may run as part of them: biases, activations, residuals."""

from tests.differential.elements import BF16, F16, F32, F64, PRED, S32, U32, Element
from tests.differential.facts import EXACT, join, mapped
from tests.differential.families import contraction, elementwise
from tests.differential.families.control import COMPARE
from tests.differential.families.movement import list_text, numbers_text
from tests.differential.program import Block, Type, Unsuited, Value

ELEMENTS = (F32, F32, F32, F32, F64, S32, S32, U32, BF16, F16)
TERMS = {BF16: (0, 1, 2, 3, 4), F16: (0, 1, 2, 3, 8, 17, 32)}
"""Of 16-bit floats so few that sums are exact."""


def _binary(block: Block, name: str, a: Value, b: Value) -> Value:
    fact = elementwise._binary_fact(name, a, b) if a.element.is_inexact else EXACT
    return block.apply(name, [a, b], a.type, fact)


def _spread(block: Block, value: Value, type: Type, dimensions) -> Value:
    attributes = f"broadcast_dimensions = {numbers_text(dimensions)}"
    return block.apply("broadcast_in_dim", [value], type, value.fact, attributes)


def _number(block: Block, type: Type, number) -> Value:
    return _spread(block, block.number(type.element, number), type, [])


# Products.


def _long_letters(choose) -> dict[str, int]:
    """One or two dimensions so long that the compiler takes another way; perhaps a vector."""
    letters = choose.choice(("mnk", "mk", "kn", "bmnk", "bmk", "bkn", "bmn"))
    sizes = {x: choose.choice((1, 2, 3, 4, 5, 8, 10, 17)) for x in letters}
    for letter in choose.sample(letters, choose.choice((1, 1, 2))):
        sizes[letter] = choose.choice((64, 65, 130, 300, 1000, 4099, 9000, 30000))
    return {"k": 1} | sizes


def _letters(choose) -> dict[str, int]:
    """Sizes of the dimensions of a product: b shared, m and n free, k summed."""
    if choose.random() < 0.2:
        return _long_letters(choose)
    size = choose.choice((16, 17, 32, 33, 64))
    if choose.random() < 0.2:
        return {"m": size, "k": size, "n": size}
    sizes = {
        "m": choose.choice((1, 2, 16, 31, 32, 40, 64, 100)),
        "n": choose.choice((1, 2, 10, 16, 32, 33, 64, 130)),
        "k": choose.choice((1, 2, 3, 8, 17, 32, 64, 130, 400)),
    }
    if choose.random() < 0.04:
        sizes[choose.choice("mnk")] = 0
    if choose.random() < 0.3:
        sizes["b"] = choose.choice((1, 2, 3, 5))
    for letter in "mnk":
        if choose.random() < 0.12:
            sizes[letter.upper()] = choose.choice((1, 2, 3))
    return sizes


def _product(block: Block, element: Element, sizes: dict[str, int], a=None) -> Value:
    """`a`, if it is given, is the left operand, of dimensions m and k."""
    choose = block.choose
    sides = [[x for x in sizes if x in letters] for letters in ("bmMkK", "bkKnN")]
    free = choose.random() < 0.5
    if free:
        choose.shuffle(sides[1])
    if free and a is None:
        choose.shuffle(sides[0])
    types = [Type(tuple(sizes[x] for x in side), element) for side in sides]
    if max(type.count for type in types) > 1 << 18:
        raise Unsuited
    a = a or block.like(types[0], contraction._factor)
    b = block.like(types[1], contraction._factor)
    count = sizes["k"] * sizes.get("K", 1)
    shape = [sizes[x] for x in sides[0] if x in "b"]
    shape += [sizes[x] for x in sides[0] if x in "mM"]
    shape += [sizes[x] for x in sides[1] if x in "nN"]
    result = Type(tuple(shape), element)
    if result.count > 1 << 17 or result.count * count > 1 << 22:
        raise Unsuited
    indices = [
        [[side.index(x) for x in letters if x in sizes] for side in sides]
        for letters in ("b", "kK")
    ]
    attributes = (
        "dot_dimension_numbers = #stablehlo.dot<"
        f"lhs_batching_dimensions = {list_text(indices[0][0])}, "
        f"rhs_batching_dimensions = {list_text(indices[0][1])}, "
        f"lhs_contracting_dimensions = {list_text(indices[1][0])}, "
        f"rhs_contracting_dimensions = {list_text(indices[1][1])}>"
    )
    fact = contraction._product(a, b, count)
    return block.apply("dot_general", [a, b], result, fact, attributes)


def _convolution(block: Block, element: Element) -> Value:
    choose = block.choose
    rank = choose.choice((1, 2, 2))
    spatial = [str(axis) for axis in range(rank)]
    inputs = choose.choice((3, 8, 16))
    outputs = choose.choice((8, 16, 33))
    groups = choose.choice((1, 1, 1, 2))
    if element in TERMS:
        inputs = 1
    window = []
    for _ in spatial:
        kernel = choose.choice((1, 3, 5))
        size = choose.choice((6, 9, 14)) * (3 if rank == 1 else 1)
        stride, low, high = choose.choice((1, 1, 2)), kernel // 2, kernel // 2
        window.append((size, kernel, stride, low, high, 1, 1, False))
    count = inputs
    for _, kernel, *_ in window:
        count *= kernel
    left = {"b": choose.choice((1, 2)), "f": inputs * groups}
    right = {"i": inputs, "o": outputs * groups}
    result = {"b": left["b"], "f": outputs * groups}
    for axis, (size, kernel, *rest, _) in zip(spatial, window, strict=True):
        left[axis], right[axis] = size, kernel
        result[axis] = contraction._window_size(size, kernel, *rest)
    layouts = choose.choice(
        (
            (["b", *spatial, "f"], [*spatial, "i", "o"], ["b", *spatial, "f"]),
            (["b", "f", *spatial], ["o", "i", *spatial], ["b", "f", *spatial]),
            (["b", *spatial, "f"], [*spatial, "i", "o"], ["b", "f", *spatial]),
        )
    )
    shapes = [
        Type(tuple(contraction._in_order(layout, sizes)), element)
        for layout, sizes in zip(layouts, (left, right, result), strict=True)
    ]
    if shapes[2].count > 1 << 14 or shapes[2].count * count > 1 << 21:
        raise Unsuited
    a = block.like(shapes[0], contraction._factor)
    b = block.like(shapes[1], contraction._factor)
    attributes = contraction._convolution_attributes(layouts, window, groups, 1)
    fact = contraction._product(a, b, count)
    return block.apply("convolution", [a, b], shapes[2], fact, attributes)


# What follows a product: functions of the value so far and of the product itself.


def _bias(block: Block, value: Value, product: Value) -> Value:
    rank = value.type.rank
    chosen = [d for d in range(rank) if block.choose.random() < 0.4] or [rank - 1]
    type = value.type.shaped(*(value.shape[d] for d in chosen))
    spread = _spread(block, block.like(type, contraction._factor), value.type, chosen)
    return _binary(block, block.choose.choice(("add", "subtract")), value, spread)


def _relu(block: Block, value: Value, product: Value) -> Value:
    return _binary(block, "maximum", value, _number(block, value.type, 0))


def _scale(block: Block, value: Value, product: Value) -> Value:
    number = 3 if value.element.is_integer else 0.5
    return _binary(block, "multiply", value, _number(block, value.type, number))


def _residual(block: Block, value: Value, product: Value) -> Value:
    other = block.like(value.type, contraction._factor)
    return _binary(block, block.choose.choice(("add", "subtract")), other, value)


def _again(block: Block, value: Value, product: Value) -> Value:
    """With the product itself once more."""
    if product.type != value.type or product.fact.size > 1e3:
        raise Unsuited
    name = block.choose.choice(("add", "maximum", "minimum"))
    return _binary(block, name, value, product)


def _masked(block: Block, value: Value, product: Value) -> Value:
    """What relu's gradient does: chosen by the sign of another array, or of the product."""
    like = product if product.type.shape == value.shape else value
    if block.choose.random() < 0.6:
        like = block.like(value.type, lambda other: other.fact.is_exact)
    if not like.fact.is_exact:
        raise Unsuited
    zero = _number(block, like.type, 0)
    sort = {"u": "UNSIGNED", "i": "SIGNED"}.get(like.element.kind, "FLOAT")
    attributes = COMPARE.format(sort=sort, direction="GT")
    chosen = block.apply("compare", [like, zero], like.type.of(PRED), EXACT, attributes)
    other = _number(block, value.type, 0)
    fact = join(value.fact, other.fact)
    return block.apply("select", [chosen, value, other], value.type, fact)


def _activated(block: Block, value: Value, product: Value) -> Value:
    if value.element.kind != "f" or value.fact.wild or value.fact.size > 1e3:
        raise Unsuited
    fact = mapped(value.fact, value.element, -1.0, 1.0, 1.0, elementwise.ULPS)
    return block.apply("tanh", [value], value.type, fact)


def _shared(block: Block, value: Value, product: Value) -> Value:
    """With work on another array that a second value is computed from too."""
    other = block.like(value.type, contraction._factor)
    if value.element.is_integer:
        seven = _number(block, value.type, 7)
        work = block.apply("remainder", [other, seven], value.type, EXACT)
    else:
        work = _activated(block, other, product)
    _binary(block, "add", work, other)
    return _binary(block, "add", value, work)


def _reshaped(block: Block, value: Value, product: Value) -> Value:
    shape = list(value.shape)
    if len(shape) >= 3 and block.choose.random() < 0.5:
        shape[:2] = [shape[0] * shape[1]]
    elif shape and shape[0] % 2 == 0:
        shape[:1] = [2, shape[0] // 2]
    else:
        shape.insert(block.choose.randint(0, len(shape)), 1)
    return block.apply("reshape", [value], value.type.shaped(*shape), value.fact)


def _turned(block: Block, value: Value, product: Value) -> Value:
    order = list(range(value.type.rank))
    block.choose.shuffle(order)
    type = value.type.shaped(*(value.shape[d] for d in order))
    attributes = f"permutation = {numbers_text(order)}"
    return block.apply("transpose", [value], type, value.fact, attributes)


def _row_of_it(block: Block, value: Value, product: Value) -> Value:
    """Reads the product at other indices: its first rows, or its first element alone."""
    if product.type != value.type or 0 in value.shape or not value.shape:
        raise Unsuited
    count = block.choose.randint(1, value.type.rank)
    limits = [1] * count + list(value.shape[count:])
    attributes = (
        f"limit_indices = {numbers_text(limits)}, "
        f"start_indices = {numbers_text([0] * value.type.rank)}, "
        f"strides = {numbers_text([1] * value.type.rank)}"
    )
    row = block.apply(
        "slice", [product], value.type.shaped(*limits), product.fact, attributes
    )
    if count == value.type.rank and block.choose.random() < 0.5:
        row = block.apply("reshape", [row], value.type.shaped(), product.fact)
        return _binary(block, "add", value, _spread(block, row, value.type, []))
    spread = _spread(block, row, value.type, range(value.type.rank))
    return _binary(block, "add", value, spread)


def _converted(block: Block, value: Value, product: Value) -> Value:
    target = {F32: F64, BF16: F32, F16: F32}.get(value.element)
    if target is None:
        raise Unsuited
    return block.apply("convert", [value], value.type.of(target), value.fact)


def _multiplied(block: Block, value: Value, product: Value) -> Value:
    """Into another product."""
    if value.type.rank != 2 or not contraction._factor(value):
        raise Unsuited
    sizes = {"m": value.shape[0], "k": value.shape[1], "n": 32}
    if value.element in TERMS:
        raise Unsuited
    return _product(block, value.element, sizes, value)


STEPS = (
    *(_bias, _bias, _relu, _scale, _residual, _residual, _again, _masked, _masked),
    *(_shared, _shared),
    *(_activated, _reshaped, _turned, _row_of_it, _converted, _multiplied),
)


def _follow(block: Block, product: Value, steps: int) -> Value:
    value = product
    for _ in range(steps):
        try:
            following = block.choose.choice(STEPS)(block, value, product)
        except Unsuited:
            continue
        if not following.fact.is_sharp and not following.fact.wild:
            block.pool.remove(following)
            continue
        value = following
    return value


def product_and_more(block: Block) -> Value:
    """A product or a convolution and a chain of what neural networks do with it."""
    choose = block.choose
    element = choose.choice(ELEMENTS)
    if choose.random() < 0.25 and element not in (S32, U32):
        product = _convolution(block, element)
    else:
        sizes = _letters(choose)
        if element in TERMS:
            sizes["k"] = choose.choice(TERMS[element])
            sizes.pop("K", None)
        product = _product(block, element, sizes)
    if not product.fact.is_sharp:
        return product
    return _follow(block, product, choose.randint(1, 5))


def loop_of_products(block: Block) -> Value:
    """A loop whose carry goes through a product; of integers, whose sums are exact."""
    choose = block.choose
    if block.depth:
        raise Unsuited
    size = choose.choice((16, 33, 40))
    type = Type((size, size), choose.choice((S32, U32)))
    first, second, outside = (block.like(type) for _ in range(3))
    counter, zero = Type((), S32), block.number(S32, 0)
    limit, one = block.number(S32, choose.choice((0, 1, 2, 4))), block.number(S32, 1)
    block.used |= {outside.name, limit.name, one.name}
    types = [counter, type, type]

    def condition(inner: Block, carried):
        attributes = COMPARE.format(sort="SIGNED", direction="LT")
        return [
            inner.apply(
                "compare", [carried[0], limit], counter.of(PRED), EXACT, attributes
            )
        ]

    def body(inner: Block, carried):
        inner.pool.append(outside)
        count = inner.apply("add", [carried[0], one], counter, EXACT)
        sizes = {"m": size, "k": size, "n": size}
        product = _product(inner, type.element, sizes, choose.choice(carried[1:]))
        value = _follow(inner, product, choose.randint(1, 4))
        if value.type != type:
            value = product
        other = choose.choice((carried[1], carried[2], product, outside))
        pair = [value, other]
        choose.shuffle(pair)
        return [count, *pair]

    regions = [block.region(types, [EXACT] * 3, part) for part in (condition, body)]
    results = [(each, EXACT) for each in types]
    return block.apply_many("while", [zero, first, second], results, "", regions)[1]


OPERATIONS = ((product_and_more, 2), (loop_of_products, 0.5))
