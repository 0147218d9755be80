"""Vectors replaced by the nearest of a few."""

from __future__ import annotations

from typing import Any

from jax._src.base import errors, traceback_filter
from jax._src.numpy import numpy_api as jnp, operands
from jax._src.numpy.jit_wrapper import jit_as_call as jit

Array = Any
ArrayLike = Any


def vq(
    obs: ArrayLike, code_book: ArrayLike, check_finite: bool = True
) -> tuple[Array, Array]:
    """For each observation the number of the nearest code, and its distance.

    Args:
        obs: array of shape ``(m, n)``, or ``(m,)`` for numbers.
        code_book: array of shape ``(k, n)``, or ``(k,)``.
        check_finite: not used.

    Returns:
        Arrays of shape ``(m,)``: whole numbers, and distances.

    Raises:
        ValueError: the numbers of axes differ, or are neither 1 nor 2. TypeError: the
            vectors differ in length.
    """
    return _nearest(obs, code_book)


@jit
def _nearest(obs, code_book):
    operands.check_arraylike("scipy.cluster.vq.vq", obs, code_book)
    obs, code_book = operands.promote_dtypes_inexact(
        *map(operands.to_array, (obs, code_book))
    )
    facts = [
        ("obs", operands.type_name(obs)),
        ("code_book", operands.type_name(code_book)),
    ]
    if operands.ndim(obs) != operands.ndim(code_book) or operands.ndim(obs) not in (
        1,
        2,
    ):
        raise errors.value_error(
            "jax.scipy.cluster.vq.vq: the numbers of axes do not fit.",
            facts,
            "Both are vectors of numbers, or both are matrices whose rows are vectors.",
        )
    if operands.ndim(obs) == 1:
        obs, code_book = obs[:, None], code_book[:, None]
    if operands.shape(obs)[1] != operands.shape(code_book)[1]:
        raise errors.type_error(
            "jax.scipy.cluster.vq.vq: the vectors differ in length.", facts
        )
    differences = obs[:, None, :] - code_book[None, :, :]
    distances = jnp.sqrt(jnp.sum(jnp.real(differences * jnp.conj(differences)), -1))
    return jnp.argmin(distances, axis=-1), distances.min(axis=-1)


traceback_filter.hide_frames(globals())
