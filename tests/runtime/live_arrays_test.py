"""`jax.live_arrays(origins=True)`: where arrays were made, their bytes, and what holds them."""

import gc
import inspect
import os
import pickle
import subprocess
import sys
import time
import types
import weakref

import numpy as np
import pytest

import jax
import jax.numpy as jnp

HELD = {}
FILE = os.path.basename(__file__)


def line_of(mark):
    """The number of the line of this file that ends with a mark."""
    text, _ = inspect.getsourcelines(sys.modules[__name__])
    (found,) = [i for i, row in enumerate(text, 1) if row.endswith(f"# {mark}\n")]
    return found


def record_of(shape):
    """What is known about the one array of a shape."""
    (found,) = [x for x in jax.live_arrays(origins=True) if x.shape == shape]
    return found


@jax.jit
def plus_one(x):
    return x + 1


MAKERS = {
    "eager": (lambda: jnp.ones((3, 101))),  # eager
    "numpy": (lambda: jnp.asarray(np.ones((3, 102), np.float32))),  # numpy
    "put": (lambda: jax.device_put(np.ones((3, 103), np.float32))),  # put
    "compiled": (lambda: plus_one(np.ones((3, 104), np.float32))),  # compiled
    "random": (lambda: jax.random.normal(jax.random.key(0), (3, 105))),  # random
    "mapped": (lambda: jax.vmap(jnp.sin)(np.ones((3, 106), np.float32))),  # mapped
    "ahead": (lambda: AHEAD(np.ones((3, 107), np.float32))),  # ahead
    "gradient": (lambda: jax.grad(lambda x: (x * x).sum())(np.ones((3, 108))))  # gradient
}  # fmt: skip
AHEAD = plus_one.lower(np.ones((3, 107), np.float32)).compile()


@pytest.mark.parametrize("kind", MAKERS)
def test_the_line_that_made_an_array(kind):
    made = MAKERS[kind]()
    one = record_of(made.shape)
    assert one.made_at == f"{FILE}:{line_of(kind)} in `<lambda>`"
    assert one.line.endswith(f"# {kind}")
    assert one.frames[1].function == "test_the_line_that_made_an_array"
    assert (one.nbytes, one.dtype) == (made.nbytes, made.dtype)


def test_the_bytes_and_devices_of_an_array_over_several():
    if jax.device_count() < 4:
        pytest.skip("needs four devices")
    mesh = jax.make_mesh((4,), ("x",))
    split = jax.device_put(jnp.ones((4, 111)), jax.NamedSharding(mesh, jax.P("x")))
    copied = jax.device_put(jnp.ones((4, 112)), jax.NamedSharding(mesh, jax.P()))
    assert record_of((4, 111)).nbytes == split.nbytes
    assert record_of((4, 112)).nbytes == 4 * copied.nbytes
    assert len(record_of((4, 112)).devices) == 4


class Model:
    def __init__(self, shape):
        self.weights = jnp.zeros(shape)


class Slotted:
    __slots__ = ("weights",)


def as_dict(x):
    HELD["w"] = x
    return "`HELD['w']`, global of `"


def as_nested(x):
    HELD["layers"] = [{"w": (x, 1)}]
    return "`HELD['layers'][0]['w'][0]`, global of `"


def as_attribute(x):
    HELD["model"] = Model(x.shape)
    HELD["model"].weights = x
    return "`HELD['model'].weights`, global of `"


def as_slot(x):
    HELD["slotted"] = Slotted()
    HELD["slotted"].weights = x
    return "`HELD['slotted'].weights`, global of `"


def as_closure(x):
    def inner():
        return x

    HELD["inner"] = inner
    return "`x`, captured by `as_closure.<locals>.inner`"


def as_field(x):
    HELD["field"] = types.SimpleNamespace(weights=x)
    return "`HELD['field'].weights`, global of `"


@pytest.mark.parametrize(
    "hold", [as_dict, as_nested, as_attribute, as_slot, as_closure, as_field]
)
def test_what_holds_an_array(hold):
    HELD.clear()
    text = hold(jnp.ones((2, 121)))
    gc.collect()  # stops to follow dicts and tuples of leaves
    holders = record_of((2, 121)).holders
    HELD.clear()
    assert any(text in holder for holder in holders), holders


def test_variables_of_functions_that_run_hold_arrays_and_are_left_alone():
    def hold(count):
        kept = jnp.ones((2, 131))
        (name,) = record_of((2, 131)).holders
        assert name.startswith("`kept`, local variable at live_arrays_test.py:")
        assert name.endswith("hold`")
        del kept
        assert len(jax.live_arrays()) == count

    def with_locals(count):
        kept = jnp.ones((2, 132))
        values = locals()
        record_of((2, 132))
        assert values["kept"] is kept

    for function in (hold, with_locals):
        function(len(jax.live_arrays()))


def test_the_report_keeps_nothing_alive():
    jnp.ones((2, 141))
    kept = jnp.ones((2, 142))
    report = jax.live_arrays(origins=True)
    del kept
    assert [x for x in report if x.shape == (2, 142)]
    assert not [x for x in jax.live_arrays() if x.shape in [(2, 141), (2, 142)]]


def test_the_largest_come_first_in_a_table():
    kept = [jnp.ones((size, 151)) for size in (1, 3, 2)]
    report = jax.live_arrays(origins=True)
    sizes = [one.nbytes for one in report]
    assert sizes == sorted(sizes, reverse=True)
    assert report.nbytes == sum(sizes)
    text = repr(report)
    assert text.startswith(f"{len(report)} live arrays, ")
    for word in ("bytes", "made at", "held by", "float32[3,151]", FILE):
        assert word in text
    assert len(report[:2]) == 2 and type(report[:2]) is type(report)
    assert len(kept) == 3
    assert repr(report[0]).count("·") >= 3


def test_without_origins_it_is_a_list_of_arrays():
    x = jnp.ones((2, 161))
    assert type(jax.live_arrays()) is list
    assert any(one is x for one in jax.live_arrays("cpu"))
    with pytest.raises(RuntimeError):
        jax.live_arrays("nothing", origins=True)


def test_memory_that_is_used_up_is_an_error_with_the_largest_arrays():
    HELD["large"] = jnp.ones((1500, 1501))  # large
    with pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE_EXHAUSTED") as found:
        jnp.zeros((10**9, 10**9)).block_until_ready()
    text = str(found.value)
    HELD.clear()
    (row,) = [row for row in text.splitlines() if "float32[1500,1501]" in row]
    assert f"{FILE}:{line_of('large')}" in row
    assert "8.6 MiB" in row and "`HELD['large']`, global of" in row
    again = pickle.loads(pickle.dumps(found.value))
    assert str(again) == text
    assert again.error_code_string == "RESOURCE_EXHAUSTED"


def test_other_errors_have_no_table():
    text = str(jax.errors.JaxRuntimeError("INTERNAL: memory is fine"))
    assert text == "INTERNAL: memory is fine"
    assert str(jax.errors.JaxRuntimeError()) == ""


def test_functions_made_anew_for_ever_do_not_fill_the_table():
    """Stacks that no array has any more are forgotten, and those in use stay."""
    program = """
import jax, jax.numpy as jnp
first = jnp.ones(3)
code = "made = jnp.negative(first)"
f = jax.jit(lambda x: x + 1)
f(first)
for i in range(70_000):
    space = {"f": f, "first": first}
    exec(compile("made = f(first)", f"/made/file{i}.py", "exec"), space)
last = space["made"]
sizes = {one.made_at.partition(":")[0] for one in jax.live_arrays(origins=True)}
assert "file69999.py" in sizes, sizes
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_table_keeps_no_array_of_the_callers():
    def ask():
        unique = jnp.ones((3, 121))
        jax.live_arrays(origins=True)
        assert unique.shape == (3, 121)

    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            ask()
        assert not [x for x in jax.live_arrays() if x.shape == (3, 121)]
    finally:
        gc.enable()


def test_many_lines_that_made_arrays_are_let_go():
    codes = []
    for number in range(3000):
        namespace = {"jnp": jnp}
        exec(f"def make():\n    return jnp.zeros(())  # {number}", namespace)
        namespace["make"]()
        codes.append(weakref.ref(namespace.pop("make").__code__))
    gc.collect()
    assert sum(code() is not None for code in codes) < 2500


@pytest.mark.parametrize("kind", ["flat dicts", "dicts of it", "lists of it"])
def test_holders_are_found_soon_among_very_many_containers(kind):
    HELD["many"] = params = {"w": jnp.ones(7919)}
    made = {
        "flat dicts": lambda i: {"a": i},
        "dicts of it": lambda i: {"x": params["w"]},
        "lists of it": lambda i: [params["w"]],
    }[kind]
    many = [made(i) for i in range(150_000)]
    start = time.process_time()
    (found,) = [one for one in jax.live_arrays(origins=True) if one.shape == (7919,)]
    assert time.process_time() - start < 5
    names = "`HELD['many']['w']`", "`params['w']`"
    assert any(name.startswith(names) for name in found.holders), found.holders
    assert len(many) == 150_000
    del HELD["many"]


def test_tokens_of_the_runtime_are_no_arrays_of_the_user():
    """A program that prints leaves an empty array behind, which says when it is done."""
    f = jax.jit(lambda x: (jax.debug.print("x {}", x, ordered=True), x + 1)[1])
    kept = f(jnp.ones(5))
    found = jax.live_arrays(origins=True)
    assert any(one.shape == kept.shape for one in found)
    assert not [one for one in found if one.shape == (0,)], found
