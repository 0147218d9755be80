"""`custom_partitioning`: rules as users write them, and functions divided by them."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax.experimental.custom_partitioning import (
    BATCHING,
    ArrayMapping,
    CompoundFactor,
    SdyShardingRule,
    custom_partitioning,
)
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

X = np.arange(64, dtype="f4").reshape(8, 8)


def mesh(kind=AxisType.Auto):
    return jax.make_mesh((4, 2), ("x", "y"), axis_types=(kind,) * 2)


def put(*entries, values=X):
    return jax.device_put(values, NamedSharding(mesh(), P(*entries)))


class Rowwise:
    """A cumulative sum along rows; the calls of `partition` are recorded."""

    def __init__(self, rule="i j -> i j", **settings):
        self.calls, self.shapes = [], []
        self.function = custom_partitioning(lambda x: jnp.cumsum(x, axis=1))
        settings = settings or {"need_replication_factors": ("j",)}
        self.function.def_partition(self.partition, sharding_rule=rule, **settings)

    def partition(self, mesh, args, result):
        self.calls.append((args[0].sharding.spec, result.sharding.spec))

        def on_one_device(x):
            self.shapes.append(x.shape)
            return jnp.cumsum(x, axis=1)

        return mesh, on_one_device, args[0].sharding, (args[0].sharding,)


@pytest.mark.parametrize(
    "given, found, part",
    [
        (("x",), P("x", None), (2, 8)),
        ((("x", "y"),), P(("x", "y"), None), (1, 8)),
        ((), P(None, None), (8, 8)),
        ((None, "y"), P("y", None), (4, 8)),  # moved: rows must be whole
    ],
)
def test_each_device_computes_its_part(given, found, part):
    row = Rowwise()
    y = jax.jit(row.function)(put(*given))
    np.testing.assert_array_equal(y, np.cumsum(X, 1))
    assert y.sharding.is_equivalent_to(NamedSharding(mesh(), found), 2)
    assert row.calls == [(found, found)]
    assert row.shapes == [part]


def test_the_function_is_part_of_larger_programs():
    row = Rowwise()

    def program(x):
        x, _ = jax.lax.scan(lambda c, _: (row.function(c) % 7, None), x, length=2)
        return row.function(x + 1).sum()

    expected = X
    for _ in range(2):
        expected = np.cumsum(expected, 1) % 7
    expected = np.cumsum(expected + 1, 1).sum()
    assert float(jax.jit(program)(put("x"))) == expected
    assert set(row.shapes) == {(2, 8)}


def test_without_division_the_function_runs_as_it_is():
    row = Rowwise()
    np.testing.assert_array_equal(row.function(put("x")), np.cumsum(X, 1))
    np.testing.assert_array_equal(jax.jit(row.function)(X), np.cumsum(X, 1))
    inside = jax.shard_map(row.function, mesh=mesh(), in_specs=P("x"), out_specs=P("x"))
    np.testing.assert_array_equal(jax.jit(inside)(X), np.cumsum(X, 1))
    assert not row.calls


def test_devices_speak_with_each_other():
    @custom_partitioning
    def total(x):
        return x.sum(0)

    def partition(mesh, args, result):
        def on_one_device(x):
            return jax.lax.psum(x.sum(0), "x")

        rows = NamedSharding(mesh, P("x"))
        return mesh, on_one_device, NamedSharding(mesh, P()), (rows,)

    total.def_partition(partition, sharding_rule="i j -> j", reduction_factors=("i",))
    y = jax.jit(total)(put("x"))
    np.testing.assert_array_equal(y, X.sum(0))
    assert y.sharding.is_fully_replicated


CUTS = [P("x"), P(None, "x"), P(), P("x", "y"), P(("x", "y"))]
MESHES = [
    *[((4,), "x", spec) for spec in CUTS[:3]],
    *[((4, 2), "xy", spec) for spec in CUTS],
    *[((2, 2, 2), "xyz", spec) for spec in CUTS],
]


@pytest.mark.parametrize("sizes, names, spec", MESHES)
@pytest.mark.parametrize("in_context", [True, False])
def test_explicit_axes_reach_the_result_and_not_the_callbacks(
    sizes, names, spec, in_context
):
    here = jax.make_mesh(
        sizes, tuple(names), axis_types=(AxisType.Explicit,) * len(sizes)
    )
    seen = []

    def partition(mesh, args, result):
        seen.append((mesh.axis_types, args[0].sharding.spec))
        return mesh, lambda x: x * 2, args[0].sharding, (args[0].sharding,)

    function = custom_partitioning(lambda x: x * 2)
    function.def_partition(partition, sharding_rule="i j -> i j")
    padded = P(*(*spec.partitions, None, None)[:2])

    def program(x):
        y, _ = jax.lax.scan(lambda c, _: (function(c), None), function(x), length=2)
        return y + 1

    with jax.set_mesh(here if in_context else None):
        y = jax.jit(program)(jax.device_put(X, NamedSharding(here, spec)))
    np.testing.assert_array_equal(y, X * 8 + 1)
    assert y.sharding == NamedSharding(here, padded)
    assert set(seen) == {((AxisType.Auto,) * len(sizes), padded)}


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
def test_results_keep_the_sharding_of_the_rule(kind):
    """Whatever one device works on, the rule says how the arrays around are cut."""

    def partition(mesh, args, result):
        columns = NamedSharding(mesh, P(None, "y"))
        return mesh, lambda x: x * 2, columns, (columns,)

    function = custom_partitioning(lambda x: x * 2)
    function.def_partition(partition, sharding_rule="i j -> i j")
    x = jax.device_put(X, NamedSharding(mesh(kind), P("x")))
    y = jax.jit(function)(x)
    np.testing.assert_array_equal(y, X * 2)
    assert y.sharding.is_equivalent_to(x.sharding, 2)


def test_rules_of_plain_tuples_are_rules():
    pair = ("i", "j")
    for mappings in (((pair,), (pair,)), ([pair], [list(pair)])):
        rule = SdyShardingRule(*mappings)
        assert rule == SdyShardingRule((ArrayMapping(*pair),), (ArrayMapping(*pair),))
        y = jax.jit(Rowwise(rule).function)(put("x"))
        np.testing.assert_array_equal(y, np.cumsum(X, 1))


def test_static_arguments_and_trees():
    scaled = custom_partitioning(
        lambda d, n: {"a": d["a"] * n, "b": d["b"] + n}, static_argnums=(1,)
    )
    seen = []

    def partition(n, mesh, args, result):
        seen.append(n)
        shardings = jax.tree.map(lambda s: s.sharding, (args, result))
        return (
            mesh,
            lambda d: {"a": d["a"] * n, "b": d["b"] + n},
            shardings[1],
            shardings[0],
        )

    scaled.def_partition(partition, sharding_rule="... i, i -> ... i, i")
    y = jax.jit(lambda d: scaled(d, 3))(
        {"a": put("x", "y"), "b": put("y", values=X[0])}
    )
    np.testing.assert_array_equal(y["a"], X * 3)
    np.testing.assert_array_equal(y["b"], X[0] + 3)
    assert y["a"].sharding.spec == P("x", "y") and y["b"].sharding.spec == P("y")
    assert seen == [3]


RULES = {
    "i j -> i j": "([i, j])->([i, j]) {i=8, j=8}, custom",
    "i j -> i k": "([i, j])->([i, k]) {i=8, j=8, k=8}, custom",
    "... j -> ... j": "([i, j])->([i, j]) {i=8, j=8}, custom",
    "...0 -> ...0": "([i, j])->([i, j]) {i=8, j=8}, custom",
}


def text_of(rule, **settings):
    function = custom_partitioning(lambda x: x + 1)
    function.def_partition(lambda *a: None, sharding_rule=rule, **settings)
    text = jax.jit(function).lower(put("x")).as_text()
    return text.split("#sdy.op_sharding_rule<")[1].split(">}")[0]


@pytest.mark.parametrize("rule", RULES)
def test_rules_as_text(rule):
    assert text_of(rule) == RULES[rule]


def test_rules_with_sizes_sets_and_objects():
    compound = "([ij, k])->([ij, k]) {i=2, j=4, k=8}, custom"
    assert text_of("(a b) k -> (a b) k", a=2, b=4) == compound
    dims = (ArrayMapping(CompoundFactor("a", "b"), "k"),)
    assert text_of(SdyShardingRule(dims, dims, a=2, b=4)) == compound
    assert text_of(lambda *a: ("(a b) k -> (a b) k", {"a": 2, "b": 4})) == compound
    batch = (ArrayMapping(BATCHING, "j"),)
    assert text_of(SdyShardingRule(batch, batch)) == RULES["i j -> i j"]
    permuted = text_of("i j -> i j", permutation_factors=("i",))
    assert permuted == "([i, j])->([i, j]) {i=8, j=8} permutation={i}, custom"


WRONG = [
    ("i -> i", {}, "rank 1"),
    ("i j, k -> i j", {}, "2 operands"),
    ("i j -> i j, k", {}, "2 results"),
    ("i j", {}, "no ->"),
    ("1i j -> 1i j", {}, "start with a letter"),
    ("i -j -> i j", {}, "Unknown character '-'"),
    ("(i) j -> (i) j", {}, "at least two"),
    ("(i (a b)) j -> i j", {}, "one level"),
    ("i i -> i i", {}, "twice"),
    ("i ... -> i ...", {}, "beginning"),
    ("(a b) j -> (a b) j", {"a": 2}, "must specify its size"),
    ("(a b) j -> (a b) j", {"a": 2, "b": 3}, "size 6"),
    ("i j -> i j", {"i": 8}, "whole dimension"),
    ("i j -> i j", {"reduction_factors": ("k",)}, "not used"),
    ("i j -> i j", {"reduction_factors": "i"}, "tuple"),
    ("i j -> i j", {"reduction_factors": ("i",)}, "occurs in a result"),
    (
        "i j -> i j",
        {"permutation_factors": ("i",), "need_replication_factors": ("i",)},
        "only be in one",
    ),
]


@pytest.mark.parametrize("rule, settings, message", WRONG)
def test_what_is_no_rule_is_refused(rule, settings, message):
    with pytest.raises(ValueError, match=message):
        text_of(rule, **settings)


def test_mistakes_are_explained():
    function = custom_partitioning(lambda x: x)
    with pytest.raises(AttributeError, match="def_partition was not called"):
        function(X)
    function.def_partition(
        lambda *a: None, infer_sharding_from_operands=lambda *a: None
    )
    for call in (function, jax.jit(function)):
        with pytest.raises(NotImplementedError, match="provide sharding_rule to migr"):
            call(X)
    with pytest.raises(TypeError, match="rule must be a str"):
        function.def_partition(lambda *a: None, sharding_rule=5)
    function.def_partition(lambda *a: None, sharding_rule="i j -> i j")
    for transformed in (jax.grad(lambda x: function(x).sum()), jax.vmap(function)):
        with pytest.raises(NotImplementedError, match="custom_"):
            jax.jit(transformed)(put("x"))


def raises(mesh, args, result):
    raise KeyError("boom")


@pytest.mark.parametrize(
    "partition, message",
    [
        (raises, "KeyError: 'boom'"),
        (lambda mesh, args, result: None, "no four values"),
        (
            lambda m, a, r: (m, lambda x: x, r.sharding, ()),
            "shardings of the arguments",
        ),
        (
            lambda m, a, r: (m, lambda x: x[:1], r.sharding, (a[0].sharding,)),
            "do not make up",
        ),
        (lambda m, a, r: (m, lambda x: x, "x", (a[0].sharding,)), "none of the mesh"),
    ],
)
def test_a_wrong_partition_fails_where_the_program_is_compiled(partition, message):
    function = custom_partitioning(lambda x: x)
    function.def_partition(partition, sharding_rule="i j -> i j")
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        jax.jit(function)(put("x"))
