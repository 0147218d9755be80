"""Static arguments whose comparison fails: the error says what is compared, and why."""

import numpy as np
import pytest

import jax
import jax.numpy as jnp


class Raises:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise KeyError("no comparison")


class Unclear:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        return np.ones(2, bool)


def calls(make):
    by_number = jax.jit(lambda x, s: x, static_argnums=1)
    by_name = jax.jit(lambda x, s: x, static_argnames="s")
    return {
        "by number": lambda: by_number(1.0, make()),
        "by name": lambda: by_name(1.0, s=make()),
        "ahead of time": lambda: by_number.lower(1.0, make()),
        "inside": lambda: jax.jit(lambda x: by_number(x, make()))(1.0),
        "batched": lambda: jax.vmap(lambda x: by_number(x, make()))(jnp.ones(2)),
    }


@pytest.mark.parametrize("kind", [Raises, Unclear])
@pytest.mark.parametrize("name", calls(Raises))
def test_errors_of_comparisons_name_the_types(name, kind):
    call = calls(kind)[name]
    call()
    with pytest.raises(ValueError, match="comparable using __eq__") as caught:
        call()
    assert kind.__name__ in str(caught.value)
    cause = KeyError if kind is Raises else ValueError
    assert isinstance(caught.value.__cause__, cause)


def test_a_value_is_itself_without_being_compared():
    value = Raises()
    traces = []
    fun = jax.jit(lambda x, s: traces.append(s) or x, static_argnums=1)
    for _ in range(2):
        fun(1.0, value)
    jax.jit(lambda x: fun(x, value))(1.0)
    assert len(traces) == 1


def test_a_jitted_function_is_shown_as_what_it_calls():
    def double(x):
        return 2 * x

    assert repr(jax.jit(double)) == f"<PjitFunction of {double!r}>"
