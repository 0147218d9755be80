"""A kernel of a library, with operands, and what it computes."""

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

import jax
import jax.numpy as jnp
from jax.experimental.pallas import tpu as pltpu

# What differs by so much, of the largest magnitude, counts as the same.
BOUNDS = {"float32": 2e-3, "bfloat16": 3e-2, "float16": 1e-2}


@dataclasses.dataclass(frozen=True)
class Case:
    """A kernel with operands.

    Args:
        name: the module, and what was chosen.
        run: calls it, interpreted or not.
        expected: computes the same without a kernel.
        dtype: what decides how closely the two agree.
    """

    name: str
    run: Callable[[bool], Any]
    expected: Callable[[], Any]
    dtype: str = "float32"


def mode(interpret: bool) -> contextlib.AbstractContextManager:
    """The context for kernels that have no parameter for it."""
    return pltpu.force_tpu_interpret_mode() if interpret else contextlib.nullcontext()


def normal(seed: int, *shape: int, dtype: Any = "float32") -> jax.Array:
    """Normal numbers."""
    values = np.random.RandomState(seed).standard_normal(shape)
    return jnp.asarray(values, jnp.float32).astype(dtype)


def reason(case: Case, interpret: bool) -> str:
    """Why a case does not compute what it should; "" where it does."""
    try:
        got = jax.tree.leaves(case.run(interpret))
        jax.block_until_ready(got)
    except Exception as error:
        # What a callback raised stands behind its frames.
        text = str(error).split("Traceback (most recent call last):")[-1].strip()
        lines = [line for line in text.split("\n") if not line.startswith(" ")]
        return f"{type(error).__name__}: {(lines or [text])[0][:300]}"
    expected = jax.tree.leaves(case.expected())
    if len(got) != len(expected):
        return f"{len(got)} results, not {len(expected)}"
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        a, b = (np.asarray(x, np.float64) for x in (a, b))
        if a.shape != b.shape:
            return f"result {i} has shape {a.shape}, not {b.shape}"
        bound = BOUNDS[case.dtype] * max(1.0, np.abs(b).max(initial=0))
        wrong = ~(np.abs(a - b) <= bound)
        if wrong.any():
            at = tuple(int(x) for x in np.argwhere(wrong)[0])
            share = wrong.mean()
            return f"result {i}: {share:.1%} differ, at {at} {a[at]}, not {b[at]}"
    return ""
