"""StableHLO modules as HLO text, for tools that count operations in it.

HLO has computations where StableHLO has regions and functions, tuples where operations
have several results, and broadcasts that only add axes.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.interpreters.mlir import hlo_opcodes as oc

_RETURNS = ("func.return", "stablehlo.return")


class HloText:
    """A program in the text form of HLO: what ``Lowered.compiler_ir("hlo")`` returns.

    Args:
        module: a verified StableHLO module.

    Raises:
        NotImplementedError: HLO has no form of one of its operations.
    """

    def __init__(self, module: Any):
        self._text = _Writer(module).text()

    def as_hlo_text(self, print_large_constants: bool = False) -> str:
        """The text; constants of more than ten elements are written ``{...}``.

        Args:
            print_large_constants: must be False.
        """
        if print_large_constants:
            raise NotImplementedError("large constants are not written in HLO text")
        return self._text

    def name(self) -> str:
        """The module's name."""
        return self._text.split(None, 2)[1].rstrip(",")


class _Writer:
    """Writes the computations of one module; those that are called come first."""

    def __init__(self, module):
        self.module = module.operation
        self.functions = {
            op.operation.attributes["sym_name"].value: op.operation
            for op in self.module.regions[0].blocks[0].operations
            if op.operation.name == "func.func"
        }
        self.done: dict[str, str] = {}
        self.written: list[str] = []
        self.counts: dict[str, int] = {}

    def fresh(self, base: str) -> str:
        """A name that nothing else bears."""
        count = self.counts[base] = self.counts.get(base, 0) + 1
        return f"{base}.{count}"

    def text(self) -> str:
        """The whole module."""
        main = self.functions["main"]
        block = main.regions[0].blocks[0]
        self.function("main")
        arguments = ", ".join(oc.shape_text(a.type) for a in block.arguments)
        results = _tuple_shape([v.type for v in _terminator(block).operands])
        name = self.module.attributes["sym_name"].value
        head = (
            f"HloModule {name}, entry_computation_layout={{({arguments})->{results}}}"
        )
        return "\n\n".join([head, *self.written]) + "\n"

    def function(self, name: str) -> str:
        """The computation of a function, written when first asked for."""
        if name not in self.done:
            block = self.functions[name].regions[0].blocks[0]
            label = ("ENTRY " if name == "main" else "") + self.fresh(name)
            body = _Computation(self)
            for number, argument in enumerate(block.arguments):
                body.parameter(argument, number)
            body.block(block)
            self.written.append(body.text(label))
            self.done[name] = label
        return self.done[name]

    def region(self, region: Any) -> str:
        """The computation of a region that uses its own arguments only."""
        (block,) = region.blocks
        body = _Computation(self)
        for number, argument in enumerate(block.arguments):
            body.parameter(argument, number)
        for value in _captures([region]):
            body.constant_from_outside(value)
        body.block(block)
        label = self.fresh("region")
        self.written.append(body.text(label))
        return label

    def region_of_tuple(
        self, region: Any, captures: Sequence[Any], more: Sequence[int] = ()
    ) -> str:
        """The computation of a region whose arguments and captures come as one tuple.

        Args:
            region: of one block.
            captures: values from outside; the last elements of the tuple.
            more: which captures it returns after its results.
        """
        (block,) = region.blocks
        values = [*block.arguments, *captures]
        body = _Computation(self)
        body.tuple_parameter(values)
        body.block(block, [captures[i] for i in more], as_tuple=bool(more))
        label = self.fresh("region")
        self.written.append(body.text(label))
        return label


class _Computation:
    """The instructions of one computation."""

    def __init__(self, writer: _Writer):
        self.writer = writer
        self.lines: list[tuple[str, str]] = []
        self.names: dict[Any, str] = {}
        self.root = ""

    def text(self, label: str) -> str:
        """The computation called `label`."""
        rows = [
            f"  {'ROOT ' if name == self.root else ''}{name} = {what}"
            for name, what in self.lines
        ]
        return "\n".join([f"{label} {{", *rows, "}"])

    def add(
        self,
        opcode: str,
        shape: str,
        operands: Sequence[str],
        parts: Sequence[str] = (),
    ) -> str:
        """Adds an instruction; returns its name."""
        name = self.writer.fresh(opcode)
        tail = "".join(f", {part}" for part in parts)
        self.lines.append((name, f"{shape} {opcode}({', '.join(operands)}){tail}"))
        return name

    def parameter(self, value: Any, number: int) -> None:
        """Adds a parameter."""
        name = self.add("parameter", oc.shape_text(value.type), [str(number)])
        self.names[value] = name

    def tuple_parameter(self, values: Sequence[Any]) -> None:
        """Adds one parameter whose elements are these values."""
        whole = self.add(
            "parameter", _tuple_shape([v.type for v in values], True), ["0"]
        )
        self.take_apart(whole, values)

    def take_apart(self, whole: str, values: Sequence[Any]) -> None:
        """Names the elements of a tuple."""
        for index, value in enumerate(values):
            shape = oc.shape_text(value.type)
            self.names[value] = self.add(
                "get-tuple-element", shape, [whole], [f"index={index}"]
            )

    def constant_from_outside(self, value: Any) -> None:
        """Repeats a constant of the surrounding computation."""
        op = value.owner
        if getattr(op, "name", "") != "stablehlo.constant":
            raise _no_form("a value from outside of a reduction's or sort's function")
        self.operation(op.operation)

    def block(
        self, block: Any, more: Sequence[Any] = (), as_tuple: bool = False
    ) -> None:
        """Adds a block's operations, and its results as the root."""
        for op in block.operations:
            if op.operation.name in _RETURNS:
                results = [*op.operation.operands, *more]
                self.end(results, as_tuple or len(results) != 1)
            else:
                self.operation(op.operation)

    def end(self, values: Sequence[Any], as_tuple: bool) -> None:
        """Makes the results, or a tuple of them, the root."""
        names = [self.names[v] for v in values]
        if as_tuple:
            shape = _tuple_shape([v.type for v in values], True)
            self.root = self.add("tuple", shape, names)
        else:
            (self.root,) = names

    def operation(self, op: Any) -> None:
        """Adds what one operation computes."""
        dialect, _, name = op.name.partition(".")
        special = _SPECIAL.get(op.name)
        if special is not None:
            special(self, op)
            return
        operands = [self.names[v] for v in op.operands]
        if name == "convolution":
            kernel = op.operands[1].type.shape
            self.results(
                op, "convolution", operands, oc.convolution(op.attributes, kernel)
            )
        elif name in oc.OPCODES and dialect in ("stablehlo", "chlo"):
            opcode, attributes = oc.OPCODES[name]
            parts = attributes(op.attributes) + self._applied(op)
            self.results(op, opcode, operands, parts)
        elif dialect == "chlo":
            # Upstream writes the formula; whoever counts finds one operation here.
            self.results(
                op, "custom-call", operands, [f'custom_call_target="{op.name}"']
            )
        else:
            raise _no_form(op.name)

    def _applied(self, op):
        labels = [self.writer.region(region) for region in op.regions]
        if len(labels) == 2:
            return [f"select={labels[0]}", f"scatter={labels[1]}"]
        return [f"to_apply={label}" for label in labels]

    def results(
        self, op: Any, opcode: str, operands: Sequence[str], parts: Sequence[str]
    ) -> None:
        """Adds an instruction and names the operation's results, of a tuple if several."""
        values = list(op.results)
        shape = _tuple_shape([v.type for v in values])
        name = self.add(opcode, shape, operands, parts)
        if len(values) == 1:
            self.names[values[0]] = name
        else:
            self.take_apart(name, values)


def _tuple_shape(types, always=False):
    shapes = [oc.shape_text(t) for t in types]
    return shapes[0] if len(shapes) == 1 and not always else f"({', '.join(shapes)})"


def _terminator(block):
    *_, last = block.operations
    return last.operation


def _no_form(what):
    return NotImplementedError(
        errors.explain(
            "A program has no form in HLO text.",
            [("operation", what)],
            "lowered.as_text() shows every program, in StableHLO.",
        )
    )


def _captures(regions):
    """The values that regions use and do not define, in order of use."""
    found: dict[Any, None] = {}
    defined: set[Any] = set()

    def walk(region):
        for block in region.blocks:
            defined.update(block.arguments)
            for op in block.operations:
                for value in op.operation.operands:
                    if value not in defined:
                        found[value] = None
                for inner in op.operation.regions:
                    walk(inner)
                defined.update(op.operation.results)

    for region in regions:
        walk(region)
    return list(found)


def _constant(body, op):
    (value,) = op.results
    values = oc.values_of(op.attributes["value"], value.type.element_type)
    shape = oc.shape_text(value.type)
    if values.ndim and op.attributes["value"].is_splat:
        scalar = oc.element_name(value.type.element_type) + "[]"
        one = body.add(
            "constant", scalar, [oc.literal(values.reshape(-1)[:1].reshape(()))]
        )
        body.names[value] = body.add("broadcast", shape, [one], ["dimensions={}"])
    else:
        body.names[value] = body.add("constant", shape, [oc.literal(values)])


def _broadcast(body, op):
    """A reshape that drops axes of one element, and a broadcast that adds axes."""
    (operand,), (result,) = op.operands, op.results
    name = body.names[operand]
    before, after = list(operand.type.shape), list(result.type.shape)
    places = [int(d) for d in op.attributes["broadcast_dimensions"]]
    kept = [i for i, p in enumerate(places) if before[i] == after[p]]
    if len(kept) < len(places):
        sizes = [before[i] for i in kept]
        name = body.add("reshape", _shape_like(operand.type, sizes), [name])
    shape = oc.shape_text(result.type)
    if sorted(n for n in before if n != 1) == sorted(n for n in after if n != 1):
        body.names[result] = body.add("reshape", shape, [name])
        return
    parts = [f"dimensions={oc.braces([places[i] for i in kept])}"]
    body.names[result] = body.add("broadcast", shape, [name], parts)


def _shape_like(mlir_type, sizes):
    layout = oc.braces(reversed(range(len(sizes)))) if sizes else ""
    return f"{oc.element_name(mlir_type.element_type)}{oc.braces(sizes).translate(_SQUARE)}{layout}"


_SQUARE = str.maketrans("{}", "[]")


def _call(body, op):
    label = body.writer.function(op.attributes["callee"].value)
    operands = [body.names[v] for v in op.operands]
    body.results(op, "call", operands, [f"to_apply={label}"])


def _composite(body, op):
    label = body.writer.function(op.attributes["decomposition"].value)
    operands = [body.names[v] for v in op.operands]
    body.results(op, "call", operands, [f"to_apply={label}", "is_composite=true"])


def _while(body, op):
    captures = _captures(op.regions)
    carried = [*op.operands, *captures]
    shape = _tuple_shape([v.type for v in carried], True)
    start = body.add("tuple", shape, [body.names[v] for v in carried])
    condition = body.writer.region_of_tuple(op.regions[0], captures)
    step = body.writer.region_of_tuple(op.regions[1], captures, range(len(captures)))
    whole = body.add(
        "while", shape, [start], [f"condition={condition}", f"body={step}"]
    )
    body.take_apart(whole, list(op.results))


def _case(body, op):
    operands, labels = [body.names[op.operands[0]]], []
    for region in op.regions:
        captures = _captures([region])
        shape = _tuple_shape([v.type for v in captures], True)
        operands.append(body.add("tuple", shape, [body.names[v] for v in captures]))
        labels.append(body.writer.region_of_tuple(region, captures))
    if op.name == "stablehlo.if":
        parts = [f"true_computation={labels[0]}", f"false_computation={labels[1]}"]
    else:
        parts = [f"branch_computations={{{', '.join(labels)}}}"]
    body.results(op, "conditional", operands, parts)


def _as_it_is(body, op):
    """What says where a value lies changes no value."""
    for operand, result in zip(op.operands, op.results, strict=True):
        body.names[result] = body.names[operand]


_SPECIAL: dict[str, Callable[[_Computation, Any], None]] = {
    "func.call": _call,
    "sdy.mesh": lambda body, op: None,
    "sdy.sharding_constraint": _as_it_is,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.case": _case,
    "stablehlo.composite": _composite,
    "stablehlo.constant": _constant,
    "stablehlo.if": _case,
    "stablehlo.while": _while,
}
