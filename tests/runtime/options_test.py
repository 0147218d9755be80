"""Options that users set: their names, their flags, and what each changes."""

import contextlib
import os
import subprocess
import sys

import numpy as np
import pytest

import jax
import jax.export
import jax.numpy as jnp
from jax._src.base import accepted_options, config, options

# With upstream's 133 options, of which 110 are attributes of its object.
COUNT = 133


@contextlib.contextmanager
def setting(**values):
    old = {name: config.config.values[name] for name in values}
    try:
        for name, value in values.items():
            jax.config.update(name, value)
        yield
    finally:
        for name, value in old.items():
            jax.config.update(name, value)


def run(script, *arguments, **environment):
    answer = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    return answer.stdout.split()


def names():
    return [n for n in jax.config.values if not n.startswith("jax_context_")]


def test_all_options_are_there():
    assert len(names()) >= COUNT
    assert jax.config.jax_pgle_profiling_runs == 3
    assert jax.config.check_vma is False


@pytest.mark.parametrize("name", names())
def test_an_option_takes_its_own_value_and_says_what_it_is_for(name):
    option = config.config.option(name)
    assert option.help
    assert option.check(option.default) == option.default
    with option(option.default):
        assert jax.config.read(name) == option.default


def test_options_without_effect_say_why():
    assert accepted_options is not None
    reasons = [
        o.help for o in map(config.config.option, names()) if "no effect" in o.help
    ]
    assert len(reasons) > 50
    assert all(text.split("no effect: ")[1] for text in reasons)


def test_a_variable_sets_an_option():
    script = (
        "import jax; print(jax.config.jax_optimization_level, jax.config.jax_scan3)"
    )
    found = run(script, JAX_OPTIMIZATION_LEVEL="O1", JAX_SCAN3="yes")
    assert found == ["O1", "True"]


def test_the_command_line_sets_options_up_to_two_dashes():
    pytest.importorskip("absl")
    script = (
        "import jax; jax.config.parse_flags_with_absl(); c = jax.config; "
        "print(c.jax_enable_x64, c.jax_numpy_rank_promotion, c.jax_debug_nans, c.use_absl, "
        "c.jax_use_hlo_logistic_lowering)"
    )
    given = ["--jax_enable_x64", "--jax_numpy_rank_promotion=warn", "more", "--other=1"]
    given.append("--jax_use_hlo_logistic_lowering=true")
    found = run(script, *given, "--", "--jax_debug_nans")
    assert found == ["True", "warn", "False", "True", "True"]


def test_options_of_others_are_kept():
    holder = type("Holder", (), {"value": 3})
    jax.config.add_option("tests_own_option", holder, int, [], {"help": "for a test"})
    jax.config.update("tests_own_option", 4)
    assert jax.config.tests_own_option == 4
    with pytest.raises(Exception, match="already"):
        jax.config.add_option("tests_own_option", holder, int, [], {})


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_16_bits_can_be_disallowed(dtype):
    x = jnp.ones(3, dtype)
    with options.allow_f16_reductions(False):
        with pytest.raises(ValueError, match="jax_allow_f16_reductions"):
            jax.lax.reduce_sum(x, (0,))
        assert float(jnp.sum(x)) == 3  # in 32 bits
    assert float(jax.lax.reduce_sum(x, (0,))) == 3


def test_entering_a_mesh_can_be_disallowed():
    mesh = jax.make_mesh((1,), ("x",))
    with (
        options.disallow_mesh_context_manager(True),
        pytest.raises(RuntimeError, match="set_mesh"),
        mesh,
    ):
        pass


def test_programs_are_written_before_they_are_compiled(tmp_path):
    def doubled(x):
        return x * 2

    modes = "stablehlo,jaxpr"
    with setting(jax_dump_ir_to=str(tmp_path), jax_dump_ir_modes=modes):
        jax.jit(doubled)(jnp.float32(1))
    (module,) = tmp_path.glob("jax_ir*_jit_doubled_compile.mlir")
    assert "stablehlo.multiply" in module.read_text()
    assert "options_test.py" in module.read_text()
    (program,) = tmp_path.glob("jax_*_doubled.jaxpr.txt")
    assert "mul" in program.read_text()


def test_dumped_programs_need_not_say_where_they_come_from(tmp_path):
    quiet = {"jax_include_debug_info_in_dumps": False}
    with setting(jax_dump_ir_to=str(tmp_path), **quiet):
        jax.jit(lambda x: x * 3)(jnp.float32(1))
    assert not any("options_test.py" in p.read_text() for p in tmp_path.iterdir())


def test_parts_of_file_names_are_cut_out_of_programs():
    def text():
        return jax.jit(lambda x: x + 1).lower(1.0).as_text(debug_info=True)

    assert "options_test.py" in text()
    with options.hlo_source_file_canonicalization_regex(r"options_t"):
        assert "options_test.py" not in text()


@pytest.mark.parametrize("level", ["O0", "O3"])
def test_the_compiler_is_told_how_hard_to_work(level):
    with options.optimization_level(level):
        assert float(jax.jit(lambda x: x * 7)(2.0)) == 14


def test_exports_have_the_calling_convention_requested():
    fun = jax.jit(jnp.sin)
    with options.export_calling_convention_version(9):
        assert jax.export.export(fun)(1.0).calling_convention_version == 9
    with (
        options.export_calling_convention_version(8),
        pytest.raises(ValueError, match="9 to 10"),
    ):
        jax.export.export(fun)(1.0)


def test_what_checkpoint_keeps_is_logged(caplog):
    def f(x, w):
        return jnp.sin(jnp.cos(x @ w)).sum()

    x, w = jnp.ones((2, 3)), jnp.ones((3, 4))
    with options.log_checkpoint_residuals(True):
        jax.grad(jax.checkpoint(f))(x, w)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("jax._src.ad_checkpoint", "WARNING")
    text = record.getMessage()
    assert "keeps these inputs" in text
    assert text.count("float32[2,3]") == text.count("float32[3,4]") == 1
    caplog.clear()
    everything = jax.checkpoint(f, policy=jax.checkpoint_policies.everything_saveable)
    with options.log_checkpoint_residuals(True):
        jax.grad(everything)(x, w)
    text = caplog.records[-1].getMessage()
    assert "keeps these intermediate results" in text and "output of cos" in text
    caplog.clear()
    jax.grad(everything)(x, w)
    assert not caplog.records


def test_where_large_constants_are_used_is_told():
    constant = np.ones((100, 100), np.float32)

    def adds_it(x):
        return x + constant

    def warned(count):
        with (
            options.captured_constants_warn_bytes(100),
            options.captured_constants_report_frames(count),
            pytest.warns(UserWarning, match="captured during lowering") as told,
        ):
            jax.jit(lambda x: adds_it(x)).lower(1.0)
        return str(told[0].message)

    assert "used at" not in warned(0)
    one, every = warned(1), warned(-1)
    assert "float32[100,100]" in one and one.count("options_test.py") == 1
    assert "(adds_it)" in one and every.count("options_test.py") > 1
