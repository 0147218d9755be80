"""Every primitive works inside of `shard_map`, and its results vary as its operands do."""

import numpy as np
import pytest

import jax
from jax._src.core import primitive as primitive_lib, vma
from jax.sharding import AbstractMesh, PartitionSpec as P
from tests.testing import laws

MESH = AbstractMesh((2,), ("x",))
CASES = list(laws.cases())
NAMES = [f"{name}-{number}" for name, number in CASES]


def _is_array(x):
    return hasattr(x, "dtype") and hasattr(x, "shape")


@pytest.mark.parametrize(("name", "number"), CASES, ids=NAMES)
def test_results_vary_as_operands_do(name, number):
    primitive, sample = laws.sample_of(name, number)
    arrays = [i for i, x in enumerate(sample.args) if _is_array(x)]
    if not arrays:
        pytest.skip("no operand")
    if primitive.rules.get("manual") is vma.AS_TYPES:
        pytest.skip("its program was traced with other types")
    many = [np.stack([sample.args[i]] * 2) for i in arrays]
    # The first operand varies; the others, which devices share, are made to.
    specs = tuple(P("x") if k == 0 else P() for k in range(len(arrays)))
    seen = []

    def body(*parts):
        full = list(sample.args)
        for k, (i, part) in enumerate(zip(arrays, parts, strict=True)):
            full[i] = part[0] if k == 0 else part
        out = primitive.bind(*full, **sample.params)
        outs = out if primitive.multiple_results else [out]
        seen.extend(outs)
        assert all(jax.typeof(o).vma == {"x"} for o in outs)
        return [jax.lax.expand_dims(o, (0,)) for o in outs]

    args = [m if k == 0 else m[0] for k, m in enumerate(many)]
    run = jax.shard_map(body, mesh=MESH, in_specs=specs, out_specs=P("x"))
    shapes = jax.eval_shape(run, *args)
    plain, _ = primitive.infer([jax.typeof(x) for x in sample.args], sample.params)
    wanted = plain if primitive.multiple_results else [plain]
    for shape, want in zip(shapes, wanted, strict=True):
        assert shape.shape == (2, *want.shape)
        assert shape.dtype == want.dtype


def test_there_are_primitives():
    assert len(primitive_lib.declared_primitives()) > 100
