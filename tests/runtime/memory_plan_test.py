"""`Compiled.memory_plan`: its tables are the compiler's own layout of memory.

`tests/jaxlib/memory_analysis_test.py` holds the totals against what a run allocates.
"""

import json

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.jit import memory_plans
from jax.sharding import NamedSharding, PartitionSpec as P

F32 = jnp.float32
N = 64
ARRAY = N * N * 4


def layer(x, w):
    return jnp.tanh(x @ w)


def loss(weights, x):
    for w in weights:
        x = layer(x, w)
    return jnp.sum(x * x)


def scanned(weights, x):
    return lax.scan(lambda c, w: (layer(c, w), None), x, weights)[0].sum()


def branches(x):
    return lax.cond(x[0, 0] > 0, lambda x: jnp.sort(x @ x), lambda x: x.T @ x, x)


def captured(x):
    return x @ jnp.sort(np.ones((N, N), np.float32)) + TABLE


TABLE = np.arange(N * N, dtype=np.float32).reshape(N, N)
X = jax.ShapeDtypeStruct((N, N), F32)
STACK = jax.ShapeDtypeStruct((5, N, N), F32)
# Function, arguments, and which are donated.
PROGRAMS = {
    "identity": (lambda x: x, (X,), ()),
    "a sum": (lambda x, y: x + y, (X, X), ()),
    "donated": (lambda x, y: (x @ y, y @ x), (X, X), (0, 1)),
    "a chain": (lambda x: jnp.sort(jnp.sort(x @ x, 0) @ x), (X,), ()),
    "a gradient": (jax.grad(loss), ([X] * 4, X), ()),
    "a gradient of a scan": (jax.grad(scanned), (STACK, X), (0,)),
    "a loop": (lambda x: lax.fori_loop(0, 3, lambda i, x: x @ x, x), (X,), (0,)),
    "branches": (branches, (X,), ()),
    "captured": (captured, (X,), ()),
    "softmax": (lambda x: jax.nn.softmax(x @ x) @ x, (X,), ()),
    "transform": (lambda x: jnp.fft.fft(x).real, (X,), ()),
    "a batch": (jax.vmap(lambda x: jnp.linalg.inv(x)), (STACK,), ()),
    "empty": (lambda x: x @ x.T, (jax.ShapeDtypeStruct((0, 3), F32),), ()),
    "scalars": (lambda x: jnp.sin(x) + 1, (jax.ShapeDtypeStruct((), F32),), ()),
}


def compiled(name):
    function, arguments, donated = PROGRAMS[name]
    return jax.jit(function, donate_argnums=donated).lower(*arguments).compile()


def sum_of(buffers, *kinds):
    return sum(b.bytes for b in buffers if b.kind in kinds)


@pytest.mark.parametrize("name", PROGRAMS)
def test_buffers_add_up_to_the_totals_of_memory_analysis(name):
    program = compiled(name)
    plan, totals = program.memory_plan(), program.memory_analysis()
    assert plan.memory == totals
    assert plan.peak_bytes == totals.peak_memory_in_bytes
    held = plan.at_peak
    assert sum_of(held, "argument", "constant") == totals.argument_size_in_bytes
    assert sum_of(held, "result") <= totals.output_size_in_bytes
    used = sum_of(held, "temporary", "scratch")
    assert used + plan.unused_bytes == totals.temp_size_in_bytes
    # What no value has is alignment, the gaps of the layout, and scalars.
    assert 0 <= plan.unused_bytes <= 4096 + 64 * len(plan.buffers)
    assert max((n for _, _, n in plan.timeline), default=0) == used


def test_the_peak_of_a_gradient_is_what_each_layer_computed():
    plan = compiled("a gradient").memory_plan()
    tanhs = [b for b in plan.at_peak if b.operation == "tanh"]
    assert len(tanhs) >= 3
    line = layer.__code__.co_firstlineno + 1
    for one in tanhs:
        assert (one.bytes, one.shape, one.dtype) == (ARRAY, (N, N), np.float32)
        assert one.line == f"{__file__}:{line}"
    assert plan.lines[f"{__file__}:{line}"] >= 3 * ARRAY
    assert plan.at_peak[0].bytes == max(b.bytes for b in plan.buffers)


def test_arguments_results_and_captured_arrays_have_their_names():
    plan = jax.jit(captured).lower(X).compile().memory_plan()
    kinds = {(b.kind, b.name) for b in plan.buffers if b.kind != "temporary"}
    assert ("argument", "x") in kinds
    plan = compiled("a gradient").memory_plan()
    assert "weights[0]" in {b.name for b in plan.buffers if b.kind == "argument"}
    assert sum(b.kind == "result" for b in plan.buffers) == 4


def test_large_captured_arrays_are_constants():
    table = np.ones((512, 512), np.float32)
    plan = jax.jit(lambda x: x + jnp.asarray(table)).lower(1.0).compile().memory_plan()
    (constant,) = [b for b in plan.buffers if b.kind == "constant"]
    assert (constant.shape, constant.bytes) == ((512, 512), 1 << 20)


def test_a_step_whose_values_share_memory_counts_it_once():
    def chain(x):
        for _ in range(6):
            x = jnp.sort(x)
        return x @ x

    plan = jax.jit(chain).lower(X).compile().memory_plan()
    assert sum(b.operation == "sort" for b in plan.buffers) == 6
    assert max(n for _, _, n in plan.timeline) == ARRAY


def test_each_of_several_devices_holds_its_part():
    mesh = jax.make_mesh((2,), ("a",), axis_types=(jax.sharding.AxisType.Auto,))
    parts = jax.ShapeDtypeStruct((N, N), F32, sharding=NamedSharding(mesh, P("a")))
    program = jax.jit(lambda x: jnp.sort(x @ x.T, 1)).lower(parts).compile()
    plan = program.memory_plan()
    assert plan.devices == 2
    assert plan.memory == program.memory_analysis()
    (argument,) = [b for b in plan.buffers if b.kind == "argument"]
    assert (argument.shape, argument.bytes) == ((N // 2, N), ARRAY // 2)
    assert "on each of 2 devices" in repr(plan)


def test_a_plan_prints_tables_and_is_data():
    plan = compiled("a gradient").memory_plan()
    text = repr(plan)
    assert text == str(plan)
    for part in ("Memory of `loss`", "temporaries", "peak", "float32[64,64]", "tanh"):
        assert part in text
    assert "memory_plan_test.py" in text
    data = json.loads(json.dumps(plan.to_dict()))
    assert data["peak_bytes"] == plan.peak_bytes
    assert len(data["buffers"]) == len(plan.buffers)
    assert {"kind", "bytes", "shape", "dtype", "line"} <= set(data["buffers"][0])


def test_a_compiler_without_buffers_gives_totals_and_one_without_any_an_error():
    totals = compiled("a sum").memory_analysis()
    plan = memory_plans.read("", name="f", memory=totals, constants=0)
    assert plan.peak_bytes == totals.peak_memory_in_bytes
    assert not plan.buffers
    assert "reports no buffers" in repr(plan)
    with pytest.raises(NotImplementedError, match="reports no memory") as caught:
        memory_plans.read("", name="f", memory=None, constants=0)
    assert "function" in str(caught.value)
