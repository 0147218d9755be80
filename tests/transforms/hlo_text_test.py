"""Programs in the text form of HLO: well formed for every primitive, and what it says."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.interpreters import mlir
from jax._src.interpreters.hlo import literals, messages, programs
from jax._src.lib.mlir import ir
from jax.experimental.xla_metadata import set_xla_metadata
from tests.testing import laws

_NAMES = {
    np.dtype(dtype): name
    for name, dtype in {
        "pred": bool,
        "f16": np.float16,
        "bf16": jnp.bfloat16,
        "f32": np.float32,
        "f64": np.float64,
        "s32": np.int32,
        "u64": np.uint64,
        "s4": jnp.int4,
        "c64": np.complex64,
    }.items()
}

_LINE = re.compile(r"  (?:ROOT )?(\S+) = (\(.*?\)|\S+) ([a-z0-9-]+)\((.*?)\)(.*)")
_CALLED = re.compile(
    r"(?:to_apply|condition|body|select|scatter|\w+_computations?)=\{?([\w., ]+?)\}?(?:,|$)"
)


def _read(text):
    """The computations of a text: name -> [(name, shape, opcode, operands, rest)]."""
    head, *blocks = text.rstrip().split("\n\n")
    assert head.startswith("HloModule ")
    found = {}
    for block in blocks:
        first, *lines, last = block.split("\n")
        assert last == "}", block
        label = first.removeprefix("ENTRY ").removesuffix(" {")
        rows = []
        for line in lines:
            match = _LINE.fullmatch(line)
            assert match, line
            rows.append(match.groups())
        assert sum(line.startswith("  ROOT ") for line in lines) == 1, block
        for _, _, _, _, rest in rows:
            for names in _CALLED.findall(rest):
                for name in names.split(", "):
                    assert name in found, f"{name} is called before it is written"
        found[label] = rows
    assert first.startswith("ENTRY main")
    return found


def _check(text):
    for rows in _read(text).values():
        known = set()
        for name, shape, opcode, operands, _ in rows:
            assert shape.count("[") == shape.count("]")
            if opcode not in ("parameter", "constant"):
                for operand in filter(None, operands.split(", ")):
                    assert operand in known, f"{operand} is used before it is there"
            assert name not in known
            known.add(name)


def _opcodes(text):
    return [row[2] for rows in _read(text).values() for row in rows]


@pytest.mark.parametrize(("name", "number"), list(laws.cases()), ids=str)
def test_every_sample_is_well_formed(name, number):
    primitive, sample = laws.sample_of(name, number)
    lowered = jax.jit(laws.apply(primitive, sample)).lower(*sample.args)
    text = lowered.as_text("hlo")
    _check(text)
    operations = re.findall(r'= "?stablehlo\.(\w+)', lowered.as_text())
    assert ("dot_general" in operations) == ("dot" in _opcodes(text))


_MATRIX = jnp.ones((4, 6))
_IMAGE = jnp.ones((1, 8, 8, 3))

# What a program's text says: the instructions, without names.
_SAID = {
    "matmul": (
        lambda x: x @ x.T,
        (_MATRIX,),
        [
            "dot(parameter.1, transpose.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
        ],
    ),
    "slices": (
        lambda x: (x[1:3, ::2], jnp.pad(x, ((1, 2), (0, 1)))),
        (_MATRIX,),
        ["slice={[1:3], [0:5:2]}", "padding=1_2x0_1", "f32[7,7]{1,0} pad("],
    ),
    "sum": (
        lambda x: x.sum(0),
        (_MATRIX,),
        [
            "reduce(parameter.1, constant.1), dimensions={0}, to_apply=region.1",
            "f32[] add(",
        ],
    ),
    "gather": (
        lambda x: x[jnp.array([0, 2])],
        (_MATRIX,),
        [
            "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={1,6}"
        ],
    ),
    "while": (
        lambda x: lax.while_loop(
            lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x)
        ),
        (_MATRIX,),
        ["(s32[], f32[4,6]{1,0}) while(tuple.", "direction=LT", "body=region.2"],
    ),
    "cond": (
        lambda x: lax.cond(x[0, 0] > 0, lambda: x, lambda: -x),
        (_MATRIX,),
        [
            "conditional(convert.1, parameter.1, parameter.1), branch_computations={region.1, region.2}"
        ],
    ),
    "convolution": (
        lambda x: lax.conv_general_dilated(
            x,
            jnp.ones((3, 3, 3, 4)),
            (2, 1),
            "SAME",
            rhs_dilation=(1, 2),
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        ),
        (_IMAGE,),
        [
            "window={size=3x3 stride=2x1 pad=0_1x2_2 rhs_dilate=1x2}, dim_labels=b01f_01io->b01f"
        ],
    ),
    "pooling": (
        lambda x: lax.reduce_window(
            x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"
        ),
        (_IMAGE,),
        ["reduce-window(", "window={size=1x2x2x1 stride=1x2x2x1}", "constant(-inf)"],
    ),
    "constants": (
        lambda x: x + np.arange(6, dtype=np.float32) + np.full((4, 6), 2.5, np.float32),
        (_MATRIX,),
        ["constant({0, 1, 2, 3, 4, 5})", "f32[] constant(2.5)"],
    ),
    "types": (
        lambda x: (
            x > 0,
            x.astype(jnp.bfloat16),
            x.astype(jnp.uint8),
            lax.complex(x, x),
        ),
        (_MATRIX,),
        ["pred[4,6]{1,0} compare(", "bf16[4,6]{1,0} convert(", "u8[4,6]", "c64[4,6]"],
    ),
    "functions": (
        lambda x: jax.jit(jnp.sin)(x) + jax.jit(jnp.sin)(x),
        (_MATRIX,),
        ["call(parameter.1), to_apply=sin.1"],
    ),
}


@pytest.mark.parametrize("which", _SAID)
def test_what_it_says(which):
    fun, args, wanted = _SAID[which]
    text = jax.jit(fun).lower(*args).as_text("hlo")
    _check(text)
    for line in wanted:
        assert line in text, text


def test_the_object():
    def named(x):
        return x + 1

    found = jax.jit(named).lower(_MATRIX).compiler_ir("hlo")
    text = found.as_hlo_text()
    assert found.name() == "jit_named"
    assert text.startswith(
        "HloModule jit_named, entry_computation_layout="
        "{(f32[4,6]{1,0})->f32[4,6]{1,0}}\n\nENTRY main.1 {"
    )
    assert _opcodes(text) == ["parameter", "constant", "broadcast", "add"]


def test_large_constants_are_written_where_they_are_requested():
    values = np.arange(11, dtype=np.float32)
    lowered = jax.jit(lambda x: x + values).lower(values)
    assert "8, 9, 10})" in lowered.as_text("hlo")
    program = lowered.compiler_ir("hlo")
    assert "constant({...})" in program.as_hlo_text()
    assert program.as_hlo_text(print_large_constants=True) == lowered.as_text("hlo")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "0.1"),
        (np.float32(-0.00432430999), "-0.00432431"),
        (np.float32(1 / 3), "0.333333343"),
        (np.float64(0.1), "0.1"),
        (np.float16(0.1), "0.099976"),
        (jnp.bfloat16(0.6914), "0.6914"),
        (np.bool_(True), "true"),
        (np.array([True, False]), "{1, 0}"),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (np.array([[1, 2], [3, 4]], np.int32), "{ { 1, 2 }, { 3, 4 } }"),
        (np.complex64(1 - 2j), "(1, -2)"),
        (np.array([1, -8, 7], jnp.int4), "{1, -8, 7}"),
    ],
    ids=str,
)
def test_constants(value, text):
    assert literals.literal_text(np.asarray(value), True) == text
    literal = literals.literal_of(np.asarray(value), _NAMES[np.asarray(value).dtype])
    data = messages.encode("LiteralProto", literal)
    again = literals.values_of(messages.decode("LiteralProto", data))
    assert again.dtype == np.asarray(value).dtype
    np.testing.assert_array_equal(again, value)


def test_source_lines_are_written_where_they_are_requested():
    lowered = jax.jit(lambda x: jnp.sin(x) + 1).lower(_MATRIX)
    assert "metadata" not in lowered.as_text("hlo")
    text = lowered.as_text("hlo", debug_info=True)
    frame = re.search(
        r'sine\(.*\), metadata=\{op_name="jit\(.*\)/sin" stack_frame_id=(\d+)\}', text
    )
    assert frame and "FileNames" in text and "hlo_text_test.py" in text


def test_names_in_loops_that_end_by_batch_element():
    @jax.vmap
    def looped(x):
        with jax.named_scope("all"):
            return jax.lax.while_loop(
                jax.named_scope("ask")(lambda x: x < 5.0),
                jax.named_scope("go")(lambda x: x + 1.0),
                x,
            )

    text = jax.jit(looped).lower(jnp.arange(2.0)).as_text("hlo", debug_info=True)
    for name in ("cond/ask/lt", "body_pred/ask/lt", "body/go/add", "body/select_n"):
        assert f'op_name="jit(looped)/vmap(all)/while/{name}"' in text


def test_donated_arguments_are_aliases():
    def both(x, y):
        return x + 1, y * 2

    lowered = jax.jit(both, donate_argnums=(0, 1)).lower(_MATRIX, _IMAGE)
    alias = "input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }"
    assert alias in lowered.as_text("hlo")
    assert alias in lowered.compile().as_text()


def test_annotations_of_operations_are_attributes():
    def marked(x):
        with set_xla_metadata(a=1, b="two"):
            return jnp.sin(x)

    text = jax.jit(marked).lower(_MATRIX).as_text("hlo")
    assert re.search(r'sine\(.*\), frontend_attributes=\{a="1",b="two"\}', text)


def test_compiled_programs_are_hlo():
    compiled = jax.jit(lambda x: jnp.sort(x @ x.T, axis=0)).lower(_MATRIX).compile()
    text = compiled.as_text()
    assert re.search(r"ENTRY %main.\d+ \(\S+: f32\[4,6\]\) -> f32\[4,4\] \{", text)
    assert " dot(%" in text and "), dimensions={0}" in text


def test_programs_without_a_form_say_so():
    text = """
        module @m {
          func.func @main(%n: tensor<1xi32>) -> tensor<?xf32> {
            %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
            return %0 : tensor<?xf32>
          }
        }
    """
    with mlir.make_ir_context() as context:
        module = ir.Module.parse(text, context)
        with pytest.raises(NotImplementedError, match="no form"):
            programs.of_stablehlo(module)
