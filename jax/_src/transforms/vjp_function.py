"""Linear functions that derivatives return: of tangents, and of cotangents."""

import functools as ft
from typing import Any

import numpy as np

from jax._src import tree
from jax._src.base import errors, records, scalars, util
from jax._src.base.traceback_filter import api_boundary
from jax._src.core import (
    avals,
    evaluate,
    reference_links,
    slots,
)
from jax._src.interpreters import ad
from jax._src.interpreters.ad import backward_logs
from jax._src.transforms import calls, vjp_residuals, vjp_residuals as residuals


def as_array(ct):
    """A cotangent that stayed a number on the host, as an array."""
    aval = avals.get_aval(ct)
    is_on_host = isinstance(ct, (float, complex, np.generic))
    if is_on_host and aval.dtype != scalars.float0:
        return slots.convert(ct, aval.dtype, aval.weak_type)
    return ct


def without_zero(tangent):
    """A tangent or cotangent for the user: an array in place of a symbolic zero."""
    if type(tangent) is ad.Zero:
        return as_array(tangent.instantiate())
    return tangent


def _check_primal_cotangent(aval, ct, path):
    wanted = aval
    given = avals.get_aval(ct)
    # An integer result takes numbers too: whatever they are, they count for nothing.
    is_ignored = avals.is_float0(wanted) and not given.is_high
    if not avals.same_form(given, wanted, is_ignored):
        raise errors.value_error(
            "unexpected JAX type (e.g. shape/dtype) for argument to VJP function: got "
            f"{given.str_short()}, but expected {wanted.str_short()} because the "
            "corresponding output of the differentiated function had JAX type "
            f"{wanted.str_short()}.",
            [("result", path)],
            "Cotangents have the shape and dtype of the primal results; for integers, "
            "dtype float0.",
        )


class _Referable:
    """What weak references may refer to."""

    __slots__ = ("__weakref__",)


class VJP(_Referable):
    """What `vjp` returns: a function from cotangents of results to those of arguments.

    Args:
        linear: the linear program and its residuals.
        full_tree: the tree of positional arguments and of those by name.
        out_tree: the tree of the results.
        name: the name of the differentiated function.
        sources: for each residual the leaf of the arguments that it is, or None.
    """

    __slots__ = (
        "_args_res",
        "_linear",
        "full_tree",
        "name",
        "out_tree",
        "sources",
        "want_logs",
    )

    def __init__(
        self,
        linear: ad.Linearized,
        full_tree: Any,
        out_tree: Any,
        name: str,
        sources: tuple[int | None, ...],
    ):
        self._linear = linear
        self._args_res: Any = None
        self.full_tree = full_tree
        self.out_tree = out_tree
        self.name = name
        self.sources = sources
        # Whether calls return what backward rules report, too.
        self.want_logs = False

    @property
    def in_tree(self) -> Any:
        """The tree of the positional arguments."""
        return tree.treedef_children(self.full_tree)[0]

    @property
    def linear(self) -> ad.Linearized:
        """The linear program and its residuals, as the caller left them."""
        kept = self._linear
        if self._args_res is None:
            return kept
        given = self._args_res
        consts = residuals.with_arguments(
            self.in_tree, self.sources, kept.jaxpr.constvars, kept.consts, given
        )
        return kept.with_consts(consts)

    @property
    def jaxpr(self) -> Any:
        """The linear program, whose constant variables stand for residuals."""
        return self._linear.jaxpr

    @property
    def fun(self) -> ft.partial:
        """The linear program as a partial call."""
        return ft.partial(evaluate.eval_jaxpr, self._linear.jaxpr)

    @property
    def args_res(self) -> list[Any]:
        """For each argument those leaves that are residuals, and `NotNeeded` for others.

        Entries may be replaced: by None to free memory, and by arrays before the next call.
        """
        if self._args_res is None:
            consts = self._linear.consts
            self._args_res = residuals.arguments(self.in_tree, self.sources, consts)
            # From now on the list alone keeps the arguments.
            kept = [
                c if s is None else None
                for c, s in zip(consts, self.sources, strict=True)
            ]
            self._linear = self._linear.with_consts(kept)
        return self._args_res

    @args_res.setter
    def args_res(self, value: list[Any]) -> None:
        del self.args_res[:]
        self._args_res.extend(value)

    @property
    def opaque_residuals(self) -> list[Any]:
        """The residuals that are no arguments."""
        pairs = zip(self._linear.consts, self.sources, strict=True)
        return [const for const, source in pairs if source is None]

    @property
    def structured_residuals(self) -> list[Any]:
        """The residuals that are kept as trees: none."""
        return []

    @property
    def out_nzs(self) -> list[bool]:
        """For each leaf of the result, whether its cotangent counts."""
        outs = self._linear.jaxpr.outvars
        return [getattr(v.aval, "dtype", None) != scalars.float0 for v in outs]

    @property
    def with_logs(self) -> "VJP":
        """The function that returns ``(cotangents, logs)``.

        Logs are what backward rules of `defvjp_with_logs` report, by name.
        """
        copy = self.replace()
        copy.want_logs = True
        return copy

    def replace(self, *, args_res: Any = None, opaque_residuals: Any = None) -> "VJP":
        """A copy with other residuals.

        Args:
            args_res: instead of `args_res`.
            opaque_residuals: instead of `opaque_residuals`, as many.
        """
        linear = self.linear
        if opaque_residuals is not None:
            others = iter(opaque_residuals)
            pairs = zip(linear.consts, self.sources, strict=True)
            consts = [next(others) if s is None else c for c, s in pairs]
            linear = linear.with_consts(consts)
        copy = VJP(linear, self.full_tree, self.out_tree, self.name, self.sources)
        copy.want_logs = self.want_logs
        if args_res is not None:
            copy.args_res = list(args_res)
        return copy

    def __call__(self, *cotangents: Any) -> tuple:
        """The cotangents of the arguments, a tuple with one tree per argument.

        If `want_logs` is true, a pair of it and a dictionary comes back.
        """
        if len(cotangents) != 1:
            raise TypeError(
                f"The function returned by `jax.vjp` applied to {self.name} was called with "
                f"{len(cotangents)} arguments, but functions returned by `jax.vjp` must be "
                "called with a single argument corresponding to the single value returned "
                f"by {self.name}: a tree like it."
            )
        with backward_logs.collect(self.want_logs) as logs:
            found = [without_zero(ct) for ct in self._transpose(cotangents[0])]
        args, _ = tree.tree_unflatten(self.full_tree, found)
        return (args, logs.values()) if self.want_logs else args

    def _transpose(self, cotangent):
        leaves, ct_tree = tree.tree_flatten(cotangent)
        if ct_tree != self.out_tree:
            raise errors.value_error(
                "unexpected tree structure.\nThe argument to a VJP function returned by "
                "`jax.vjp` must match the pytree structure of the differentiated "
                f"function {self.name}.",
                [("results", str(self.out_tree)), ("cotangents", str(ct_tree))],
            )
        paths = calls.result_paths(self.out_tree)
        linear = self.linear
        for aval, ct, path in zip(linear.out_avals, leaves, paths, strict=True):
            _check_primal_cotangent(aval, ct, path)
        if self._args_res is not None:
            residuals.check_complete(self.in_tree, self.sources, linear.consts)
        return linear.transpose(leaves)

    def with_refs(self, *wanted: Any) -> tree.Partial:
        """The function whose cotangents are added to references, as far as wanted.

        Args:
            *wanted: one tree per argument, of the same structure, whose leaves are
                references, to which cotangents are added; `jax.ad.GradValue()`, for
                cotangents that are returned; or `jax.ad.DontWant()`.

        Returns:
            A function from a cotangent to a tuple of trees like the arguments. Where a
            reference was given it has a `jax.ad.GradRef`, and where nothing was wanted
            a `jax.ad.DidntWant`.

        Raises:
            ValueError: the trees differ from those of the arguments.
            TypeError: a leaf is none of these.
        """
        leaves, wanted_tree = tree.tree_flatten((wanted, {}))
        if wanted_tree != self.full_tree:
            raise errors.value_error(
                "with_refs: the trees differ from those of the arguments.",
                [("arguments", str(self.full_tree)), ("given", str(wanted_tree))],
                "There is one leaf per array of the arguments.",
                "For cotangents that are to be returned: jax.ad.GradValue().",
            )
        for leaf in leaves:
            if not isinstance(
                leaf,
                reference_links.Ref | vjp_residuals.GradValue | vjp_residuals.DontWant,
            ):
                raise errors.type_error(
                    "with_refs: a leaf does not say where its cotangent goes.",
                    [("leaf", f"{type(leaf).__name__}: {leaf!r}"[:60])],
                    "It is a reference, jax.ad.GradValue() or jax.ad.DontWant().",
                )
        return tree.Partial(_accumulate, self, leaves)


def _accumulate(back, wanted, cotangent):
    """The function of `VJP.with_refs`: adds cotangents to references."""
    found = back._transpose(cotangent)
    answers: list[Any] = []
    for want, ct in zip(wanted, found, strict=True):
        if isinstance(want, vjp_residuals.DontWant):
            answers.append(vjp_residuals.DidntWant())
        elif isinstance(want, reference_links.Ref):
            if type(ct) is not ad.Zero:
                want.addupdate(ct)
            answers.append(vjp_residuals.GradRef())
        else:
            answers.append(without_zero(ct))
    args, _ = tree.tree_unflatten(back.full_tree, answers)
    return args


@records.identity_record
class LinearFunction(_Referable):
    """What `linearize` returns: a function from tangents of arguments to those of results."""

    linear: ad.Linearized
    in_tree: Any
    out_tree: Any
    name: str
    # Which leaves of the arguments are references, and which of those are written.
    references: tuple[int, ...]
    written: tuple[int, ...]

    @property
    def func(self) -> ft.partial:
        """The linear program as a partial call, as a `Partial` has it."""
        return ft.partial(evaluate.eval_jaxpr, self.linear.jaxpr)

    @property
    def args(self) -> tuple:
        """The values that the program takes before the tangents."""
        return (self.linear.consts,)

    @api_boundary
    def __call__(self, *tangents: Any) -> Any:
        """The tangents of the results, a tree like them.

        Where an argument is a reference, so is its tangent, which is updated like it.
        """
        leaves, in_tree = tree.tree_flatten((tangents, {}))
        if in_tree != self.in_tree:
            raise errors.type_error(
                "The tangents given to a linearised function differ in structure from "
                "its arguments.",
                [("arguments", str(self.in_tree)), ("tangents", str(in_tree))],
            )
        self._check_references(leaves)
        for wanted, tangent in zip(self.linear.in_avals, leaves, strict=True):
            given = avals.get_aval(tangent)
            if not avals.same_form(wanted, given):
                raise errors.value_error(
                    "linearized function called on tangent values inconsistent with "
                    "the original primal values.",
                    [("wanted", wanted.str_short()), ("given", given.str_short())],
                )
        found = [
            without_zero(t) for t in self.linear.apply(reference_links.arrays(leaves))
        ]
        found = reference_links.stored([leaves[i] for i in self.written], found)
        return tree.tree_unflatten(self.out_tree, found)

    def _check_references(self, tangents):
        refs = tuple(
            i for i, t in enumerate(tangents) if type(t) is reference_links.Ref
        )
        if refs != self.references:
            raise errors.value_error(
                "The tangents given to a linearised function are references at other positions "
                "than its arguments.",
                [
                    ("arguments", f"references at {list(self.references)}"),
                    ("tangents", f"references at {list(refs)}"),
                ],
                ways="Where an argument is a reference, pass jax.new_ref(tangent).",
            )
        reference_links.refuse_twice(
            [tangents[i] for i in refs], f"the derivative of {self.name}"
        )


def _flatten(function):
    linear = function.linear
    of_linear = (
        tuple(linear.in_avals),
        tuple(linear.is_linear_input),
        tuple(linear.out_avals),
        tuple(linear.out_is_zero),
    )
    others = _FIELDS[type(function)]
    data = _Same(linear.jaxpr), of_linear, tuple(getattr(function, n) for n in others)
    return linear.consts, data


_FIELDS = {
    VJP: ("full_tree", "out_tree", "name", "sources"),
    LinearFunction: records.fields_of(LinearFunction)[1:],
}


_Same = util.IdentityKey


def _unflatten(kind, data, consts):
    jaxpr, of_linear, others = data
    linear = ad.Linearized(jaxpr.value, list(consts), *map(list, of_linear))
    return kind(linear, *others)


for _kind in (VJP, LinearFunction):
    tree.register_pytree_node(_kind, _flatten, ft.partial(_unflatten, _kind))
