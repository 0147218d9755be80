"""The inner loops of matrix products multiply by the target's matrix units while the next terms are on their way."""

import importlib.util
import pathlib
import re
import sys

import pytest


def _load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


inner_loops = _load(pathlib.Path(__file__).absolute().with_name("inner_loops.py"))
TOOL = pathlib.Path(__file__).absolute().parents[2] / "xla/tools/xla-gpu"
NVIDIA = {
    "f32": "m16n8k8.*tf32",
    "tf32": "m16n8k8.*tf32",
    "bf16": "m16n8k16.*bf16",
    "f16": "m16n8k16.*f16",
    "f8e4m3": "m16n8k32.*e4m3",
    "f8e5m2": "m16n8k32.*e5m2",
    "s8": "m16n8k32.*s8",
}
HOPPER = {
    "tf32": r"wgmma.*k8\.f32\.tf32",
    "bf16": r"wgmma.*k16\.f32\.bf16",
    "f16": r"wgmma.*k16\.f32\.f16",
    "f8e4m3": r"wgmma.*k32\.f32\.e4m3",
    "f8e5m2": r"wgmma.*k32\.f32\.e5m2",
    "s8": r"wgmma.*k32\.s32\.s8",
}
MFMA = {
    "f32": "16x16x4_?f32",
    "bf16": "16x16x16_?bf16",
    "f16": "16x16x16_?f16",
    "s8": "i32_16x16x(16|32)_?i8",
}
WMMA = {"f32": "bf16", "bf16": "bf16", "f16": "f16", "s8": "iu8"}


def expected(kind: str, target: str) -> str:
    """What multiplies, as docs/compiler/gpu.md says."""
    if target.startswith("sm_"):
        if target == "sm_80" and kind.startswith("f8"):
            kind = "f16"
        own = HOPPER if target == "sm_90a" else {}
        return own.get(kind, "mma.sync.*" + NVIDIA[kind])
    if kind == "tf32":
        return "mfma.*16x16x8_xf32" if target == "gfx942" else expected("f32", target)
    if kind.startswith("f8"):
        return expected("f16", target)
    return "mfma.*" + MFMA[kind] if target != "gfx1100" else "wmma.*" + WMMA[kind]


@pytest.mark.skipif(
    not TOOL.exists(), reason="the compiler was not built beside the tests"
)
@pytest.mark.parametrize("target", inner_loops.TARGETS)
def test_products_run_while_copies_are_on_their_way(target):
    for kind in inner_loops.KINDS:
        loop = inner_loops.loop_of_product(inner_loops.code(str(TOOL), kind, target))
        assert loop is not None, kind
        assert all(re.search(expected(kind, target), one) for one in loop.products), (
            kind,
            loop.products,
        )
        assert loop.faults() == [], kind


WAITS_FOR_ALL = """$L__BB0_1:
  cp.async.cg.shared.global [%r1], [%rd1], 16;
  cp.async.commit_group;
  cp.async.wait_group 0;
  bar.sync 0;
  mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1};
  @%p1 bra $L__BB0_1;
"""
STORES_AT_ONCE = """.LBB0_1:
  s_barrier
  global_load_dwordx4 v[0:3], v[8:9], off
  s_waitcnt vmcnt(0)
  ds_write_b128 v4, v[0:3]
  v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[0:3]
  s_cbranch_scc1 .LBB0_1
"""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (WAITS_FOR_ALL, "waits for all copies"),
        (WAITS_FOR_ALL.replace("wait_group 0", "wait_group 1"), ""),
        (WAITS_FOR_ALL.replace("mma.sync", "fma.rn"), "there is no loop"),
        (STORES_AT_ONCE, "just begun to load"),
        (
            STORES_AT_ONCE.replace("  s_waitcnt vmcnt(0)\n", ""),
            "before it has multiplied",
        ),
    ],
)
def test_loops_that_do_not_overlap_are_found(text, fault):
    loop = inner_loops.loop_of_product(text)
    faults = loop.faults() if loop else ["there is no loop"]
    assert (fault in faults[0]) if fault else not faults
