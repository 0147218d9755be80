"""StableHLO modules as HLO modules.

HLO has computations where StableHLO has regions and functions, tuples where operations
have several results, and broadcasts that only add axes.
"""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src.base import errors
from jax._src.interpreters.hlo import fields, literals, locations, shardings
from jax._src.interpreters.hlo.messages import Message

_RETURNS = ("func.return", "stablehlo.return", "sdy.return")


def module_of(module: Any, *, has_locations: bool) -> Message:
    """The `HloModuleProto` of a StableHLO module.

    Args:
        module: a verified StableHLO module with a function ``main``.
        has_locations: whether instructions name the source lines of operations.

    Raises:
        NotImplementedError: HLO has no form of one of its operations.
    """
    return _Module(module, has_locations).message()


class _Module:
    """Collects the computations of one module; those that are called come first."""

    def __init__(self, module, has_locations):
        self.module = module.operation
        self.has_locations = has_locations
        self.functions: dict[str, Any] = {}
        self.meshes: dict[str, Any] = {}
        for op in self.module.regions[0].blocks[0].operations:
            if op.operation.name == "func.func":
                name = op.operation.attributes["sym_name"].value
                self.functions[name] = op.operation
            elif op.operation.name == "sdy.mesh":
                name = op.operation.attributes["sym_name"].value
                self.meshes[name] = op.operation.attributes["mesh"]
        self.done: dict[str, int] = {}
        self.captures: dict[Any, list[Any]] = {}
        self.computations: list[Message] = []
        self.counts: dict[str, int] = {}
        self.last_id = 0
        self.frames = locations.FrameTable()

    def fresh(self, base: str) -> str:
        """A name that nothing else bears."""
        count = self.counts[base] = self.counts.get(base, 0) + 1
        return f"{base}.{count}"

    def next_id(self) -> int:
        """A number that nothing else bears."""
        self.last_id += 1
        return self.last_id

    def message(self) -> Message:
        """The whole module."""
        entry = self.function("main")
        main = self.computations[-1]
        attributes = self.module.attributes
        name = attributes["sym_name"].value if "sym_name" in attributes else "module"
        found: Message = {
            "name": name,
            "entry_computation_name": main["name"],
            "computations": self.computations,
            "host_program_shape": main["program_shape"],
            "id": 0,
            "entry_computation_id": entry,
        }
        aliases = self.aliases()
        if aliases:
            found["input_output_alias"] = {"entries": aliases}
        if self.frames.has_frames:
            found["stack_frame_index"] = self.frames.message()
        return found

    def aliases(self) -> list[Message]:
        """The results that take over the memory of arguments."""
        main = self.functions["main"]
        if "arg_attrs" not in main.attributes:
            return []
        is_tuple = len(main.regions[0].blocks[0].operations[-1].operands) != 1
        found = []
        for number, attributes in enumerate(main.attributes["arg_attrs"]):
            if "tf.aliasing_output" in attributes:
                output = int(attributes["tf.aliasing_output"].value)
                index = [output] if is_tuple else []
                # HLO counts kinds from 1: a result that may share memory.
                entry = {"output_shape_index": index, "parameter_number": number}
                found.append({**entry, "kind": 1})
        return sorted(found, key=lambda entry: entry["output_shape_index"])

    def function(self, name: str) -> int:
        """The computation of a function, made at its first use."""
        if name not in self.done:
            op = self.functions[name]
            block = op.regions[0].blocks[0]
            body = _Computation(self)
            given = op.attributes["arg_attrs"] if "arg_attrs" in op.attributes else None
            for number, argument in enumerate(block.arguments):
                said = given[number] if given is not None else {}
                body.parameter(argument, number, self.annotations(said))
            body.block(block)
            if name == "main" and "res_attrs" in op.attributes:
                body.say_of_results(op.attributes["res_attrs"])
            self.done[name] = body.finish(name)
        return self.done[name]

    def annotations(self, attributes: Any) -> Message:
        """The sharding and the user's annotations among an operation's attributes."""
        found: Message = {}
        if "mhlo.sharding" in attributes:
            text = attributes["mhlo.sharding"].value
            found["sharding"] = shardings.bytes_of_text(text)
        elif "sdy.sharding" in attributes:
            data = shardings.bytes_of_attribute(attributes["sdy.sharding"], self.meshes)
            if data is not None:
                found["sharding"] = data
        if "mhlo.frontend_attributes" in attributes:
            listed = attributes["mhlo.frontend_attributes"]
            entries = [
                {"key": a.name, "value": getattr(a.attr, "value", str(a.attr))}
                for a in listed
            ]
            found["frontend_attributes"] = {"map": entries}
        return found

    def region(self, region: Any) -> int:
        """The computation of a region that uses its own arguments only."""
        (block,) = region.blocks
        body = _Computation(self)
        for number, argument in enumerate(block.arguments):
            body.parameter(argument, number)
        for value in _captures([region], self.captures):
            body.constant_from_outside(value)
        body.block(block)
        return body.finish("region")

    def region_with_captures(
        self, region: Any, captures: Sequence[Any], *, is_tuple: bool, returned: int = 0
    ) -> int:
        """The computation of a region whose arguments and captures are parameters.

        Args:
            region: of one block.
            captures: values from outside.
            is_tuple: whether arguments and captures come as one tuple, and results leave so.
            returned: how many captures it returns after its results.
        """
        (block,) = region.blocks
        values = [*block.arguments, *captures]
        body = _Computation(self)
        if is_tuple:
            body.tuple_parameter(values)
        else:
            for number, value in enumerate(values):
                body.parameter(value, number)
        body.block(block, captures[:returned], is_tuple=is_tuple and bool(returned))
        return body.finish("region")


class _Computation:
    """The instructions of one computation."""

    def __init__(self, module: _Module):
        self.module = module
        self.instructions: list[Message] = []
        self.values: dict[Any, int] = {}
        self.parameters: list[Message] = []
        self.root: Message = {}
        self.location = None

    def finish(self, name: str) -> int:
        """Adds the computation to the module; returns its number."""
        # What is returned may stand before what is not used.
        self.root = next(i for i in self.instructions if i["id"] == self.root["id"])
        number = self.module.next_id()
        shape = {
            "parameters": [p["shape"] for p in self.parameters],
            "parameter_names": [p["name"] for p in self.parameters],
            "result": self.root["shape"],
        }
        self.module.computations.append(
            {
                "name": self.module.fresh(name),
                "instructions": self.instructions,
                "program_shape": shape,
                "id": number,
                "root_id": self.root["id"],
            }
        )
        return number

    def add(
        self,
        opcode: str,
        shape: Message,
        operands: Sequence[int] = (),
        more: Message | None = None,
    ) -> int:
        """Adds an instruction; returns its number."""
        instruction: Message = {
            "name": self.module.fresh(opcode),
            "opcode": opcode,
            "shape": shape,
            **(more or {}),
            "id": self.module.next_id(),
            "operand_ids": list(operands),
        }
        if self.location is not None:
            metadata = self.module.frames.metadata(self.location)
            if metadata:
                instruction["metadata"] = metadata
        self.instructions.append(instruction)
        self.root = instruction
        return instruction["id"]

    def parameter(self, value: Any, number: int, more: Message | None = None) -> None:
        """Adds a parameter."""
        found = {"parameter_number": number, **(more or {})}
        self.values[value] = self.add("parameter", _shape(value.type), (), found)
        self.parameters.append(self.root)

    def tuple_parameter(self, values: Sequence[Any]) -> None:
        """Adds one parameter whose elements are these values."""
        shape = literals.tuple_shape(_shape(v.type) for v in values)
        whole = self.add("parameter", shape, (), {"parameter_number": 0})
        self.parameters.append(self.root)
        self.take_apart(whole, values)

    def take_apart(self, whole: int, values: Sequence[Any]) -> None:
        """Adds an instruction for each element of a tuple."""
        for index, value in enumerate(values):
            self.values[value] = self.add(
                "get-tuple-element", _shape(value.type), [whole], {"tuple_index": index}
            )

    def constant_from_outside(self, value: Any) -> None:
        """Repeats a constant of the surrounding computation."""
        op = value.owner
        if getattr(op, "name", "") != "stablehlo.constant":
            raise _no_form("a value from outside of a reduction's or sort's function")
        self.operation(op.operation)

    def block(
        self, block: Any, more: Sequence[Any] = (), is_tuple: bool = False
    ) -> None:
        """Adds a block's operations, and its results as the root."""
        for op in block.operations:
            if op.operation.name in _RETURNS:
                results = [*op.operation.operands, *more]
                self.end(results, is_tuple or len(results) != 1)
            else:
                self.operation(op.operation)

    def end(self, values: Sequence[Any], is_tuple: bool) -> None:
        """Makes the results, or a tuple of them, the root."""
        self.location = None
        numbers = [self.values[v] for v in values]
        if is_tuple:
            shape = literals.tuple_shape(_shape(v.type) for v in values)
            self.add("tuple", shape, numbers)
        else:
            (number,) = numbers
            self.root = next(
                i for i in reversed(self.instructions) if i["id"] == number
            )

    def say_of_results(self, attributes: Any) -> None:
        """Adds the shardings of a program's results to its root."""
        found = [self.module.annotations(said).get("sharding") for said in attributes]
        if any(data is not None for data in found):
            self.root["sharding"] = shardings.of_results(found)

    def operation(self, op: Any) -> None:
        """Adds the instructions of one operation."""
        self.location = op.location if self.module.has_locations else None
        dialect, _, name = op.name.partition(".")
        special = _SPECIAL.get(op.name)
        if special is not None:
            special(self, op)
            return
        operands = [self.values[v] for v in op.operands]
        if name in fields.OPCODES and dialect in ("stablehlo", "chlo"):
            opcode, fields_of = fields.OPCODES[name]
            called = [self.module.region(region) for region in op.regions]
            more = fields_of(op)
            if called:
                more["called_computation_ids"] = called
            self.results(op, opcode, operands, more)
        elif dialect == "chlo":
            # One instruction stands for the formula that a compiler inserts.
            more = {"custom_call_target": op.name, "custom_call_api_version": 1}
            self.results(op, "custom-call", operands, more)
        else:
            raise _no_form(op.name)

    def results(
        self, op: Any, opcode: str, operands: Sequence[int], more: Message
    ) -> None:
        """Adds an instruction for an operation, which makes a tuple of several results."""
        values = list(op.results)
        shapes = [_shape(v.type) for v in values]
        shape = shapes[0] if len(shapes) == 1 else literals.tuple_shape(shapes)
        annotations = self.module.annotations(op.attributes)
        number = self.add(opcode, shape, operands, {**more, **annotations})
        if len(values) == 1:
            self.values[values[0]] = number
        else:
            self.take_apart(number, values)


def _shape(mlir_type):
    text = str(mlir_type)
    if text == "!stablehlo.token":
        return literals.array_shape("token", ())
    if not text.startswith("tensor<"):
        raise _no_form(f"a value of type {text}")
    sizes = [int(n) for n in mlir_type.shape]
    if any(n < 0 for n in sizes):
        raise _no_form(f"a value of unknown size, {text}")
    return literals.array_shape(fields.element_name(mlir_type.element_type), sizes)


def _no_form(what):
    return errors.not_implemented(
        "A program has no form in HLO text.",
        [("operation", what)],
        "lowered.as_text() shows every program, in StableHLO.",
    )


def _captures(regions, known):
    """The values that regions use and do not define, in order of use.

    `known` holds what was found of regions before: each is gone through once, whatever
    the depth of nesting.
    """
    found: dict[Any, None] = {}
    for region in regions:
        if region not in known:
            known[region] = _captures_of(region, known)
        found.update(dict.fromkeys(known[region]))
    return list(found)


def _captures_of(region, known):
    used: dict[Any, None] = {}
    defined: set[Any] = set()
    for block in region.blocks:
        defined.update(block.arguments)
        for op in block.operations:
            values = [*op.operation.operands, *_captures(op.operation.regions, known)]
            used.update(dict.fromkeys(v for v in values if v not in defined))
            defined.update(op.operation.results)
    return list(used)


def _constant(body, op):
    (value,) = op.results
    element = value.type.element_type
    values = fields.values_of(op.attributes["value"], element)
    name = fields.element_name(element)
    if values.ndim and op.attributes["value"].is_splat and values.size > 1:
        scalar = values.reshape(-1)[:1].reshape(())
        literal = literals.literal_of(scalar, name)
        one = body.add("constant", literal["shape"], (), {"literal": literal})
        number = body.add("broadcast", _shape(value.type), [one], {"dimensions": []})
    else:
        literal = literals.literal_of(values, name)
        number = body.add("constant", literal["shape"], (), {"literal": literal})
    body.values[value] = number


def _broadcast(body, op):
    """A reshape that drops axes of one element, and a broadcast that adds axes."""
    (operand,), (result,) = op.operands, op.results
    number = body.values[operand]
    before, after = list(operand.type.shape), list(result.type.shape)
    element = fields.element_name(operand.type.element_type)
    dims = fields.numbers(op.attributes["broadcast_dimensions"])
    stretched = [i for i, d in enumerate(dims) if before[i] == after[d]]
    if len(stretched) < len(dims):
        sizes = [before[i] for i in stretched]
        number = body.add("reshape", literals.array_shape(element, sizes), [number])
    shape = _shape(result.type)
    annotations = body.module.annotations(op.attributes)
    if sorted(n for n in before if n != 1) == sorted(n for n in after if n != 1):
        more = [d for d in dims if after[d] != 1]
        if more == sorted(more):
            body.values[result] = body.add("reshape", shape, [number], annotations)
            return
    more = {"dimensions": [dims[i] for i in stretched], **annotations}
    body.values[result] = body.add("broadcast", shape, [number], more)


def _call(body, op):
    called = body.module.function(op.attributes["callee"].value)
    operands = [body.values[v] for v in op.operands]
    body.results(op, "call", operands, {"called_computation_ids": [called]})


def _composite(body, op):
    called = body.module.function(op.attributes["decomposition"].value)
    operands = [body.values[v] for v in op.operands]
    attributes = op.attributes
    said = (
        attributes["composite_attributes"]
        if "composite_attributes" in attributes
        else "{}"
    )
    version = attributes["version"].value if "version" in attributes else 0
    entries = [
        {"key": "composite.attributes", "value": str(said)},
        {"key": "composite.name", "value": attributes["name"].value},
        {"key": "composite.version", "value": str(version)},
    ]
    more = {
        "called_computation_ids": [called],
        "is_composite": True,
        "frontend_attributes": {"map": entries},
    }
    body.results(op, "call", operands, more)


def _optimization_barrier(body, op):
    """A barrier, which takes one value: a tuple where there are several."""
    operands = [body.values[v] for v in op.operands]
    if len(operands) > 1:
        shape = literals.tuple_shape(_shape(v.type) for v in op.operands)
        operands = [body.add("tuple", shape, operands)]
    body.results(op, "opt-barrier", operands, {})


def _while(body, op):
    captures = _captures(op.regions, body.module.captures)
    carried = [*op.operands, *captures]
    shape = literals.tuple_shape(_shape(v.type) for v in carried)
    start = body.add("tuple", shape, [body.values[v] for v in carried])
    condition = body.module.region_with_captures(op.regions[0], captures, is_tuple=True)
    step = body.module.region_with_captures(
        op.regions[1], captures, is_tuple=True, returned=len(captures)
    )
    more = {"called_computation_ids": [step, condition]}
    more |= body.module.annotations(op.attributes)
    whole = body.add("while", shape, [start], more)
    body.take_apart(whole, list(op.results))


def _case(body, op):
    operands, called = [body.values[op.operands[0]]], []
    for region in op.regions:
        captures = _captures([region], body.module.captures)
        is_tuple = len(captures) != 1
        if is_tuple:
            shape = literals.tuple_shape(_shape(v.type) for v in captures)
            given = body.add("tuple", shape, [body.values[v] for v in captures])
        else:
            given = body.values[captures[0]]
        operands.append(given)
        called.append(
            body.module.region_with_captures(region, captures, is_tuple=is_tuple)
        )
    body.results(op, "conditional", operands, {"called_computation_ids": called})


def _all_to_all(body, op):
    """An all-to-all, whose parts HLO leaves along the dimension that is split."""
    more = fields.all_to_all(op)
    split = fields.numbers(more["dimensions"])[0]
    joined = int(op.attributes["concat_dimension"].value)
    for operand, result in zip(op.operands, op.results, strict=True):
        element = fields.element_name(result.type.element_type)
        number = body.add(
            "all-to-all", _shape(operand.type), [body.values[operand]], more
        )
        if split != joined:
            count = int(op.attributes["split_count"].value)
            sizes = [int(n) for n in operand.type.shape]
            sizes[split : split + 1] = [count, sizes[split] // count]
            number = body.add("reshape", literals.array_shape(element, sizes), [number])
            order = [d for d in range(len(sizes)) if d != split]
            # In front of the dimension that grows.
            order.insert(joined, split)
            turned = literals.array_shape(element, [sizes[d] for d in order])
            number = body.add("transpose", turned, [number], {"dimensions": order})
            number = body.add("reshape", _shape(result.type), [number])
        body.values[result] = number


def _manual_computation(body, op):
    """A part that each device computes on its own, between changes of shape."""
    captures = _captures(op.regions, body.module.captures)
    if captures:
        raise _no_form("sdy.manual_computation that uses values from outside")
    axes = str(op.attributes["manual_axes"])
    ins, outs = (str(op.attributes[n]) for n in ("in_shardings", "out_shardings"))
    (block,) = op.regions[0].blocks
    inner = []
    for operand, argument in zip(op.operands, block.arguments, strict=True):
        call = _changed_shape("GlobalToLocalShape", "in_shardings", ins, axes)
        shape = _shape(argument.type)
        inner.append(body.add("custom-call", shape, [body.values[operand]], call))
    called = body.module.region_with_captures(op.regions[0], (), is_tuple=False)
    returned = [_shape(v.type) for v in block.operations[-1].operands]
    shape = returned[0] if len(returned) == 1 else literals.tuple_shape(returned)
    local = body.add("call", shape, inner, {"called_computation_ids": [called]})
    for index, (result, part) in enumerate(zip(op.results, returned, strict=True)):
        number = local
        if len(returned) != 1:
            number = body.add(
                "get-tuple-element", part, [local], {"tuple_index": index}
            )
        call = _changed_shape("LocalToGlobalShape", "out_shardings", outs, axes)
        body.values[result] = body.add(
            "custom-call", _shape(result.type), [number], call
        )


def _changed_shape(target, field, shardings_text, axes):
    entries = [
        {"key": f"xla.sdy.{field}", "value": shardings_text},
        {"key": "xla.sdy.manual_axes", "value": axes},
    ]
    return {
        "custom_call_target": f"xla.sdy.{target}",
        "custom_call_has_side_effect": True,
        "custom_call_api_version": 1,
        "frontend_attributes": {"map": entries},
    }


def _sharding_constraint(body, op):
    (operand,), (result,) = op.operands, op.results
    more: Message = {"custom_call_target": "Sharding", "custom_call_api_version": 1}
    data = shardings.bytes_of_attribute(op.attributes["sharding"], body.module.meshes)
    if data is not None:
        more["sharding"] = data
    number = body.add("custom-call", _shape(result.type), [body.values[operand]], more)
    body.values[result] = number


def _same_values(body, op):
    """An operation that only speaks of shardings: its results are its operands."""
    for operand, result in zip(op.operands, op.results, strict=False):
        body.values[result] = body.values[operand]


_SPECIAL: dict[str, Callable[[_Computation, Any], None]] = {
    "func.call": _call,
    "sdy.manual_computation": _manual_computation,
    "sdy.mesh": lambda body, op: None,
    "sdy.propagation_barrier": _same_values,
    "sdy.reshard": _sharding_constraint,
    "sdy.sharding_constraint": _sharding_constraint,
    "sdy.sharding_group": lambda body, op: None,
    "stablehlo.all_to_all": _all_to_all,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.case": _case,
    "stablehlo.composite": _composite,
    "stablehlo.constant": _constant,
    "stablehlo.if": _case,
    "stablehlo.optimization_barrier": _optimization_barrier,
    "stablehlo.while": _while,
}
