"""Comparisons for tests: re-exports for third-party libraries, which import this path."""

from jax._src.test_util import (
    check_close as check_close,
    check_grads as check_grads,
    check_jvp as check_jvp,
    check_vjp as check_vjp,
)
