"""Whatever text or bytecode Python hands to MLIR's readers, the process survives."""

import io
import random

import pytest

from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo  # noqa: F401 - its operations have classes

MANY = 100_000
PROGRAM = """
#start = loc("start.py":3:4)
#inside = loc("inside"(#start))
module @program attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%x: tensor<4x?xf32, #stablehlo.bounds<?, 8>> {jax.donor = true},
                         %y: tensor<4xi32>) -> (tensor<4xi32> {jax.result_info = "a\\22"}) {
    %c = stablehlo.constant dense<[1, -2, 3, 4]> : tensor<4xi32> loc(#inside)
    %0:2 = stablehlo.while(%a = %c, %b = %y) : tensor<4xi32>, tensor<4xi32>
      cond {
        %t = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %s = stablehlo.add %a, %b : tensor<4xi32> loc(callsite("f" at #inside))
        stablehlo.return %s, %b : tensor<4xi32>, tensor<4xi32>
      }
    %1 = "stablehlo.gather"(%0#0, %y) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
      : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %2 = stablehlo.custom_call @f(%1) {backend_config = {a = [1.5, "b", tuple<i1, complex<f32>>, unit]},
      layout = affine_map<(d0, d1)[s0] -> (d0 * 2 + d1 floordiv s0)>} : (tensor<4xi32>) -> tensor<4xi32>
    return %2 : tensor<4xi32>
  }
}
"""


def chain(sigil, first, step):
    lines = [f"{sigil}a0 = {first}"]
    lines += [f"{sigil}a{n} = {step(f'{sigil}a{n - 1}')}" for n in range(1, MANY)]
    return "\n".join([*lines, f"module attributes {{a.b = {sigil}a{MANY - 1}}} {{}}"])


DEEP = {
    "regions": (ir.Module.parse, "module {" * MANY + "}" * MANY),
    "regions of an operation": (ir.Operation.parse, "module {" * MANY + "}" * MANY),
    "attributes": (ir.Attribute.parse, "[" * MANY + "]" * MANY),
    "dictionaries": (ir.Attribute.parse, "{a = " * MANY + "1" + "}" * MANY),
    "types": (ir.Type.parse, "tuple<" * MANY + ">" * MANY),
    "negations": (ir.Attribute.parse, f"affine_map<(d) -> ({'-' * MANY}d)>"),
    "sums": (ir.Attribute.parse, f"affine_map<(d) -> ({'d + ' * MANY}d)>"),
    "remainders": (ir.Attribute.parse, f"affine_map<(d) -> (d{' mod 2' * MANY})>"),
    "signs that close nothing": (
        ir.Attribute.parse,
        "[affine_set<(d): (d >= 0, d >= 0)>, " * MANY + "1" + "]" * MANY,
    ),
    "aliases": (ir.Module.parse, chain("#", "1", "[{}]".format)),
    "aliases of types": (ir.Module.parse, chain("!", "i1", "tuple<{}>".format)),
    "aliases of locations": (
        ir.Module.parse,
        chain("#", 'loc("a")', 'loc("b"({}))'.format),
    ),
}


@pytest.mark.parametrize("name", DEEP)
def test_what_nests_too_deeply_is_refused(name):
    parse, text = DEEP[name]
    with ir.Context(), pytest.raises(ir.MLIRError, match="within each other"):
        parse(text)


def test_pipelines_that_nest_too_deeply_are_refused():
    deep = "builtin.module(" * MANY + ")" * MANY
    with ir.Context(), pytest.raises(ValueError, match="within each other"):
        passmanager.PassManager.parse(deep)
    with ir.Context(), pytest.raises(ValueError, match="within each other"):
        passmanager.PassManager().add(deep)


def bytecode_of(module) -> bytes:
    stream = io.BytesIO()
    module.operation.write_bytecode(stream)
    return stream.getvalue()


def test_nesting_within_the_limits_is_read_printed_and_written():
    with ir.Context():
        for text in (
            "[" * 4000 + "]" * 4000,
            "affine_map<(d0) -> (-(" + "d0+" * 2000 + "1))>",
        ):
            assert str(ir.Attribute.parse(text))
        module = ir.Module.parse("module {" * 511 + "}" * 511)
        assert str(ir.Module.parse(bytecode_of(module))) == str(module)


def test_bytecode_whose_attributes_nest_too_deeply_is_refused():
    with ir.Context(), ir.Location.unknown():
        deep = ir.ArrayAttr.get([])
        for _ in range(5000):
            deep = ir.ArrayAttr.get([deep])
        module = ir.Module.create()
        module.operation.attributes["a.b"] = deep
        with pytest.raises(ir.MLIRError, match="table of attributes"):
            ir.Module.parse(bytecode_of(module))


NUMBERS = [
    "i1",
    "i4",
    "i7",
    "ui8",
    "si16",
    "i32",
    "i64",
    "i128",
    "index",
    "f16",
    "bf16",
    "f32",
    "f64",
    "f80",
    "f128",
]
NUMBERS += ["tf32", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f6E2M3FN", "f8E8M0FNU"]


@pytest.mark.parametrize("number", [*NUMBERS, "complex<f32>", "complex<i7>"])
def test_arrays_of_all_numbers_pass_through_bytecode(number):
    values = ["true", "false"] if number == "i1" else ["1", "2"]
    if "f" in number:
        values = ["1.0", "2.0"]
    if number.startswith("complex"):
        values = [f"({value}, {value})" for value in values]
    one, two = values
    for text in (
        f"dense<{one}> : tensor<9x{number}>",
        f"dense<[{one}, {two}]> : tensor<2x{number}>",
        f"dense<[[{one}], [{two}]]> : tensor<2x1x{number}, #stablehlo.bounds<?, ?>>",
        f"dense<> : tensor<0x{number}>",
    ):
        with ir.Context():
            module = ir.Module.parse(f"module attributes {{a.b = {text}}} {{}}")
            assert str(ir.Module.parse(bytecode_of(module))) == str(module)


@pytest.mark.parametrize(
    "text",
    [
        *(f"array<{number}: 1, 2>" for number in ("i8", "i16", "i32", "i64")),
        *("array<i64>", "array<i1: true, false>", "array<f32: 1.0>"),
        'dense<["a", "b"]> : tensor<2x!foo.bar>',
        'dense<"a"> : tensor<9x!foo.bar>',
        "sparse<[0], [1]> : tensor<3xi32>",
        "dense<1.0> : vector<3xf32>",
        "tuple<tensor<*xf32>, memref<2xf32>, memref<2xf32, 3>, memref<*xi1>, memref<*xi1, 3>>",
        "tuple<vector<2xf32>, vector<[2]x3xf32>, none, () -> tuple<>, complex<i7>>",
        *(
            "distinct[0]<1>",
            "2 : i7",
            "3 : index",
            "1.5 : f16",
            "1.5 : f8E5M2",
            "1.5 : f80",
        ),
        *(
            "1.5 : tf32",
            "-3 : si4",
            "true",
            "[1.0, 1 : ui64]",
            "7 : i128",
            "-1 : i200",
            "1.5 : f128",
        ),
    ],
)
def test_attributes_pass_through_bytecode(text):
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(f"module attributes {{a.b = {text}}} {{}}")
        assert str(ir.Module.parse(bytecode_of(module))) == str(module)


def test_operations_may_use_an_alias_any_number_of_times():
    uses = '"a.b"() {c = #a} : () -> ()\n' * 10_000
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse("#b = [1]\n#a = [#b]\n" + uses)
        assert len(list(module.body.operations)) == 10_000


def varied(data: bytes, numbers: random.Random) -> bytes:
    """`data` with a few indices changed, removed, repeated or exchanged."""
    damaged = bytearray(data)
    for _ in range(numbers.randint(1, 4)):
        at, other = (numbers.randrange(len(damaged)) for _ in range(2))
        size = numbers.choice((1, 1, 2, 8, 40))
        match numbers.randrange(4):
            case 0:
                damaged[at] = numbers.choice((0, 1, 0x7F, 0xFF, numbers.randrange(256)))
            case 1 if len(damaged) > 100:
                del damaged[at : at + size]
            case 2:
                damaged[at:at] = damaged[other : other + size]
            case _:
                damaged[at : at + size] = damaged[other : other + size]
    return bytes(damaged)


def read_and_use(source) -> bool:
    """Whether the source is a module; if so it is printed, verified and written."""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    try:
        module = ir.Module.parse(source, context)
    except (ir.MLIRError, UnicodeDecodeError):
        return False
    assert str(module)
    try:
        module.operation.verify()
    except ir.MLIRError:
        return False
    return bool(bytecode_of(module))


@pytest.mark.parametrize("sort", ["text", "bytecode"])
def test_damaged_programs_are_read_or_refused(sort):
    with ir.Context():
        whole = PROGRAM.encode()
        if sort == "bytecode":
            whole = bytecode_of(ir.Module.parse(PROGRAM))
    assert read_and_use(whole)
    numbers = random.Random(7)
    fine = sum(read_and_use(varied(whole, numbers)) for _ in range(400))
    assert 0 < fine < 400


@pytest.mark.parametrize(
    "text",
    [
        "[dense<[1, 2]> : tensor<2xi32>, complex<f32>]",
        '[array<i32: 1, 2>, distinct[0]<1>, dense<"a"> : tensor<2x!a.b>]',
        "[vector<[2]xf32>, tensor<*xi1>, dense<1.0> : tensor<3xf8E4M3FN>]",
    ],
)
def test_every_changed_byte_is_read_or_refused(text):
    """References to the wrong entries, sizes that do not fit, entries made of themselves."""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(f"module attributes {{a.b = {text}}} {{}}")
        whole = bytecode_of(module)
    for at in range(len(whole)):
        for value in (0, *range(1, 48, 2), 0x7F, 0xFF):
            read_and_use(whole[:at] + bytes([value]) + whole[at + 1 :])
