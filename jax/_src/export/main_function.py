"""The main function of a program with symbols: finds them in its arguments."""

from collections.abc import Sequence
from typing import Any

from jax._src.export import solving
from jax._src.interpreters import mlir
from jax._src.interpreters.mlir import sizes

ir = mlir.ir

# What a check may show of sizes.
_GREATEST_INPUTS = 32


def add(module: Any, plan: solving.Plan, names: Sequence[str], ahead: int) -> None:
    """Makes main take arrays alone: the symbols are taken from their sizes, and checked.

    Args:
        module: a module whose main takes so many numbers ahead, the symbols, and arrays.
        plan: how to find the symbols.
        names: the symbols in the order of main's arguments.
        ahead: how many arguments stand before the symbols.
    """
    table = ir.SymbolTable(module.operation)
    wrapped = table["main"].operation
    kind = wrapped.attributes["function_type"].value
    count = len(names)
    outer = [i for i in range(len(kind.inputs)) if not ahead <= i < ahead + count]
    inputs = [kind.inputs[i] for i in outer]
    attributes = {
        "sym_name": ir.StringAttr.get("main"),
        "sym_visibility": ir.StringAttr.get("public"),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, kind.results)),
    }
    if "arg_attrs" in wrapped.attributes:
        own = list(wrapped.attributes["arg_attrs"])
        attributes["arg_attrs"] = ir.ArrayAttr.get([own[i] for i in outer])
    if "res_attrs" in wrapped.attributes:
        attributes["res_attrs"] = wrapped.attributes["res_attrs"]
    wrapped.attributes["sym_name"] = ir.StringAttr.get("_wrapped_jax_export_main")
    wrapped.attributes["sym_visibility"] = ir.StringAttr.get("private")
    with ir.InsertionPoint.at_block_begin(module.body):
        made = ir.Operation.create("func.func", attributes=attributes, regions=1)
    block = made.regions[0].blocks.append(*inputs)
    with ir.InsertionPoint(block):
        arguments = list(block.arguments)
        values = _solve(plan, arguments[ahead:])
        operands = [*arguments[:ahead], *(values[n] for n in names), *arguments[ahead:]]
        callee = ir.FlatSymbolRefAttr.get("_wrapped_jax_export_main")
        call = ir.Operation.create(
            "func.call",
            results=list(kind.results),
            operands=operands,
            attributes={"callee": callee},
        )
        ir.Operation.create("func.return", operands=list(call.results))


def _solve(plan, arguments):
    """The values of the symbols, with the checks of a call before their use."""
    found = {
        equation: sizes.dimension_size(arguments[equation.argument], equation.axis)
        for equation in plan.equations
    }
    values: dict[str, Any] = {}
    shown: list[str] = []
    inputs: list[Any] = []

    def check(direction, left, right, message, *more):
        operands = [*inputs, *more]
        text = message
        for i in range(len(more)):
            text = text.replace(f"{{+{i}}}", f"{{{len(inputs) + i}}}")
        if len(operands) <= _GREATEST_INPUTS:
            text += _details(plan, shown)
        else:
            operands = more
            for i in range(len(more)):
                text = text.replace(f"{{{len(inputs) + i}}}", f"{{{i}}}")
        sizes.assert_(direction, left, right, text, operands)

    beginning = solving.INTRODUCTION
    for step in plan.steps:
        value = size = sizes.Scalar(found[step.equation])
        if step.rest.items:
            with sizes.binding(values):
                value = size - sizes.Scalar(sizes.of_sum(step.rest))
        if step.times != 1:
            left = sizes.combined("mod", value, step.times)
            check(
                "EQ",
                left.value,
                sizes.number(0),
                f"{beginning}Division had remainder {{+0}} when computing the value of "
                f"'{step.name}'.",
                left.value,
            )
            value = sizes.combined("floordiv", value, step.times)
        shown.append(
            f"'{step.name}' = {{{len(inputs)}}} from specification "
            f"'{step.equation.text}' for dimension {step.equation.dimension} "
            f"(= {{{len(inputs) + 1}}})"
        )
        inputs += [value.value, size.value]
        values[step.name] = value.value
        check(
            "GE",
            value.value,
            sizes.number(1),
            f"{beginning}Expected value >= 1 for dimension variable '{step.name}'.",
        )
    with sizes.binding(values):
        for equation in plan.checks:
            value = sizes.of_sum(equation.size.sum)
            check(
                "EQ",
                found[equation],
                value,
                f"{beginning}Found inconsistency between dimension size "
                f"{equation.dimension} (= {{+0}}) and the specification "
                f"'{equation.text}' (= {{+1}}).",
                found[equation],
                value,
            )
        for expression, is_equality, text in plan.constraints:
            value = sizes.of_sum(expression)
            relation = "equal" if is_equality else "be greater or equal"
            check(
                "EQ" if is_equality else "GE",
                value,
                sizes.number(0),
                f"Input shapes do not match the symbolic shape constraint {text}. "
                f"Expected '{expression}' to {relation} to 0, but found {{+0}}.",
                value,
            )
    return values


def _details(plan, shown):
    return (
        f" Using the following polymorphic shapes specifications: {plan.specification}. "
        f"Obtained dimension variables: {', '.join(shown)}."
    )
