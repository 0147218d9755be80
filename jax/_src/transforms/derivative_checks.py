"""Which arguments and results `grad` and its kin take; the errors for those that they refuse."""

from typing import Any

from jax._src.base import errors, scalars
from jax._src.core import avals
from jax._src.transforms import calls


def check_argument(name: str, aval: Any, holomorphic: bool, allow_int: bool) -> None:
    """Refuses an argument that cannot be differentiated in.

    Raises:
        TypeError: its dtype has no derivative of the kind that the transformation `name` gives.
    """
    if aval.is_high:
        return  # Its tangents have a type of their own.
    dtype = aval.dtype
    if isinstance(dtype, scalars.ExtendedDType):
        if name == "grad" and allow_int and not holomorphic:
            return
        raise TypeError(
            f"{name} requires real- or complex-valued inputs (input dtype that is a sub-dtype "
            f"of np.inexact), but got {dtype.name}, which has no derivative."
        )
    if dtype.kind == "T":
        raise TypeError(
            f"{name}: Argument of dtype {dtype.name} is not a valid JAX type: strings have no "
            "derivative."
        )
    is_forward = name.startswith("jacfwd")
    if holomorphic:
        if dtype.kind != "c":
            raise TypeError(
                f"{name} with holomorphic=True requires inputs with complex dtype, but got "
                f"{dtype.name}."
            )
    elif not scalars.is_inexact(dtype) and not allow_int:
        raise errors.type_error(
            f"{name} requires {_REAL_INPUTS if is_forward else _INEXACT_INPUTS}, but got "
            f"{dtype.name}.",
            [("argument", aval.str_short())],
            "Integers and truth values have no neighbours to compare with.",
            "If a float is meant, pass 1.0 instead of 1.\n"
            "If not, use argnums to choose other arguments, or allow_int=True.",
        )
    elif dtype.kind == "c" and not holomorphic and is_forward:
        raise errors.type_error(
            f"{name} requires {_REAL_INPUTS}, but got {dtype.name}.",
            ways="For a holomorphic function: holomorphic=True.\nOtherwise: jax.jvp.",
        )


_REAL_INPUTS = "real-valued inputs (input dtype that is a sub-dtype of np.floating)"
_INEXACT_INPUTS = (
    "real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact)"
)


def no_real_results(name: str, dtype: Any) -> TypeError:
    """The error of reverse-mode differentiation of results that are not real."""
    return errors.type_error(
        f"{name} requires real-valued outputs (output dtype that is a sub-dtype of "
        f"np.floating), but got {dtype.name}.",
        ways="For a holomorphic function: holomorphic=True.\n"
        "Otherwise: jax.vjp, or take the real part first."
        if dtype.kind == "c"
        else "For the derivative of whole numbers, which is float0: jax.vjp.",
    )


def check_scalar(fun: Any, outs: Any, out_tree: Any, holomorphic: bool) -> None:
    """Refuses results that are not one number.

    Raises:
        TypeError: there are several, or the one has no gradient.
    """
    rule = "Gradient only defined for scalar-output functions."
    if out_tree.num_leaves != 1 or out_tree.num_nodes != 1:
        raise errors.type_error(
            rule,
            [("output", str(out_tree)), ("function", calls.describe(fun))],
            ways="Return one number, or (number, auxiliary) with has_aux=True.",
        )
    aval = avals.get_aval(outs[0])
    if aval.shape != ():
        raise errors.type_error(
            f"{rule} Output had shape: {aval.shape}.",
            [("output", aval.str_short()), ("function", calls.describe(fun))],
            ways="To get the gradient, reduce the output to a scalar with "
            "output.sum(), or use jax.jacobian for all derivatives.",
        )
    if holomorphic and aval.dtype.kind != "c":
        raise TypeError(
            "grad with holomorphic=True requires outputs with complex dtype, but got "
            f"{aval.dtype.name}."
        )
    is_real = scalars.is_inexact(aval.dtype) and aval.dtype.kind != "c"
    if not holomorphic and not is_real:
        raise no_real_results("grad", aval.dtype)
