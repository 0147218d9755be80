"""Functions written for dense arrays, applied to sparse ones."""

from collections.abc import Callable, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, util
from jax._src.core import jaxpr as jaxpr_lib, primitive as primitive_lib, state, trace
from jax._src.numpy import numpy_api as jnp
from jax._src.sparse import values
from jax._src.transforms import inspect_programs, shape_dtype_struct

# For each primitive: f(spenv, *spvalues, **params) gives a list of values. A primitive
# with a sparse operand of the kind asks here.
sparse_rules_bcoo: dict[primitive_lib.Primitive, Callable] = {}
sparse_rules_bcsr: dict[primitive_lib.Primitive, Callable] = {}

# Primitives whose results would store everything, of zeros too.
DENSE_RESULTS = frozenset(
    "acos acosh bessel_i0e cos cosh eq exp ge gt le lt log ne xor".split()
)


def no_rule(name: str, spvalues: Sequence[values.SparsifyValue]) -> NotImplementedError:
    """The error for a primitive that has no rule."""
    why = (
        " because it would result in dense output"
        if name in DENSE_RESULTS or name == "integer_pow"
        else ""
    )
    kinds = [
        "dense" if v.is_dense() else "BCSR" if v.is_bcsr() else "BCOO" for v in spvalues
    ]
    return errors.not_implemented(
        f"sparse rule for {name} is not implemented{why}.",
        [("operands", ", ".join(kinds))],
        ways="Convert with jax.experimental.sparse.todense where a dense array is meant.",
    )


def apply(
    spenv: values.SparsifyEnv,
    primitive: primitive_lib.Primitive,
    spvalues: Sequence[values.SparsifyValue],
    params: dict[str, Any],
) -> list[values.SparsifyValue]:
    """The results of a primitive, of which at least one operand is sparse.

    Raises:
        NotImplementedError: there is no rule for it.
    """
    is_bcsr = any(v.is_bcsr() for v in spvalues)
    rules = sparse_rules_bcsr if is_bcsr else sparse_rules_bcoo
    if primitive not in rules:
        raise no_rule(primitive.name, spvalues)
    return list(rules[primitive](spenv, *spvalues, **params))


def eval_sparse(
    jaxpr: jaxpr_lib.Jaxpr,
    consts: Sequence[Any],
    spvalues: Sequence[values.SparsifyValue],
    spenv: values.SparsifyEnv,
) -> Sequence[values.SparsifyValue]:
    """Runs a program on values.

    Args:
        jaxpr: the program.
        consts: arrays, the values of its constants.
        spvalues: values of its inputs.
        spenv: their buffers.
    """
    known: dict[Any, values.SparsifyValue] = dict(
        zip(jaxpr.invars, spvalues, strict=True)
    )
    for var, const in zip(jaxpr.constvars, consts, strict=True):
        known[var] = spenv.dense(const)

    def read(atom):
        return (
            spenv.dense(atom.val)
            if isinstance(atom, jaxpr_lib.Literal)
            else known[atom]
        )

    for eqn in jaxpr.eqns:
        operands = [read(v) for v in eqn.invars]
        if any(v.is_sparse() for v in operands):
            outs = apply(spenv, eqn.primitive, operands, eqn.params)
        else:
            dense = tuple(spenv.data(v) for v in operands)
            rebind = eqn.primitive.rules.get("rebind")
            bind = eqn.primitive.bind
            out = rebind(dense, eqn.params) if rebind else bind(*dense, **eqn.params)
            found = out if eqn.primitive.multiple_results else [out]
            outs = [spenv.dense(x) for x in found]
        known.update(zip(eqn.outvars, outs, strict=True))
    return [read(v) for v in jaxpr.outvars]


def sparsify_raw(f: Callable) -> Callable:
    """`f` as a function ``(spenv, *spvalues, **params) -> (spvalues, is_dense)``.

    `f` takes arrays of the values' types, and trees of them.
    """

    def run(spenv, *spvalues, **params):
        flat, structure = tree.tree_flatten(spvalues, is_leaf=values.is_value)
        avals = [values.spvalues_to_avals(spenv, v) for v in flat]
        structs = [shape_dtype_struct.struct_of(a) for a in avals]

        def on_leaves(*leaves):
            return f(*tree.tree_unflatten(structure, leaves), **params)

        closed, out_tree = inspect_programs.trace_call(
            on_leaves, tuple(structs), {}, "sparsify"
        )
        outs = eval_sparse(closed.jaxpr, closed.consts, flat, spenv)
        if len(outs) != out_tree.num_leaves:
            raise ValueError("sparsify: the function writes references.")
        return list(outs), out_tree

    return run


def sparsify(f: Callable, use_tracer: bool = False) -> Callable:
    """Makes a function written for dense arrays take sparse ones.

    Args:
        f: function of trees of arrays. Each operation that meets a sparse array must be
            one that leaves zeros alone, or else a `NotImplementedError` says which is not.
        use_tracer: whether operations are carried out while `f` runs, so that values of
            dense arguments may decide; else a program of `f` is made first.

    Returns:
        A function of trees in which arrays may be BCOO or BCSR. Its results are sparse
        where they follow from sparse arrays.

    Examples:
        >>> from jax.experimental import sparse
        >>> x = sparse.BCOO.fromdense(jnp.array([0., 4., 9.]))
        >>> sparse.sparsify(lambda x: jnp.sqrt(x) * 2)(x).data
        Array([4., 6.], dtype=float32)
    """
    return _by_tracing(f) if use_tracer else _by_program(f)


def _by_program(f):
    raw = sparsify_raw(f)

    @util.wraps(f)
    def run(*args, **params):
        spenv = values.SparsifyEnv()
        outs, out_tree = raw(spenv, *values.arrays_to_spvalues(spenv, args), **params)
        return tree.tree_unflatten(out_tree, values.spvalues_to_arrays(spenv, outs))

    return run


class SparseTrace(trace.Trace):
    """Carries operations out on sparse arrays, while a function runs."""

    __slots__ = ("spenv", "tag")

    def __init__(self, parent_trace: Any, tag: Any, spenv: values.SparsifyEnv):
        super().__init__(parent_trace, "sparsify")
        self.tag, self.spenv = tag, spenv

    @property
    def parent_trace(self) -> Any:
        """The trace in which the buffers live."""
        return self.parent

    def to_sparse_tracer(self, val: Any) -> "SparseTracer":
        """A value of this trace."""
        if isinstance(val, SparseTracer) and val._trace is self:
            return val
        return SparseTracer(self, spvalue=self.spenv.dense(val))

    def process(
        self, primitive: primitive_lib.Primitive, args: tuple, params: dict
    ) -> Any:
        """Applies a primitive, by its sparse rule where an operand is sparse."""
        with state.tracing(self.parent):
            operands = [self.to_sparse_tracer(x).spvalue for x in args]
            if any(v.is_sparse() for v in operands):
                outs = apply(self.spenv, primitive, operands, params)
            else:
                dense = tuple(self.spenv.data(v) for v in operands)
                found = state.current().process(primitive, dense, params)
                found = found if primitive.multiple_results else [found]
                outs = [self.spenv.dense(x) for x in found]
        made = [SparseTracer(self, spvalue=v) for v in outs]
        return made if primitive.multiple_results else made[0]


class SparseTracer(trace.Tracer):
    """A sparse array, or one that was made of it, while a function runs."""

    __slots__ = ("spvalue",)

    def __init__(self, trace: SparseTrace, *, spvalue: values.SparsifyValue):
        (aval,) = tree.tree_leaves([values.spvalues_to_avals(trace.spenv, spvalue)])
        super().__init__(trace, aval)
        self.spvalue = spvalue

    @property
    def spenv(self) -> values.SparsifyEnv:
        """Where the buffers are."""
        return self._trace.spenv


def _by_tracing(f):
    @util.wraps(f)
    def run(*args, **params):
        spenv = values.SparsifyEnv()
        running = SparseTrace(state.current(), None, spenv)
        traced = tree.tree_map(
            lambda x: SparseTracer(running, spvalue=spenv.value(x)),
            args,
            is_leaf=values.is_sparse,
        )
        with state.tracing(running):
            out = f(*traced, **params)

        def array(x):
            if isinstance(x, SparseTracer) and x._trace is running:
                return spenv.array(x.spvalue)
            return x if values.is_sparse(x) else jnp.asarray(x)

        found = tree.tree_map(array, out, is_leaf=values.is_sparse)
        running.finish()
        return found

    return run


def sparsify_fun(wrapped_fun: Callable, args: Sequence[Any]) -> Any:
    """The results of a function of arrays, of which some are sparse.

    Libraries pass it wrapped, as a `WrappedFun`.
    """
    fun = getattr(wrapped_fun, "call_wrapped", wrapped_fun)
    return _by_tracing(fun)(*args)
