"""The func dialect: functions, calls and returns."""

from collections.abc import Callable, Sequence
from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import _func_ops_gen as generated
from jaxlib.mlir.dialects._func_ops_gen import *  # noqa: F403
from jaxlib.mlir.dialects._ods_common import _cext


@_cext.register_operation(generated._Dialect, replace=True)
class FuncOp(generated.FuncOp):
    """A function: a symbol with a type and, unless it is a declaration, a body.

    Args:
        name: the symbol.
        type: a ``FunctionType``, or a pair (input types, result types).
        visibility: ``"public"``, ``"private"`` or ``"nested"``.
        body_builder: called with the operation, inside its new entry block.
        loc: the location.
        ip: where to insert it.
    """

    def __init__(
        self,
        name: str | ir.StringAttr,
        type: ir.FunctionType | tuple[Sequence[ir.Type], Sequence[ir.Type]],
        *,
        visibility: str | ir.StringAttr | None = None,
        body_builder: Callable[["FuncOp"], Any] | None = None,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ):
        if isinstance(type, tuple):
            type = ir.FunctionType.get(list(type[0]), list(type[1]))
        text = lambda value: (
            ir.StringAttr.get(value) if isinstance(value, str) else value
        )
        super().__init__(
            text(name),
            ir.TypeAttr.get(type),
            sym_visibility=text(visibility),
            loc=loc,
            ip=ip,
        )
        if body_builder is not None:
            entry = self.add_entry_block()
            with ir.InsertionPoint(entry):
                body_builder(self)

    @property
    def is_external(self) -> bool:
        """Whether the function is a declaration."""
        return len(self.regions[0].blocks) == 0

    @property
    def body(self) -> ir.Region:
        """The region of the body."""
        return self.regions[0]

    @property
    def type(self) -> ir.FunctionType:
        """The function's type."""
        return self.attributes["function_type"].value

    @property
    def visibility(self) -> ir.Attribute | None:
        """The visibility attribute of the function: who may call it."""
        return self.attributes.get("sym_visibility")

    @property
    def name(self) -> ir.StringAttr:
        """The symbol."""
        return self.attributes["sym_name"]

    @property
    def entry_block(self) -> ir.Block:
        """The first block of the body."""
        if self.is_external:
            raise IndexError("External function does not have a body")
        return self.regions[0].blocks[0]

    def add_entry_block(
        self, arg_locs: Sequence[ir.Location] | None = None
    ) -> ir.Block:
        """Gives the function a body; returns its first block."""
        if not self.is_external:
            raise IndexError("The function already has an entry block!")
        self.regions[0].blocks.append(*self.type.inputs, arg_locs=arg_locs)
        return self.regions[0].blocks[0]

    @property
    def arguments(self) -> list[ir.BlockArgument]:
        """The arguments of the entry block."""
        return self.entry_block.arguments

    @property
    def arg_attrs(self) -> ir.ArrayAttr:
        """A dictionary of attributes for each argument."""
        return self.attributes["arg_attrs"]

    @arg_attrs.setter
    def arg_attrs(self, attributes: ir.ArrayAttr | Sequence[ir.DictAttr]) -> None:
        if not isinstance(attributes, ir.ArrayAttr):
            attributes = ir.ArrayAttr.get(list(attributes))
        self.attributes["arg_attrs"] = attributes

    @property
    def result_attrs(self) -> ir.ArrayAttr:
        """A dictionary of attributes for each result."""
        return self.attributes["res_attrs"]

    @result_attrs.setter
    def result_attrs(self, attributes: ir.ArrayAttr | Sequence[ir.DictAttr]) -> None:
        if not isinstance(attributes, ir.ArrayAttr):
            attributes = ir.ArrayAttr.get(list(attributes))
        self.attributes["res_attrs"] = attributes


@_cext.register_operation(generated._Dialect, replace=True)
class CallOp(generated.CallOp):
    """A call.

    Either ``CallOp(function, arguments)`` with a `FuncOp`, or
    ``CallOp(result_types, symbol, arguments)``.
    """

    def __init__(
        self,
        callee_or_results: FuncOp | Sequence[ir.Type],
        arguments_or_callee: Any,
        arguments: Sequence[Any] | None = None,
        *,
        loc: ir.Location | None = None,
        ip: ir.InsertionPoint | None = None,
    ):
        if isinstance(callee_or_results, FuncOp):
            if arguments is not None:
                raise ValueError("CallOp(function, arguments) takes no third argument")
            function = callee_or_results
            super().__init__(
                function.type.results,
                ir.FlatSymbolRefAttr.get(function.name.value),
                arguments_or_callee,
                loc=loc,
                ip=ip,
            )
            return
        if arguments is None:
            raise ValueError("CallOp(result_types, symbol, arguments): no arguments")
        callee = arguments_or_callee
        if isinstance(callee, str):
            callee = ir.FlatSymbolRefAttr.get(callee)
        super().__init__(list(callee_or_results), callee, arguments, loc=loc, ip=ip)
