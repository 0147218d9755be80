"""Programs for unknown sizes, written again for certain types of arguments.

Each function is written once for each combination of types and known whole numbers with
which it is called. What is computed from sizes is computed here, so that operations whose
sizes are operands become those where they are attributes.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.export.refining import custom_calls, folding, results, sizes, windows
from jax._src.interpreters import mlir

ir = mlir.ir


class Item:
    """A value of the program that is written, or whole numbers that are known."""

    __slots__ = ("_value", "known")

    def __init__(self, value: Any = None, known: np.ndarray | None = None):
        self._value, self.known = value, known

    def value(self) -> Any:
        """The value, at the insertion point."""
        return folding.constant(self.known) if self._value is None else self._value

    @property
    def type(self) -> Any:
        if self._value is None:
            return folding.type_of(self.known)
        return self._value.type


def specialize(source: Any, types: Sequence[Any], numbers: dict[int, int]) -> Any:
    """The module for arguments of certain types.

    Args:
        source: a module whose main has arguments of unknown sizes.
        types: the types of main's arguments.
        numbers: those of the arguments that are known integers, by their index;
            main no longer takes them.

    Raises:
        ValueError: the types do not fit, a check of sizes in the program fails, or a size
            does not follow from those of the arguments.
    """
    return _Specializer(source).run(types, numbers)


class _Specializer:
    def __init__(self, source):
        self.functions = {}
        self.source = source
        self.made: dict[Any, tuple[str, list[Any]]] = {}
        self.names: set[str] = {"main"}
        self.module = ir.Module.create()
        for key, value in source.operation.attributes.items():
            self.module.operation.attributes[key] = value
        for operation in source.body.operations:
            operation = operation.operation
            if operation.name == "func.func":
                self.functions[operation.attributes["sym_name"].value] = operation
            else:
                with ir.InsertionPoint(self.module.body):
                    operation.clone()

    def run(self, types, numbers):
        main = self.functions["main"]
        items = []
        for index, kind in enumerate(types):
            if index in numbers:
                dtype = folding.dtype_of(kind)
                items.append(Item(known=np.asarray(numbers[index], dtype)))
            else:
                items.append(kind)
        self._write("main", main, items, is_public=True)
        return self.module

    def _write(self, name, function, items, is_public=False):
        """Writes a function; returns the types of its results."""
        kept = [x for x in items if not isinstance(x, Item)]
        attributes = dict(function.attributes.items())
        attributes["sym_name"] = ir.StringAttr.get(name)
        visibility = "public" if is_public else "private"
        attributes["sym_visibility"] = ir.StringAttr.get(visibility)
        if "arg_attrs" in attributes:
            own = zip(attributes["arg_attrs"], items, strict=True)
            attributes["arg_attrs"] = ir.ArrayAttr.get(
                [_without_marks(a) for a, x in own if not isinstance(x, Item)]
            )
        empty = ir.FunctionType.get(kept, [])
        attributes["function_type"] = ir.TypeAttr.get(empty)
        with ir.InsertionPoint(self.module.body):
            made = ir.Operation.create("func.func", attributes=attributes, regions=1)
        block = made.regions[0].blocks.append(*kept)
        arguments = iter(block.arguments)
        inputs = [x if isinstance(x, Item) else Item(next(arguments)) for x in items]
        with ir.InsertionPoint(block):
            outs = self._block(function.regions[0].blocks[0], inputs, {})
            values = [item.value() for item in outs]
            ir.Operation.create("func.return", operands=values)
        kinds = [v.type for v in values]
        made.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get(kept, kinds)
        )
        return outs, kinds

    def _block(self, block, inputs, outer):
        """Writes the operations of a block; returns what its end returns."""
        values = dict(outer)
        for argument, item in zip(block.arguments, inputs, strict=True):
            values[argument] = item
        for operation in block.operations:
            operation = operation.operation
            items = [values[x] for x in operation.operands]
            if operation.name in ("func.return", "stablehlo.return", "sdy.return"):
                return items
            with operation.location:
                outs = self._operation(operation, items, values)
            for result, item in zip(operation.results, outs, strict=True):
                values[result] = item
        raise _unknown("a block has no end")

    def _operation(self, op, items, values):
        name = op.name
        if name == "stablehlo.constant":
            known = folding.known_constant(op)
            return [Item(known=known)] if known is not None else self._copied(op, [])
        if name == "stablehlo.get_dimension_size":
            shape = ir.RankedTensorType(items[0].type).shape
            size = shape[op.attributes["dimension"].value]
            return [Item(known=np.asarray(size, np.int32))]
        if name in ("func.call", "stablehlo.composite"):
            return self._call(op, items)
        if name == "stablehlo.custom_call":
            return self._custom_call(op, items)
        known = [item.known for item in items]
        if sizes.takes_sizes(op):
            return self._fixed(op, items, known, values)
        folded = folding.fold(op, known) if len(op.results) == 1 else None
        if folded is not None:
            return [Item(known=folded)]
        if name in ("stablehlo.while", "stablehlo.case", "stablehlo.if"):
            return self._control(op, items, values)
        return self._general(op, items, values)

    def _copied(self, op, items, kinds=None, attributes=None, name=None, values=None):
        made = ir.Operation.create(
            name or op.name,
            results=[r.type for r in op.results] if kinds is None else kinds,
            operands=[item.value() for item in items],
            attributes=dict(op.attributes.items())
            if attributes is None
            else attributes,
            regions=len(op.regions),
        )
        for old, new in zip(op.regions, made.regions, strict=True):
            for block in old.blocks:
                kinds = [argument.type for argument in block.arguments]
                self._region(block, new, kinds, values or {})
        return [Item(result) for result in made.results]

    def _region(self, block, region, kinds, values):
        new = region.blocks.append(*kinds)
        with ir.InsertionPoint(new):
            outs = self._block(block, list(map(Item, new.arguments)), values)
            operands = [item.value() for item in outs]
            ir.Operation.create("stablehlo.return", operands=operands)
        return [v.type for v in operands]

    def _general(self, op, items, values):
        kinds = [r.type for r in op.results]
        if not all(map(_is_static, kinds)):
            shapes = results.shapes(op, [_shape(item.type) for item in items])
            if shapes is None:
                raise _unknown(f"the shape of {op.name} does not follow")
            kinds = [_with_shape(k, s) for k, s in zip(kinds, shapes, strict=True)]
        return self._copied(op, items, kinds, values=values)

    def _fixed(self, op, items, known, values):
        shapes = [_shape(item.type) for item in items]
        found = sizes.fixed(op, shapes, known)
        if found is None and op.name == "stablehlo.real_dynamic_slice":
            outs = self._moving_slice(op, items, known, values)
            if outs is not None:
                return outs
        if found is None:
            raise _unknown(f"the sizes of {op.name} do not follow")
        name, count, attributes, shape = found
        kind = _with_shape(op.results[0].type, shape)
        items = items[:count]
        if name in ("reshape", "broadcast_in_dim") and items[0].known is not None:
            folded = folding.moved(name, items[0].known, shape, attributes)
            if folded is not None:
                return [Item(known=folded)]
        return self._copied(op, items, [kind], attributes, f"stablehlo.{name}")

    def _moving_slice(self, op, items, known, values):
        """A slice of known size with a computed start: its end is the start and a constant."""
        start, limit = op.operands[1], op.operands[2]
        end = limit.owner
        strides = known[3]
        if (
            strides is None
            or not np.all(strides == 1)
            or not isinstance(end, ir.Operation)
        ):
            return None
        if end.name != "stablehlo.add" or start not in list(end.operands):
            return None
        (other,) = [x for x in end.operands if x != start] or [start]
        counts = values[other].known
        if counts is None:
            return None
        element = ir.RankedTensorType(items[1].type).element_type
        one, scalar = (ir.RankedTensorType.get(s, element) for s in ([1], []))
        begin = items[1].value()
        starts = [
            sizes.operation("reshape", scalar, [sizes.slice_of(begin, one, i)], {})
            for i in range(len(counts))
        ]
        counts = [int(n) for n in counts]
        kind = _with_shape(op.results[0].type, counts)
        made = sizes.operation(
            "dynamic_slice",
            kind,
            [items[0].value(), *starts],
            {"slice_sizes": mlir.dense_int_array(counts)},
        )
        return [Item(made)]

    def _control(self, op, items, values):
        is_loop = op.name == "stablehlo.while"
        kinds = [item.type for item in items] if is_loop else []
        if not is_loop:
            kinds = self._branch_types(op, values)
        made = ir.Operation.create(
            op.name,
            results=kinds,
            operands=[item.value() for item in items],
            attributes=dict(op.attributes.items()),
            regions=len(op.regions),
        )
        for old, new in zip(op.regions, made.regions, strict=True):
            found = self._region(old.blocks[0], new, kinds if is_loop else [], values)
            if (
                found != kinds
                and not (is_loop and new is made.regions[0])
                and (len(found) == len(kinds))
            ):
                raise _unknown(f"the parts of {op.name} differ in shape")
        return [Item(result) for result in made.results]

    def _branch_types(self, op, values):
        kinds = [r.type for r in op.results]
        if all(map(_is_static, kinds)):
            return kinds
        # Written once to see its types, in an operation that is then dropped.
        trial = ir.Operation.create(
            "stablehlo.case", regions=1, operands=[], results=[]
        )
        found = self._region(op.regions[0].blocks[0], trial.regions[0], [], values)
        trial.erase()
        return found

    def _call(self, op, items):
        attribute = "callee" if op.name == "func.call" else "decomposition"
        callee = op.attributes[attribute].value
        # Known numbers go into the function, other values are passed.
        parts = [
            item if item.known is not None and item.known.size <= 8 else item.type
            for item in items
        ]
        name, outs, kinds = self._function(callee, parts)
        if all(known is not None for known in outs):
            return [Item(known=known) for known in outs]
        passed = [
            item
            for item, part in zip(items, parts, strict=True)
            if not isinstance(part, Item)
        ]
        attributes = {"callee": ir.FlatSymbolRefAttr.get(name)}
        made = ir.Operation.create(
            "func.call",
            results=kinds,
            operands=[item.value() for item in passed],
            attributes=attributes,
        )
        return [
            Item(result) if known is None else Item(known=known)
            for result, known in zip(made.results, outs, strict=True)
        ]

    def _function(self, callee, parts):
        """The name of a function for these arguments, what is known of it, its types."""
        key = callee, tuple(_key(part) for part in parts)
        if key not in self.made:
            name, number = callee, 0
            while name in self.names:
                name, number = f"{callee}_{number}", number + 1
            self.names.add(name)
            outs, kinds = self._write(name, self.functions[callee], parts)
            self.made[key] = name, [item.known for item in outs], kinds
        return self.made[key]

    def _custom_call(self, op, items):
        target = op.attributes["call_target_name"].value
        known = [item.known for item in items]
        if target == "shape_assertion":
            custom_calls.check(op, known)
            return []
        if target.startswith("stablehlo.dynamic_"):
            return self._dynamic_call(op, target, items, known)
        attributes = dict(op.attributes.items())
        if "called_computations" in attributes:
            names = [reference.value for reference in attributes["called_computations"]]
            attributes["called_computations"] = ir.ArrayAttr.get(
                [ir.FlatSymbolRefAttr.get(self._computation(n)) for n in names]
            )
        kinds = [r.type for r in op.results]
        shapes = custom_calls.shapes_by_operands(op, known)
        if shapes is not None:
            del attributes["indices_of_shape_operands"]
            kinds = [_with_shape(k, s) for k, s in zip(kinds, shapes, strict=True)]
            items = custom_calls.without_shape_operands(op, items)
            if "operand_layouts" in attributes:
                attributes["operand_layouts"] = custom_calls.without_shape_layouts(
                    op, attributes["operand_layouts"]
                )
        if not all(map(_is_static, kinds)):
            if len(kinds) != 1 or target not in custom_calls.KEEP_SHAPE:
                raise _unknown(f"the shapes of the call of {target!r} do not follow")
            kinds = [_with_shape(kinds[0], _shape(items[0].type))]
        return self._copied(op, items, kinds, attributes)

    def _computation(self, name):
        function = self.functions[name]
        kinds = list(function.attributes["function_type"].value.inputs)
        return self._function(name, kinds)[0]

    def _dynamic_call(self, op, target, items, known):
        shapes = [_shape(item.type) for item in items]
        outs = windows.build(op, target, items, shapes, known, self)
        if outs is None:
            raise _unknown(f"the sizes of the call of {target!r} do not follow")
        return outs

    def item(self, value):
        """A value that was written."""
        return Item(value)

    def inline(self, name, operands):
        """Writes the body of a function here."""
        block = self.functions[name].regions[0].blocks[0]
        return [
            item.value() for item in self._block(block, list(map(Item, operands)), {})
        ]


def _key(part):
    if isinstance(part, Item):
        known = part.known
        return known.dtype.str, known.shape, known.tobytes()
    return part


def _without_marks(attributes):
    """The attributes of an argument, without those that only mark numbers."""
    return ir.DictAttr.get(
        {
            named.name: named.attr
            for named in ir.DictAttr(attributes)
            if named.name != "jax.global_constant"
        }
    )


def _is_static(kind):
    return (
        not ir.RankedTensorType.isinstance(kind)
        or ir.RankedTensorType(kind).has_static_shape
    )


def _shape(kind):
    if not ir.RankedTensorType.isinstance(kind):
        return []
    return list(ir.RankedTensorType(kind).shape)


def _with_shape(kind, shape):
    return ir.RankedTensorType.get(shape, ir.RankedTensorType(kind).element_type)


def _unknown(what):
    return errors.value_error(
        f"Error refining shapes: {what} from the shapes of the arguments.",
        [],
        "All sizes of a program must follow from those of its arguments.",
    )
