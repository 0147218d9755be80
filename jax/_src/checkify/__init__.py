"""Checks inside of compiled functions."""

from jax._src.checkify.errors import (
    DivisionByZeroError as DivisionByZeroError,
    Error as Error,
    ErrorCategory as ErrorCategory,
    FailedCheckError as FailedCheckError,
    JaxException as JaxException,
    JaxRuntimeError as JaxRuntimeError,
    NaNError as NaNError,
    OOBError as OOBError,
    Out as Out,
    all_checks as all_checks,
    automatic_checks as automatic_checks,
    div_checks as div_checks,
    float_checks as float_checks,
    index_checks as index_checks,
    init_error as init_error,
    nan_checks as nan_checks,
    user_checks as user_checks,
)
from jax._src.checkify.transform import checkify as checkify
from jax._src.checkify.user import (
    check as check,
    check_error as check_error,
    debug_check as debug_check,
)
