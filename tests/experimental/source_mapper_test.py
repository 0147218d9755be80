"""Lines of programs know the user's lines that they come from."""

import json
import os

import pytest

import jax.numpy as jnp
from jax.experimental import source_mapper as sm
from jax.experimental.source_mapper import common, hlo, mlir


def f(x):
    y = jnp.sin(x)
    return y + 1


LINE = f.__code__.co_firstlineno  # of `def`, from 1; of `y = …`, from 0 and one more


def dump_of(name, *args):
    (found,) = sm.generate_sourcemaps(f, sm.filter_passes(name))(*args)
    return found


def test_equations_know_their_lines():
    dump = dump_of("jaxpr", 1.0)
    assert dump.source_map.sources == [__file__] and dump.pass_name == "jaxpr"
    ((first, second),) = dump.source_map.mappings
    assert first[1:3] == (0, LINE) and second[1:3] == (0, 1)
    text = dump.generated_code
    assert text[first[0] :].startswith("b:f32[] = sin a")
    assert text[first[0] + second[0] :].startswith("c:f32[] = add b")


def test_operations_know_their_lines():
    dump = dump_of("hlo:stable-hlo", 1.0)
    lines = dump.generated_code.split("\n")
    pairs = zip(lines, dump.source_map.mappings, strict=True)
    mapped = [(line.split()[2], segments[0][2]) for line, segments in pairs if segments]
    assert mapped[0] == ("stablehlo.sine", LINE)
    assert ("stablehlo.add", 0) in mapped or ("stablehlo.add", 1) in mapped
    assert dump.source_map.sources == [__file__]


@pytest.mark.parametrize("name", ["hlo:original", "hlo:optimized"])
def test_texts_of_compilers_have_a_map(name):
    dump = dump_of(name, 1.0)
    assert len(dump.source_map.mappings) == len(dump.generated_code.split("\n"))
    assert "sine" in dump.generated_code


HLO = """HloModule m

FileNames
1 "/a.py"
2 "/b.py"

FileLocations
1 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=6}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY main {
  x = f32[] sine(y), metadata={op_name="sin" stack_frame_id=1}
  z = f32[] add(x, x), metadata={op_name="add" source_file="/a.py" source_line=3}
}"""


def test_locations_in_hlo_are_read():
    found = hlo.parse_hlo_dump(HLO)
    assert found.sources == ["/b.py", "/a.py"]
    assert [m for m in found.mappings if m] == [[(2, 0, 6, 0)], [(2, 1, -4, 0)]]


def test_locations_in_mlir_lead_to_files():
    text = (
        'a loc(#loc3)\nb loc(#loc9)\n#loc1 = loc("x.py":3:5)\n'
        '#loc2 = loc("name"(#loc1))\n#loc3 = loc(callsite(#loc2 at #loc1))'
    )
    assert mlir.parse_mlir_locations(text)["loc1"] == mlir.Location("x.py", 3, 5)
    found = sm.create_mlir_sourcemap(text)
    assert found.sources == ["x.py"] and found.mappings[:2] == [[(0, 0, 2, 5)], []]


def test_maps_outlive_json():
    generator = sm.MappingsGenerator()
    with pytest.raises(ValueError, match="new_group"):
        generator.new_segment(0)
    for segments in ([(1, 0, 2, 3), (17, 0, 1000, 0)], [], [(5, 1, 0, 4)]):
        generator.new_group()
        for segment in segments:
            generator.new_segment(*segment)
    made = sm.SourceMap(3, ["a", "b"], [], [], generator.mappings())
    assert made.mappings[0][1] == (16, 0, 998, -3)
    assert sm.SourceMap.from_json(made.to_json()) == made
    assert json.loads(made.to_json())["mappings"].count(";") == 2
    with pytest.raises(ValueError, match="another version"):
        sm.SourceMap.from_json('{"version": 2}')
    with pytest.raises(ValueError, match="no digit"):
        sm.SourceMap.from_json(made.to_json().replace('mappings": "', 'mappings": "!'))


def test_a_pass_is_registered_once():
    with pytest.raises(ValueError, match="pass of the name 'jaxpr'"):
        sm.register_pass(sm.all_passes()[0])


def test_variables_of_the_environment_are_put_back():
    with common.flag_env(SOURCE_MAPPER_TEST=1):
        assert os.environ["SOURCE_MAPPER_TEST"] == "1"
    assert "SOURCE_MAPPER_TEST" not in os.environ
    compiled = sm.compile_with_env(f, (1.0,), {}, {"SOURCE_MAPPER_TEST": "1"}, None)
    assert compiled(1.0) == f(1.0)
