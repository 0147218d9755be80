"""What each primitive does to sparse arrays, for `sparsify`."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors
from jax._src.core import primitive as primitive_lib
from jax._src.lax.control_flow import conditionals, scans, while_loops
from jax._src.numpy import numpy_api as jnp, operands as operands_lib
from jax._src.sparse import (
    bcoo,
    bcsr,
    compressed,
    conv,
    conversion,
    products,
    shaping,
    slicing,
    sparse_products,
    sparsify,
    sums,
    values,
)

_PRIMITIVES = primitive_lib.declared_primitives()

# Functions f with f(0) = 0. Elements stored twice must be added up before.
_KEEP_ZERO = (
    "abs asin asinh atan atanh bessel_i1e cbrt ceil convert_element_type erf erf_inv "
    "expm1 floor log1p round sign sin sinh sqrt square tan tanh"
).split()
# Functions that are linear too: elements stored twice may stay so.
_LINEAR = "conj copy copy_p imag neg real reduce_precision stage".split()


def rule(names: str, *tables: dict) -> Callable:
    """Enters a function of arrays and parameters as the rule of primitives.

    Args:
        names: names of primitives.
        tables: where it is entered; both if none is named.
    """

    def decorate(fun: Callable) -> Callable:
        def of_values(spenv, *operands, **params):
            out = fun(*(spenv.array(v) for v in operands), **params)
            found = out if isinstance(out, list) else [out]
            return [spenv.value(x, operands[0]) for x in found]

        _enter(names, of_values, tables)
        return fun

    return decorate


def rule_of_values(names: str, *tables: dict) -> Callable:
    """Enters a function of values in the form of the tables."""

    def decorate(fun: Callable) -> Callable:
        _enter(names, fun, tables)
        return fun

    return decorate


def _enter(names: str, fun: Callable, tables: Iterable[dict]) -> None:
    for table in tables or (sparsify.sparse_rules_bcoo, sparsify.sparse_rules_bcsr):
        for name in names.split():
            if name in _PRIMITIVES:
                table[_PRIMITIVES[name]] = fun


_BCOO = sparsify.sparse_rules_bcoo


def with_data(mat: Any, data: Any) -> Any:
    """Returns an array with other values at the same indices."""
    if isinstance(mat, bcoo.BCOO):
        return bcoo.with_data(mat, data)
    return bcsr.BCSR(
        (data, mat.indices, mat.indptr),
        shape=mat.shape,
        indices_sorted=mat.indices_sorted,
        unique_indices=mat.unique_indices,
    )


def _once(mat: Any) -> Any:
    """The array with each element stored once."""
    if isinstance(mat, bcoo.BCOO):
        return sums.unique_layout(mat)
    if mat.unique_indices:
        return mat
    return compressed.bcsr_sum_duplicates(mat, nse=mat.nse)


def _elementwise(name: str, once: bool) -> None:
    primitive = _PRIMITIVES.get(name)
    if primitive is None:
        return

    @rule(name)
    def run(mat, **params):
        mat = _once(mat) if once else mat
        return with_data(mat, primitive.bind(mat.data, **params))


for _name in _KEEP_ZERO:
    _elementwise(_name, once=True)
for _name in _LINEAR:
    _elementwise(_name, once=False)


@rule("integer_pow")
def _integer_pow(mat, *, y):
    if y <= 0:
        raise errors.not_implemented(
            "sparse rule for integer_pow with exponent <= 0 is not implemented "
            "because it would result in dense output.",
            [("array", repr(mat)), ("exponent", str(y))],
            ways="Convert with jax.experimental.sparse.todense where it is meant.",
        )
    mat = _once(mat)
    return with_data(mat, _PRIMITIVES["integer_pow"].bind(mat.data, y=y))


def _refuse_dense(name, x, y):
    shapes = [("left", f"{x!r}"[:80]), ("right", f"{y!r}"[:80])]
    return errors.not_implemented(
        f"sparse rule for {name} of a sparse array and a smaller dense one is not "
        "implemented because it would result in dense output.",
        shapes,
        ways="Convert with jax.experimental.sparse.todense where it is meant.",
    )


def add(x: Any, y: Any) -> Any:
    """The sum of two arrays, of which one at least is a BCOO.

    Raises:
        NotImplementedError: the dense one would grow, or the sparse ones have different
            shapes or layouts.
    """
    if not isinstance(x, bcoo.BCOO):
        x, y = y, x
    if not isinstance(y, bcoo.BCOO):
        if operands_lib.broadcast_shapes("add", x.shape, np.shape(y)) != np.shape(y):
            raise _refuse_dense("add", x, y)
        return conversion.bcoo_todense(x) + y
    layouts = [(m.shape, m.n_batch, m.n_dense) for m in (x, y)]
    if layouts[0] != layouts[1]:
        raise errors.not_implemented(
            "Addition of sparse arrays of different shapes, or with different numbers "
            "of batch or dense dimensions, is not implemented.",
            [("left", repr(x)), ("right", repr(y))],
            ways="Give them one shape and, by bcoo_update_layout, one layout; or convert "
            "with todense().",
        )
    x, y = _promoted(x, y)
    both = [sums.same_sizes(m) for m in (x, y)]
    axis = x.n_batch
    data = shaping._concatenated([d for d, _ in both], axis, axis)
    indices = shaping._concatenated([i for _, i in both], axis, axis)
    return bcoo.BCOO((data, indices), shape=x.shape)


def _promoted(x, y):
    if x.dtype == y.dtype:
        return x, y
    dtype = jnp.result_type(x.dtype, y.dtype)
    return tuple(bcoo.with_data(m, operands_lib.convert(m.data, dtype)) for m in (x, y))


@rule_of_values("add add_any", _BCOO)
def _add(spenv, x, y, **_):
    shared = x.is_bcoo() and y.is_bcoo() and x.indices_ref == y.indices_ref
    a, b = spenv.array(x), spenv.array(y)
    if shared and x.shape == y.shape:
        data = a.data + b.data
        return [x._replace(data_ref=spenv.dense(data).data_ref)]
    return [spenv.value(add(a, b))]


@rule_of_values("sub", _BCOO)
def _sub(spenv, x, y, **_):
    if not (x.is_bcoo() and y.is_bcoo()):
        raise errors.not_implemented(
            "sparse rule for sub of a sparse array and a dense one is not implemented "
            "because it would result in dense output.",
            [
                ("left", repr(spenv.array(x))[:80]),
                ("right", repr(spenv.array(y))[:80]),
            ],
            ways="Convert with jax.experimental.sparse.todense where it is meant.",
        )
    minus = -spenv.data(y)
    return _add(spenv, x, y._replace(data_ref=spenv.dense(minus).data_ref))


@rule_of_values("mul", _BCOO)
def _mul(spenv, x, y, **_):
    if x.is_bcoo() and y.is_bcoo():
        shared = (
            x.indices_ref == y.indices_ref and x.unique_indices and x.shape == y.shape
        )
        if not shared:
            a, b = spenv.array(x), spenv.array(y)
            return [spenv.value(sparse_products.bcoo_multiply_sparse(a, b))]
        data = spenv.data(x) * spenv.data(y)
    else:
        x, y = (x, y) if x.is_bcoo() else (y, x)
        data = sparse_products.bcoo_multiply_dense(spenv.array(x), spenv.data(y))
    return [x._replace(data_ref=spenv.dense(data).data_ref)]


@rule_of_values("div", _BCOO)
def _div(spenv, x, y, **_):
    if y.is_sparse():
        raise errors.not_implemented(
            "sparse rule for div by a sparse array is not implemented because it would "
            "result in dense output.",
            [("divisor", repr(spenv.array(y)))],
        )
    divisor = spenv.data(y)
    if not divisor.ndim:
        data = spenv.data(x) / divisor
        data = data.astype(spenv.data(x).dtype)
    else:
        mat = spenv.array(x)
        data = sparse_products.bcoo_multiply_dense(mat, 1 / divisor)
    return [x._replace(data_ref=spenv.dense(data).data_ref)]


@rule("dot_general")
def _dot_general(
    lhs, rhs, *, dimension_numbers, precision=None, preferred_element_type=None, **_
):
    is_bcsr = isinstance(lhs, bcsr.BCSR) or isinstance(rhs, bcsr.BCSR)
    product = compressed.bcsr_dot_general if is_bcsr else products.bcoo_dot_general
    return product(
        lhs,
        rhs,
        dimension_numbers=dimension_numbers,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


@rule("transpose", _BCOO)
def _transpose(mat, *, permutation):
    return shaping.bcoo_transpose(mat, permutation=permutation)


@rule("reduce_sum", _BCOO)
def _reduce_sum(mat, *, axes, **_):
    out = shaping.bcoo_reduce_sum(mat, axes=axes)
    return conversion.bcoo_todense(out) if not out.shape else out


@rule("broadcast_in_dim", _BCOO)
def _broadcast(mat, *, shape, broadcast_dimensions, **_):
    return shaping.bcoo_broadcast_in_dim(
        mat, shape=shape, broadcast_dimensions=broadcast_dimensions
    )


@rule("broadcast_in_dim", sparsify.sparse_rules_bcsr)
def _broadcast_rows(mat, *, shape, broadcast_dimensions, **_):
    return compressed.bcsr_broadcast_in_dim(
        mat, shape=shape, broadcast_dimensions=broadcast_dimensions
    )


@rule("concatenate")
def _concatenate(*operands, dimension):
    if any(isinstance(m, bcsr.BCSR) for m in operands):
        return compressed.bcsr_concatenate(operands, dimension=dimension)
    return shaping.bcoo_concatenate(operands, dimension=dimension)


@rule("reshape", _BCOO)
def _reshape(mat, *, new_sizes, dimensions=None, **_):
    return shaping.bcoo_reshape(mat, new_sizes=new_sizes, dimensions=dimensions)


@rule("rev", _BCOO)
def _rev(mat, *, dimensions):
    return shaping.bcoo_rev(mat, dimensions)


@rule("squeeze", _BCOO)
def _squeeze(mat, *, dimensions):
    return shaping.bcoo_squeeze(mat, dimensions=dimensions)


@rule("expand_dims", _BCOO)
def _expand_dims(mat, *, dimensions):
    ndim = mat.ndim + len(dimensions)
    kept = [d for d in range(ndim) if d not in dimensions]
    sizes = iter(mat.shape)
    shape = [1 if d in dimensions else next(sizes) for d in range(ndim)]
    return shaping.bcoo_broadcast_in_dim(mat, shape=shape, broadcast_dimensions=kept)


@rule("slice", _BCOO)
def _slice(mat, *, start_indices, limit_indices, strides):
    return slicing.bcoo_slice(
        mat, start_indices=start_indices, limit_indices=limit_indices, strides=strides
    )


@rule("dynamic_slice", _BCOO)
def _dynamic_slice(mat, *starts, slice_sizes):
    return slicing.bcoo_dynamic_slice(mat, starts, slice_sizes)


@rule("gather", _BCOO)
def _gather(
    mat, indices, *, dimension_numbers, slice_sizes, mode=None, fill_value=None, **_
):
    return slicing.bcoo_gather(
        mat, indices, dimension_numbers, slice_sizes, mode=mode, fill_value=fill_value
    )


@rule("stack", _BCOO)
def _stack(*operands, axis):
    grown = [_expand_dims(m, dimensions=(axis,)) for m in operands]
    return shaping.bcoo_concatenate(grown, dimension=axis)


def row(mat: bcoo.BCOO, number: int, axis: int = 0) -> bcoo.BCOO:
    """One row of an array, without its axis."""
    starts, limits = [0] * mat.ndim, list(mat.shape)
    starts[axis], limits[axis] = number, number + 1
    part = slicing.bcoo_slice(mat, start_indices=starts, limit_indices=limits)
    return shaping.bcoo_squeeze(part, dimensions=(axis,))


@rule("unstack", _BCOO)
def _unstack(mat, *, axis):
    return [row(mat, number, axis) for number in range(mat.shape[axis])]


@rule("conv_general_dilated", _BCOO)
def _conv(lhs, rhs, **params):
    known = {
        "window_strides",
        "padding",
        "lhs_dilation",
        "rhs_dilation",
        "dimension_numbers",
        "feature_group_count",
        "batch_group_count",
        "precision",
        "preferred_element_type",
    }
    params = {k: v for k, v in params.items() if k in known}
    return conv.bcoo_conv_general_dilated(lhs, rhs, **params)


@rule("todense")
def _todense(mat, *, tree):
    is_bcoo = isinstance(mat, bcoo.BCOO)
    return conversion.bcoo_todense(mat) if is_bcoo else compressed.bcsr_todense(mat)


def _inline(name: str, field: str) -> None:
    """The rule of a primitive that calls a program."""

    @rule_of_values(name)
    def run(spenv, *operands, **params):
        closed = params[field]
        if any(params.get("donated_invars", ())):
            raise NotImplementedError(
                "sparsify: donated arguments are not implemented for sparse arrays. "
                "Leave donate_argnums out."
            )
        return sparsify.eval_sparse(closed.jaxpr, closed.consts, operands, spenv)


_inline("jit", "jaxpr")
_inline("remat2", "jaxpr")
_inline("custom_jvp_call", "call_jaxpr")
_inline("custom_vjp_call", "call_jaxpr")


def _as_function(closed: Any) -> Callable:
    """A program as a function of arrays, dense and sparse, that returns a list."""

    def run(*args):
        spenv = values.SparsifyEnv()
        operands = values.arrays_to_spvalues(spenv, args)
        outs = sparsify.eval_sparse(closed.jaxpr, closed.consts, operands, spenv)
        return values.spvalues_to_arrays(spenv, list(outs))

    return run


def _same_layout(what: str, before: Any, after: Any) -> None:
    if tree.tree_structure(before) != tree.tree_structure(after):
        raise errors.type_error(
            f"sparsify: {what} changes the layout of a sparse array.",
            [("before", str(before)[:200]), ("after", str(after)[:200])],
            "Layout, number of stored elements and promises stay the same.",
        )


@rule("cond")
def _cond(index, *operands, branches, **_):
    runs = [_as_function(branch) for branch in branches]
    return list(conditionals.switch(index, runs, *operands))


@rule("while")
def _while(*operands, **params):
    operands, params = while_loops.reduce_batched_predicate(operands, params)
    cond_nconsts, body_nconsts = params["cond_nconsts"], params["body_nconsts"]
    cond_jaxpr, body_jaxpr = params["cond_jaxpr"], params["body_jaxpr"]
    of_cond = operands[:cond_nconsts]
    of_body = operands[cond_nconsts : cond_nconsts + body_nconsts]
    init = list(operands[cond_nconsts + body_nconsts :])
    condition, body = _as_function(cond_jaxpr), _as_function(body_jaxpr)

    def step(carry):
        out = body(*of_body, *carry)
        _same_layout("a step of while_loop", carry, out)
        return out

    return list(
        while_loops.while_loop(lambda carry: condition(*of_cond, *carry)[0], step, init)
    )


@rule("scan")
def _scan(*operands, jaxpr, num_consts, num_carry, reverse, length, unroll, **_):
    consts = operands[:num_consts]
    init = list(operands[num_consts : num_consts + num_carry])
    xs = list(operands[num_consts + num_carry :])
    if any(values.is_sparse(x) for x in xs):
        raise NotImplementedError(
            "sparsify: rows of sparse arrays as `xs` of scan are not implemented. "
            "Index a sparse constant in the step instead."
        )
    body = _as_function(jaxpr)

    def step(carry, rows):
        out = body(*consts, *carry, *rows)
        _same_layout("a step of scan", carry, out[:num_carry])
        return out[:num_carry], out[num_carry:]

    carry, ys = scans.scan(
        step, init, xs, length=length, reverse=reverse, unroll=unroll
    )
    return [*carry, *ys]
