"""Operations that hold programs: while, if, case, calls, barriers."""

import dataclasses

from tests.differential import facts
from tests.differential.elements import PRED, S32
from tests.differential.facts import EXACT, Fact
from tests.differential.families import elementwise, movement
from tests.differential.program import Block, Type, Unsuited, Value

DEEPEST = 3


def _twice(block: Block, carry: Value) -> Value:
    return block.apply("add", [carry, carry], carry.type, carry.fact)


def _turned(block: Block, carry: Value) -> Value:
    if carry.type.rank == 0:
        return carry
    attributes = f"dimensions = {movement.numbers_text([carry.type.rank - 1])}"
    return block.apply("reverse", [carry], carry.type, carry.fact, attributes)


def _negated(block: Block, carry: Value) -> Value:
    fact = facts.negated(carry.fact) if carry.element.is_inexact else EXACT
    return block.apply("negate", [carry], carry.type, fact)


def _rotated(block: Block, carry: Value) -> Value:
    """The first element of a dimension goes to its end."""
    if carry.type.rank == 0 or carry.shape[0] < 2:
        return _turned(block, carry)
    rank, size = carry.type.rank, carry.shape[0]
    ones = movement.numbers_text([1] * rank)
    parts = []
    for start, limit in ((1, size), (0, 1)):
        limits = movement.numbers_text([limit, *carry.shape[1:]])
        starts = movement.numbers_text([start, *[0] * (rank - 1)])
        attributes = (
            f"limit_indices = {limits}, start_indices = {starts}, strides = {ones}"
        )
        type = carry.type.shaped(limit - start, *carry.shape[1:])
        parts.append(block.apply("slice", [carry], type, carry.fact, attributes))
    return block.apply(
        "concatenate", parts, carry.type, carry.fact, "dimension = 0 : i64"
    )


COMPARE = (
    "compare_type = #stablehlo<comparison_type {sort}>, "
    "comparison_direction = #stablehlo<comparison_direction {direction}>"
)


def _in_memory(block: Block, value: Value) -> Value:
    results = [(value.type, value.fact)]
    return block.apply_many("optimization_barrier", [value], results)[0]


def _worked_on(block: Block, carry: Value) -> Value:
    """True, after work that needs memory of its own while the carry must stay as it is."""
    twice = _in_memory(block, _twice(block, carry))
    turned = _in_memory(block, _turned(block, twice))
    sort = "SIGNED" if carry.element.kind == "i" else "UNSIGNED"
    flags = block.apply(
        "compare",
        [_turned(block, turned), twice],
        Type(carry.shape, PRED),
        EXACT,
        COMPARE.format(sort=sort, direction="EQ"),
    )
    ones = movement.numbers_text([1] * carry.type.rank)
    zeros = movement.numbers_text([0] * carry.type.rank)
    attributes = f"limit_indices = {ones}, start_indices = {zeros}, strides = {ones}"
    type = flags.type.shaped(*[1] * carry.type.rank)
    first = block.apply("slice", [flags], type, EXACT, attributes)
    return block.apply("reshape", [first], Type((), PRED), EXACT)


def _fresh(outside: Value):
    """A value from outside the loop: the carry is written without being read."""

    def step(block: Block, carry: Value) -> Value:
        block.used.add(outside.name)
        return _turned(block, outside)

    return step


def _written(counter: Value):
    """Writes a number at the counter's index: what a scan does."""

    def step(block: Block, carry: Value) -> Value:
        if carry.type.rank == 0 or 0 in carry.shape:
            return carry
        update = block.argument(
            carry.type.shaped(1, *carry.shape[1:]),
            "small" if carry.element.is_inexact else "any",
        )
        zero = block.number(S32, 0)
        starts = [counter] + [zero] * (carry.type.rank - 1)
        fact = facts.join(carry.fact, update.fact)
        return block.apply(
            "dynamic_update_slice", [carry, update, *starts], carry.type, fact
        )

    return step


def _added(outside: Value, trips: int):
    """Adds a value from outside the loop in every step."""

    def step(block: Block, carry: Value) -> Value:
        block.used.add(outside.name)
        return block.apply("add", [carry, outside], carry.type, carry.fact)

    return step


def _grown(carry: Value, outside: Value, trips: int) -> Fact:
    if not carry.element.is_inexact:
        return EXACT
    total = facts.added(carry.fact, facts.repeated(outside.fact, trips))
    return facts.rounded(facts.join(carry.fact, total), carry.element, steps=trips)


def while_(block: Block) -> Value:
    """A counted loop that carries one to three values."""
    choose = block.choose
    if block.depth >= DEEPEST:
        raise Unsuited
    trips = choose.choice((0, 1, 2, 3, 5))
    start = block.number(S32, 0)
    limit = block.number(S32, trips)
    carries = [
        block.pick(lambda value: value.type.count <= 4096 and value.element is not PRED)
        for _ in range(choose.randint(1, 3))
    ]
    steps, carried = [], [EXACT]
    swap = len(carries) >= 2 and carries[0].type == carries[1].type
    for carry in carries:
        step, fact = _choose_step(block, carry, trips)
        steps.append(step)
        carried.append(fact)
    if swap:
        both = facts.join(carried[1], carried[2])
        carried[1] = carried[2] = both
        steps[0] = steps[1] = "turn"
    types = [start.type, *(carry.type for carry in carries)]
    busy = choose.random() < 0.5

    def condition(inner, values):
        inner.used.add(limit.name)
        attributes = COMPARE.format(sort="SIGNED", direction="LT")
        flag = Type((), PRED)
        last = inner.apply("compare", [values[0], limit], flag, EXACT, attributes)
        for carry in values[1:]:
            whole = carry.element.kind in "iu" and 0 not in carry.shape
            if busy and whole and carry.type.rank:
                worked = _worked_on(inner, carry)
                last = inner.apply("and", [last, worked], flag, EXACT)
        return [last]

    def body(inner, values):
        counter = values[0]
        one = inner.number(S32, 1)
        following = [inner.apply("add", [counter, one], counter.type, EXACT)]
        for step, carry in zip(steps, values[1:], strict=True):
            following.append(_take_step(inner, step, carry, counter))
        if swap:
            following[1], following[2] = following[2], following[1]
        return following

    regions = [
        block.region(types, carried, condition),
        block.region(types, carried, body),
    ]
    results = list(zip(types, carried, strict=True))
    return block.apply_many("while", [start, *carries], results, regions=regions)[1]


def _choose_step(block: Block, carry: Value, trips: int):
    """What a loop does to a carry, and what holds for it in every step."""
    fact = carry.fact
    names = ["turn", "rotate", "fresh"]
    if carry.element.kind in "iuf" and not fact.wild:
        names += ["negate", "write", "add", "add"]
    name = block.choose.choice(names)
    if name == "negate" and carry.element.is_inexact:
        fact = facts.join(fact, facts.negated(fact))
    elif name == "write" and carry.element.is_inexact:
        fact = facts.join(fact, Fact(-4.0, 4.0, 1))
    elif name == "fresh":
        outside = block.like(carry.type)
        block.used.add(outside.name)
        return _fresh(outside), facts.join(fact, outside.fact)
    elif name == "add":
        outside = block.like(carry.type, lambda value: not value.fact.wild)
        block.used.add(outside.name)
        return _added(outside, trips), _grown(carry, outside, trips)
    if name == "negate" or name == "write":
        fact = dataclasses.replace(fact, raw=carry.fact.raw and name == "negate")
    return name, fact


def _take_step(block: Block, step, carry: Value, counter: Value) -> Value:
    if callable(step):
        return step(block, carry)
    if step == "write":
        return _written(counter)(block, carry)
    table = {"turn": _turned, "rotate": _rotated, "negate": _negated}
    return table[step](block, carry)


def _branch(block: Block, wanted: list[Type]):
    """A region without arguments that yields values of these types, computed from what is outside."""
    inner_facts = []

    def body(inner, _):
        inner.pool.extend(block.pool)
        for _ in range(block.choose.randint(0, 3)):
            try:
                operation = block.choose.choice(
                    (
                        elementwise.binary,
                        elementwise.exact_unary,
                        elementwise.function,
                        movement.reverse,
                        movement.transpose,
                    )
                )
                operation(inner)
            except Unsuited:
                pass
        values = []
        for type in wanted:
            suited = [value for value in inner.pool if value.type == type]
            values.append(block.choose.choice(suited[-3:]))
        inner.used.update(value.name for value in values)
        inner_facts.extend(value.fact for value in values)
        return values

    return block.region([], [], body), inner_facts


def branches(block: Block) -> Value:
    """`if` or `case`, whose branches see everything outside."""
    choose = block.choose
    if block.depth >= DEEPEST:
        raise Unsuited
    wanted = [
        block.pick(lambda value: value.type.count <= 4096).type
        for _ in range(choose.randint(1, 2))
    ]
    name = choose.choice(("if", "case"))
    count = 2 if name == "if" else choose.randint(1, 4)
    regions, held = [], []
    for _ in range(count):
        region, branch_facts = _branch(block, wanted)
        regions.append(region)
        held.append(branch_facts)
    if name == "if":
        chosen = block.like(Type((), PRED), sort="any")
    else:
        chosen = block.argument(Type((), S32), "index", low=-2, high=count + 1)
    results = [
        (type, facts.join(*column))
        for type, column in zip(wanted, zip(*held, strict=True), strict=True)
    ]
    return block.apply_many(name, [chosen], results, regions=regions)[0]


def barrier(block: Block) -> Value:
    values = [block.pick(lambda value: True) for _ in range(block.choose.randint(1, 3))]
    results = [(value.type, value.fact) for value in values]
    return block.apply_many("optimization_barrier", values, results)[0]


def call(block: Block) -> Value:
    """A function of its own that is called, or the decomposition of a composite."""
    module, choose = block.module, block.choose
    if block.depth:
        raise Unsuited
    operands = [
        block.pick(lambda value: value.type.count <= 4096)
        for _ in range(choose.randint(1, 3))
    ]
    inner = Block(module, [], 1)
    parameters = [Value(module.fresh(), v.type, v.fact) for v in operands]
    inner.pool.extend(parameters)
    for _ in range(choose.randint(1, 4)):
        operation = choose.choice(
            (elementwise.binary, elementwise.exact_unary, elementwise.function)
            + (movement.reshape, movement.broadcast, movement.reverse)
        )
        try:
            operation(inner)
        except Unsuited:
            pass
    results = inner.pool[-choose.randint(1, 2) :]
    name = f"function_{len(module.functions)}"
    header = ", ".join(f"{value.name}: {value.type}" for value in parameters)
    types = ", ".join(str(value.type) for value in results)
    names = ", ".join(value.name for value in results)
    body = "\n".join(f"    {line}" for line in inner.lines)
    module.functions.append(
        f"  func.func private @{name}({header}) -> ({types}) {{\n{body}\n"
        f"    func.return {names} : {types}\n  }}"
    )
    freedoms = block.freedoms_of([*operands, *inner.pool])
    return _invoke(block, name, operands, results, freedoms)


def _invoke(block: Block, name: str, operands, results, freedoms) -> Value:
    fresh = [block.module.fresh() for _ in results]
    signature = (
        f"({', '.join(str(v.type) for v in operands)}) -> "
        f"({', '.join(str(v.type) for v in results)})"
    )
    arguments = ", ".join(value.name for value in operands)
    if block.choose.random() < 0.3:
        block.module.operations.append("composite")
        block.line(
            f'{", ".join(fresh)} = "stablehlo.composite"({arguments}) '
            f'<{{composite_attributes = {{}}, decomposition = @{name}, name = "own.{name}", '
            f"version = 0 : i32}}> : {signature}"
        )
    else:
        block.module.operations.append("call")
        block.line(f"{', '.join(fresh)} = func.call @{name}({arguments}) : {signature}")
    block.used.update(value.name for value in operands)
    values = [
        Value(new, value.type, value.fact, freedoms)
        for new, value in zip(fresh, results, strict=True)
    ]
    block.pool.extend(values)
    return values[0]


OPERATIONS = ((while_, 2), (branches, 1.5), (barrier, 0.5), (call, 1.5))
