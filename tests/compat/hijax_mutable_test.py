"""Values of libraries that change (`MutableHiType`), in compiled programs."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import hijax as hj


@dataclasses.dataclass(frozen=True)
class CellState:
    avals: tuple
    tree: Any


def _get(cell):
    now = jax.experimental.cur_qdd(cell)
    return jax.tree.unflatten(now.tree, get_p.bind(cell, avals=now.avals))


def _set(cell, value):
    leaves, tree = jax.tree.flatten(value)
    set_p.bind(cell, *leaves, tree=tree)


class CellType(hj.MutableHiType):
    get = hj.aval_method(_get)
    set = hj.aval_method(_set)

    def __repr__(self):
        return "Cell"

    def to_tangent_aval(self):
        return CellType()

    def lo_ty_qdd(self, state):
        return list(state.avals)

    def read_loval(self, state, cell):
        return jax.tree.leaves(_get(cell))

    def update_from_loval(self, state, cell, *arrays):
        _set(cell, jax.tree.unflatten(state.tree, arrays))


class Cell:
    """Holds a tree of arrays."""

    def __new__(cls, value=None):
        cell = new_p.bind()
        cell.set(value)
        return cell

    get = _get
    set = _set

    def cur_qdd(self):
        leaves, tree = jax.tree.flatten(self.value)
        return CellState(tuple(map(jax.typeof, leaves)), tree)


hj.register_hitype(Cell, lambda cell: CellType())


class New(hj.HiPrimitive):
    def abstract_eval(self):
        empty = CellState((), jax.tree.structure(None))
        return hj.AvalQDD(CellType(), empty), set()

    def to_lojax(self):
        cell = object.__new__(Cell)
        cell.value = None
        return cell


class Set(hj.HiPrimitive):
    multiple_results = True

    def to_lojax(self, cell, *leaves, tree):
        cell.value = jax.tree.unflatten(tree, leaves)
        return []

    def jvp(self, primals, tangents, *, tree):
        raise ValueError("the cell has no tangent")


class Get(hj.HiPrimitive):
    multiple_results = True

    def to_lojax(self, cell, *, avals):
        return jax.tree.leaves(cell.value)

    def jvp(self, primals, tangents, *, avals):
        return tuple(get_p.bind(c, avals=avals) for c in (*primals, *tangents))


new_p, set_p, get_p = New("new_cell"), Set("set_cell"), Get("get_cell")

one = np.float32(1)
steps = np.arange(3, dtype=np.float32)


def _of(cell, run):
    """What a function of a cell returns, and what the cell holds then."""
    return run(cell), cell.get()


def _added(cell, x):
    cell.set(cell.get() + x)


def _doubled(cell):
    cell.set(cell.get() * 2)


def _trained(cell):
    def loss(w):
        return ((steps * w - 1) ** 2).sum()

    @jax.jit
    def step(cell):
        cell.set(cell.get() - 0.1 * jax.grad(loss)(cell.get()))
        return loss(cell.get())

    return [step(cell) for _ in range(2)]


def _many(cell):
    def body(c, x):
        return c, lax.cond(x > 0, lambda: _doubled(cell), lambda: None)

    @jax.jit
    def run(x):
        lax.scan(body, 0, steps)
        lax.fori_loop(0, 2, lambda i, c: (_added(cell, 1), c)[1], 0)
        return cell.get() + x

    return run(one), run(one)


def _inside(x):
    cell = Cell(x)
    _doubled(cell)
    return cell.get()


def _reading_rule(cell):
    f = jax.custom_vjp(lambda x: x * cell.get())
    f.defvjp(lambda x: (x * cell.get(), None), lambda _, ct: (ct * cell.get(),))
    return jax.jit(jax.grad(f))(one)


def _stopped(cell, x):
    cell.set(lax.stop_gradient(x))
    return x**2


# What each computes with a cell that holds 1, and what the cell holds in the end.
PROGRAMS = {
    "read": (lambda c: jax.jit(lambda c: c.get() * 2)(c), 2, 1),
    "set": (lambda c: jax.jit(lambda c, x: _added(c, x))(c, one), None, 2),
    "set unused": (lambda c: jax.jit(lambda c: c.set(one * 7))(c), None, 7),
    "another type": (lambda c: jax.jit(lambda c: c.set((c.get(), one)))(c), None, (1, 1)),
    "nothing": (lambda c: jax.jit(lambda c: c.set(None))(c), None, None),
    "closed over": (lambda c: jax.jit(lambda x: _added(c, x))(one), None, 2),
    "twice": (lambda c: (f := jax.jit(lambda x: _added(c, x)), f(one), f(one))[2], None, 3),
    "a call inside": (lambda c: jax.jit(lambda c: (f := jax.jit(_doubled), f(c), f(c))[2])(c), None, 4),
    "under two names": (lambda c: jax.jit(lambda a, b: (_doubled(a), b.get())[1])(c, c), 2, 2),
    "made inside": (lambda c: jax.jit(_inside)(one), 2, 1),
    "made in a loop": (lambda c: lax.map(_inside, steps), [0, 2, 4], 1),
    "scan": (lambda c: lax.scan(lambda a, x: (a, _added(c, x)), 0, steps)[0], 0, 4),
    "scan of jit": (lambda c: lax.scan(lambda a, x: (a, jax.jit(_added)(c, x)), 0, steps)[0], 0, 4),
    "cond": (lambda c: lax.cond(True, lambda: _doubled(c), lambda: None), None, 2),
    "cond of it": (lambda c: lax.cond(False, lambda c: None, _doubled, c), None, 2),
    "switch": (lambda c: jax.jit(lambda i: lax.switch(i, [lambda: _doubled(c), lambda: None]))(1), None, 1),
    "while": (lambda c: lax.while_loop(lambda i: c.get() < 5, lambda i: (_doubled(c), i + 1)[1], 0), 3, 8),
    "many": (_many, (7, 27), 26),
    "training": (_trained, None, None),
    "grad that reads": (lambda c: jax.jit(jax.grad(lambda x: x**2 * c.get()))(one), 2, 1),
    "grad that sets": (lambda c: jax.grad(lambda x: _stopped(c, x))(one * 3), 6, 3),
    "grad of jit that sets": (lambda c: jax.grad(jax.jit(_stopped, static_argnums=()), 1)(c, one * 3), 6, 3),
    "jvp in it": (lambda c: jax.jvp(lambda c: c.get() ** 2, (c,), (Cell(one * 3),)), (1, 6), 1),
    "vmap that reads": (lambda c: jax.vmap(jax.jit(lambda x: x * c.get()))(steps), [0, 1, 2], 1),
    "checkpoint": (lambda c: jax.grad(jax.checkpoint(lambda x: jnp.sin(x) * c.get()))(one * 0), 1, 1),
    "custom_vjp": (_reading_rule, 1, 1),
    "compiled ahead": (lambda c: jax.jit(_doubled).lower(c).compile()(c), None, 2),
    "types alone": (lambda c: jax.eval_shape(lambda c: (_doubled(c), c.get())[1], c).shape, (), 1),
    "its program": (lambda c: len(jax.make_jaxpr(_doubled)(c).out_avals), 1, 1),
}  # fmt: skip


def _listed(tree):
    return jax.tree.map(lambda x: np.asarray(x).tolist(), tree)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_reads_and_changes_a_value(name):
    run, wanted, last = PROGRAMS[name]
    result, held = _of(Cell(one), run)
    if name == "training":
        np.testing.assert_allclose(result, [1.2, 1.2], rtol=1e-6)
        np.testing.assert_allclose(held, 0.6, rtol=1e-6)
        return
    assert _listed((result, held)) == (wanted, last)


def test_functions_are_traced_once_for_an_object_and_the_type_of_its_state():
    traced = []

    @jax.jit
    def step(cell, x):
        traced.append(1)
        cell.set(jax.tree.map(lambda v: v + x, cell.get()))

    cell = Cell(one)
    for _ in range(3):
        step(cell, one)
    assert cell.get() == 4 and len(traced) == 1
    cell.set((one, steps))
    step(cell, one)
    assert _listed(cell.get()) == (2, [1, 2, 3]) and len(traced) == 2
    step(Cell(steps), one)
    assert _listed(cell.get()) == (2, [1, 2, 3])


def test_a_mistake_leaves_the_value_as_it_was():
    cell = Cell(one)

    @jax.jit
    def wrong(x):
        _doubled(cell)
        raise KeyError(x.shape)

    with pytest.raises(KeyError):
        jax.jit(lambda x: wrong(x))(one)
    assert cell.get() == 1


def test_what_programs_cannot_do_with_such_values_is_refused():
    cell, other = Cell(one), Cell(one * 2)
    with pytest.raises(TypeError, match="A value that changes was returned"):
        jax.jit(lambda c: c)(cell)
    with pytest.raises(TypeError, match="lax.scan: the state of a value gets another"):
        lax.scan(lambda c, x: (c, cell.set((x, x))), 0, steps)
    with pytest.raises(TypeError, match="lax.cond: the state of a value gets another"):
        lax.cond(True, lambda: cell.set(None), lambda: None)
    with pytest.raises(TypeError, match="Another value that changes"):
        jax.jit(_doubled).lower(cell).compile()(other)
    with pytest.raises(NotImplementedError, match="'set_cell'"):
        jax.vmap(jax.jit(lambda x: cell.set(x)))(steps)
    with pytest.raises(ValueError, match="the cell has no tangent"):
        jax.grad(lambda x: (cell.set(x), x)[1])(one)
    assert (cell.get(), other.get()) == (1, 2)


def test_a_type_that_does_not_say_how_it_is_lowered_says_so():
    class Bare(hj.MutableHiType):
        pass

    for ask in (
        Bare().lo_ty,
        lambda: Bare().lo_ty_qdd(0),
        lambda: Bare().read_loval(0, 0),
    ):
        with pytest.raises(NotImplementedError, match="Bare does not define"):
            ask()


def test_shardings_stand_beside_a_value_that_changes():
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])

    def moved(cell, x):
        _added(cell, x["x"])
        return cell.get() * x["y"]

    def run(in_shardings, **options):
        cell = Cell(one)
        fun = jax.jit(moved, in_shardings=in_shardings, **options)
        return [float(fun(cell, {"x": one, "y": one * 2})) for _ in range(2)], cell

    for given in (
        None,
        (None, None),
        (None, sharding),
        (None, {"x": None, "y": sharding}),
    ):
        outs, cell = run(given, out_shardings=sharding)
        assert outs == [4, 6] and cell.get() == 3
    with pytest.raises(NotImplementedError, match="a sharding is given for a value"):
        run(sharding)

    @jax.jit
    def around(cell, x):
        return jax.jit(moved, in_shardings=(None, sharding))(cell, x), cell.get()

    assert around(Cell(one), {"x": one, "y": one * 2}) == (4, 2)


def test_the_stages_report_a_value_that_changes():
    def moved(x, cell, y):
        _added(cell, x)
        return cell.get() * y

    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    fun = jax.jit(moved, in_shardings=(sharding, None, None), donate_argnums=(0,))
    cell = Cell(one)
    lowered = fun.lower(jnp.ones(()), cell, one * 2)
    number = jax.typeof(one)
    (x, held, y), _ = lowered.in_avals
    assert (x, y) == (number, number) and isinstance(held, CellType)
    infos = jax.tree.leaves(lowered.args_info)
    assert [info.donated for info in infos] == [True, False, False]
    for compiled in (
        lowered.compile(),
        lowered.compile({"xla_cpu_enable_fast_math": False}),
    ):
        (at, nowhere, _), _ = compiled.input_shardings
        assert at == sharding and nowhere is None
        assert compiled.input_formats[0][1] is None
    assert compiled(jnp.ones(()), cell, one * 2) == 4 and cell.get() == 2
