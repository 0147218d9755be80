"""Modules as portable artifacts, and modules copied into others."""

import pytest

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

CHLO = """
module @m {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @helper(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @helper(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = chlo.erf %x : tensor<2xf32> -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


@pytest.fixture
def module():
    with ir.Context() as context:
        yield ir.Module.parse(CHLO, context)


def written(module):
    return stablehlo.serialize_portable_artifact(module, "1.15.0")


def test_an_artifact_holds_the_module_without_chlo(module):
    before = str(module)
    data = written(module)
    assert str(module) == before
    assert data.startswith(b"ML\xefR\rStableHLO_v1.15.0\0")
    with ir.Context() as context:
        text = str(stablehlo.deserialize_portable_artifact(context, data))
    assert "call @helper" in text
    assert "chlo." not in text
    assert "vhlo." not in text


def test_wrong_versions_are_refused(module):
    with pytest.raises(ValueError, match="no version"):
        stablehlo.serialize_portable_artifact(module, "new")
    newer = written(module).replace(b"StableHLO_v1.15.0", b"StableHLO_v9.15.0")
    with pytest.raises(NotImplementedError, match="9.15.0"):
        stablehlo.deserialize_portable_artifact(module.context, newer)


def test_what_a_version_lacks_is_refused(module):
    text = CHLO.replace(
        "chlo.erf %x : tensor<2xf32> -> tensor<2xf32>",
        '"stablehlo.tan"(%x) : (tensor<2xf32>) -> tensor<2xf32>',
    )
    with pytest.raises(NotImplementedError, match="tan"):
        stablehlo.serialize_portable_artifact(
            ir.Module.parse(text, module.context), "1.3.0"
        )


def test_other_bytes_are_refused(module):
    with pytest.raises(ValueError, match="begin"):
        stablehlo.deserialize_portable_artifact(module.context, b"text")
    with pytest.raises(ir.MLIRError, match="cannot be read"):
        stablehlo.deserialize_portable_artifact(module.context, written(module)[:100])


def test_a_module_is_copied_under_free_names(module):
    other = ir.Module.parse(CHLO, module.context)
    assert stablehlo.include_module(module, other, "preferred")[0] == "preferred"
    names = stablehlo.include_module(module, other, "preferred")
    assert names[0] == "preferred_0"
    assert len(set(names)) == 2
    assert module.operation.verify()
    text = str(module)
    assert text.count("func.func public") == 1
    assert text.count("func.func private") == 5
    assert str(other).count("func.func") == 2


def test_modules_that_cannot_be_copied_are_refused(module):
    empty = ir.Module.parse("module {}", module.context)
    with pytest.raises(ValueError, match="main"):
        stablehlo.include_module(module, empty, "name")
    with ir.Context() as context, pytest.raises(ValueError, match="context"):
        stablehlo.include_module(module, ir.Module.parse(CHLO, context), "name")


CHOICE = """
module @m {
  func.func public @main(%number: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
    %0 = call @inner(%number, %x) : (tensor<i32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @inner(%number: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %rule = "stablehlo.case"(%number) ({
      stablehlo.return %one : tensor<i32>
    }, {
      stablehlo.return %zero : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %0 = "stablehlo.case"(%rule) ({
      %1 = func.call @first(%x) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      %1 = func.call @second(%x) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @first(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %x : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @second(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.cosine %x : tensor<f32>
    return %0 : tensor<f32>
  }
}
"""


@pytest.mark.parametrize(
    ("number", "taken"), [(0, "second"), (1, "first"), (7, "first")]
)
def test_a_platform_is_chosen(module, number, taken):
    both = ir.Module.parse(CHOICE, module.context)
    text = str(stablehlo.choose_platform(both, number))
    assert "stablehlo.case" not in text
    assert f"@{taken}(" in text
    assert text.count("func.func") == 3
    assert "@main(%arg0: tensor<f32>)" in text
    assert str(both).count("func.func") == 4


def test_an_argument_that_differs_stays(module):
    text = CHOICE.replace(
        "    return %0 : tensor<f32>\n  }\n  func.func private @inner",
        """    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = call @inner(%c, %0) : (tensor<i32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @inner""",
        1,
    )
    both = ir.Module.parse(text, module.context)
    assert str(stablehlo.choose_platform(both, 0)).count("stablehlo.case") == 2
    assert str(stablehlo.choose_platform(both, 1)).count("stablehlo.case") == 0


def test_a_module_without_platforms_has_none_to_choose(module):
    with pytest.raises(ValueError, match="no number"):
        stablehlo.choose_platform(module, 0)


def test_modules_that_are_not_valid_are_refused(module):
    def without_branches():
        broken = ir.Module.parse(CHOICE, module.context)
        block = broken.body.operations[0].regions[0].blocks[0]
        number = block.arguments[0]
        with (
            ir.Location.unknown(module.context),
            ir.InsertionPoint.at_block_begin(block),
        ):
            ir.Operation.create(
                "stablehlo.case", results=[number.type], operands=[number], regions=2
            )
        return broken

    for use in (
        lambda broken: stablehlo.choose_platform(broken, 0),
        lambda broken: stablehlo.include_module(module, broken, "name"),
        lambda broken: stablehlo.serialize_portable_artifact(broken, "1.15.0"),
    ):
        with pytest.raises(ir.MLIRError, match="not valid"):
            use(without_branches())
