"""`jax.memory_budget`: programs are rewritten until a call holds no more, or refused."""

import re

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from jax import lax
from jax._src.base import byte_counts

F32 = jnp.float32
RNG = np.random.default_rng(0)
WEIGHTS = [RNG.standard_normal((32, 32)).astype(np.float32) / 6 for _ in range(10)]
X = RNG.standard_normal((256, 32)).astype(np.float32)


def loss(weights, x):
    for w in weights:
        x = jnp.tanh(x @ w)
    return jnp.mean(x**2)


def rows(x):
    return jnp.sort(jnp.tanh(x[:, :, None] * x[:, None, :]), 1)[:, :2].sum(1)


def peak(compiled):
    return compiled.memory_analysis().peak_memory_in_bytes


def both(function, *arguments, share, **options):
    """A call compiled without and within a budget, and the budget."""
    lowered = jax.jit(function, **options).lower(*arguments)
    plain = lowered.compile()
    budget = int(peak(plain) * share)
    with jax.memory_budget(budget):
        limited = lowered.compile()
    return plain, limited, budget


def assert_same_bits(found, expected):
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


# The option.


@pytest.mark.parametrize(
    "written, count",
    [
        ("4GiB", 4 << 30),
        ("500 MB", 500_000_000),
        ("1.5kib", 1536),
        (".5 KB", 500),
        ("12", 12),
        (12, 12),
        (np.int64(7), 7),
        ("0", 0),
        ("", 0),
        (None, 0),
    ],
)
def test_sizes_are_written_with_units(written, count):
    assert byte_counts.parse(written) == count


@pytest.mark.parametrize(
    "wrong", ["4 apples", "-1", -1, "1.5", True, 2.5, "GiB", "1e3", "9" * 30, [4]]
)
def test_what_is_no_size_is_refused(wrong):
    with pytest.raises(ValueError) as error:
        jax.memory_budget(wrong)
    message = str(error.value)
    assert "'jax_memory_budget' cannot be" in message
    assert '"4GiB"' in message and "no limit" in message


def test_the_option_is_part_of_the_configuration():
    assert jax.config.jax_memory_budget == 0
    with jax.memory_budget("1 MiB"):
        assert jax.config.jax_memory_budget == 1 << 20
        with jax.memory_budget(""):
            assert jax.config.jax_memory_budget == 0
    assert jax.config.jax_memory_budget == 0


# Programs that fit.


@pytest.mark.parametrize("share", [0.9, 0.7, 0.55])
def test_a_gradient_is_recomputed_with_the_same_bits(share):
    plain, limited, budget = both(jax.grad(loss), WEIGHTS, X, share=share)
    assert peak(limited) <= budget < peak(plain)
    assert_same_bits(limited(WEIGHTS, X), plain(WEIGHTS, X))


@pytest.mark.parametrize("share", [0.8, 0.3, 0.15])
def test_a_batch_is_worked_in_pieces_with_the_same_bits(share):
    plain, limited, budget = both(rows, X, share=share)
    assert peak(limited) <= budget < peak(plain)
    assert "while" in limited.as_text()
    assert_same_bits(limited(X), plain(X))


@pytest.mark.parametrize("count", [3, 7, 31, 97])
def test_pieces_need_not_divide_the_batch(count):
    x = RNG.standard_normal((count, 48, 48)).astype(np.float32)

    def each(x):
        return jnp.sort(jnp.sin(x) @ x, 0)[:2].sum(0), jnp.argmax(x, 1)

    plain, limited, budget = both(jax.vmap(each), x, share=0.75)
    assert peak(limited) <= budget
    assert_same_bits(limited(x), plain(x))


def test_a_loop_in_each_row_runs_for_some_rows_at_a_time():
    x = RNG.standard_normal((40, 16, 16)).astype(np.float32)

    def each(x):
        def step(carry, row):
            return jnp.tanh(carry @ x + row), carry.sum()

        last, sums = lax.scan(step, x, x)
        return lax.fori_loop(0, 3, lambda i, y: jnp.sin(y) * i, last).sum(0), sums

    plain, limited, budget = both(jax.vmap(each), x, share=0.6)
    assert peak(limited) <= budget
    assert_same_bits(limited(x), plain(x))


def test_what_all_rows_share_is_computed_once():
    table = RNG.standard_normal((64, 64)).astype(np.float32)

    def each(x, table):
        return jnp.sort(x[:, None] * (table @ table), 0)[:2].sum(0)

    x = RNG.standard_normal((128, 64)).astype(np.float32)
    plain, limited, budget = both(jax.vmap(each, (0, None)), x, table, share=0.3)
    assert peak(limited) <= budget
    assert limited.as_text().count("dot_general") == plain.as_text().count(
        "dot_general"
    )
    assert_same_bits(limited(x, table), plain(x, table))


def test_donated_arguments_stay_donated():
    def step(weights, x):
        slopes = jax.grad(loss)(weights, x)
        return [w - 0.1 * s for w, s in zip(weights, slopes, strict=True)]

    def stacked(weights, x):
        return step(weights, x)

    plain, limited, budget = both(stacked, WEIGHTS, X, share=0.6, donate_argnums=0)
    assert peak(limited) <= budget
    shared = limited.memory_analysis().alias_size_in_bytes
    assert shared == plain.memory_analysis().alias_size_in_bytes > 0
    expected = plain([jnp.array(w) for w in WEIGHTS], X)
    given = [jnp.array(w) for w in WEIGHTS]
    found = limited(given, X)
    assert all(w.is_deleted() for w in given)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_wide_numbers_stay_wide_where_the_call_is_compiled_under_other_settings():
    with jax.enable_x64(True):
        x = jnp.asarray(X, jnp.float64)
        lowered = jax.jit(jax.grad(loss)).lower(
            [jnp.asarray(w, jnp.float64) for w in WEIGHTS], x
        )
        plain = lowered.compile()
    with jax.memory_budget(int(0.7 * peak(plain))):
        limited = lowered.compile()
    assert peak(limited) <= 0.7 * peak(plain)
    with jax.enable_x64(True):
        weights = [jnp.asarray(w, jnp.float64) for w in WEIGHTS]
        assert_same_bits(limited(weights, x), plain(weights, x))


def test_rules_of_the_user_are_recomputed_too():
    @jax.custom_vjp
    def layer(x, w):
        return jnp.tanh(x @ w)

    def forward(x, w):
        y = layer(x, w)
        return y, (x, w, y)

    def backward(kept, ct):
        x, w, y = kept
        ct = ct * (1 - y * y)
        return ct @ w.T, x.T @ ct

    layer.defvjp(forward, backward)

    def total(weights, x):
        for w in weights:
            x = layer(x, w)
        return jnp.mean(x)

    plain, limited, budget = both(jax.grad(total), WEIGHTS, X, share=0.65)
    assert peak(limited) <= budget
    assert_same_bits(limited(WEIGHTS, X), plain(WEIGHTS, X))


def test_the_body_of_a_loop_is_recomputed():
    def train(weights, x):
        def step(_, weights):
            slopes = jax.grad(loss)(weights, x)
            return [w - 0.1 * s for w, s in zip(weights, slopes, strict=True)]

        return lax.fori_loop(0, 4, step, weights)

    plain, limited, budget = both(train, WEIGHTS, X, share=0.75)
    assert peak(limited) <= budget
    assert_same_bits(limited(WEIGHTS, X), plain(WEIGHTS, X))


def test_operations_that_free_memory_run_as_soon_as_they_can():
    def waiting(x):
        sorted_ones = [jnp.sort(x * i, 0) for i in range(1, 9)]
        return [jnp.cumsum(y[:, 0]) for y in sorted_ones]

    plain, limited, budget = both(waiting, X, share=0.5)
    assert peak(limited) <= budget
    assert "optimization_barrier" not in limited.as_text()
    assert_same_bits(limited(X), plain(X))


# Calls.


def test_a_call_is_compiled_anew_for_another_budget():
    function = jax.jit(rows)
    x = jnp.asarray(X)
    expected = function(x)
    need = peak(jax.jit(rows).lower(x).compile())
    before = len(jax.compilation_report())
    with jax.memory_budget(need // 3):
        assert_same_bits(function(x), expected)
        assert_same_bits(function(x), expected)
    found = [one for one in jax.compilation_report()[before:] if one.function == "rows"]
    assert len(found) == 1
    assert "jax_memory_budget" in found[0].cause
    with jax.memory_budget(need // 4):
        assert_same_bits(function(x), expected)
    with jax.memory_budget(10), pytest.raises(jax.errors.JaxRuntimeError):
        function(x)
    assert_same_bits(function(x), expected)


def test_programs_that_are_older_than_the_budget_keep_to_it():
    closed = jax.make_jaxpr(jax.jit(rows))(X)
    jax.core.eval_jaxpr(closed.jaxpr, closed.consts, X)
    with jax.memory_budget(10), pytest.raises(jax.errors.JaxRuntimeError):
        jax.core.eval_jaxpr(closed.jaxpr, closed.consts, X)


def test_transformations_of_jitted_functions_keep_to_the_budget():
    with (
        jax.memory_budget(1000),
        pytest.raises(jax.errors.JaxRuntimeError, match="RESOURCE"),
    ):
        jax.grad(jax.jit(lambda x: jnp.sum(rows(x))))(X)


# Refusals.


def test_a_refusal_says_what_is_largest_and_what_would_help():
    lowered = jax.jit(jax.grad(loss)).lower(WEIGHTS, X)
    plain = lowered.compile()
    with jax.memory_budget(50_000), pytest.raises(jax.errors.JaxRuntimeError) as error:
        lowered.compile()
    message = str(error.value)
    assert "RESOURCE_EXHAUSTED: `loss` does not fit into its memory budget." in message
    assert re.search(r"budget +50,000 B \(48\.8 KiB\)", message)
    assert f"{peak(plain):,} B" in message
    assert "Arguments and results alone are larger than the budget" in message
    assert "donate_argnums" in message
    held = plain.memory_plan().at_peak
    assert f"{held[0].bytes:,} B" in message.split("largest first")[1].splitlines()[1]


def test_a_refusal_says_how_little_was_reached():
    lowered = jax.jit(jax.grad(loss)).lower(WEIGHTS, X)
    stats = lowered.compile().memory_analysis()
    floor = stats.peak_memory_in_bytes - stats.temp_size_in_bytes
    with (
        jax.memory_budget(floor + 1000),
        pytest.raises(jax.errors.JaxRuntimeError) as error,
    ):
        lowered.compile()
    least = re.search(r"least +([\d,]+) B", str(error.value))
    assert floor + 1000 < int(least[1].replace(",", "")) < stats.peak_memory_in_bytes


def test_a_planned_program_has_memory_and_cannot_be_run():
    lowered = jax.jit(rows).lower(X)
    plain = lowered.compile()
    planned = lowered.compile({"xla_cpu_compile_tier": "plan"})
    assert peak(planned) == peak(plain)
    assert planned.memory_analysis().generated_code_size_in_bytes == 0
    with pytest.raises(jax.errors.JaxRuntimeError, match="planned and not compiled"):
        jax.block_until_ready(planned(X))
