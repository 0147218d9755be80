"""Transformations: each wraps a function and gives one with parameters of its own."""

import dataclasses

import jax
import jax.numpy as jnp
from tests.programs import body
from tests.programs.scope import Aval, Scope, Unsuited


@dataclasses.dataclass(frozen=True, slots=True)
class Function:
    """An expression for a function and the types of its parameters."""

    text: str
    params: tuple

    @property
    def count(self) -> int:
        return len(self.params)


def _flat(params) -> list:
    return jax.tree.leaves(list(params))


def _is_float(aval) -> bool:
    return jnp.issubdtype(aval.dtype, jnp.floating) and aval.dtype.itemsize > 1


def _names(count: int) -> str:
    return ", ".join(f"u{n}" for n in range(count))


def _floats(scope: Scope, function: Function) -> list[int]:
    """The parameters with floats in them and nothing else."""
    good = [
        number
        for number, tree in enumerate(function.params)
        if _flat([tree]) and all(_is_float(a) for a in _flat([tree]))
    ]
    if not good:
        raise Unsuited
    return good


# -- compiling --------------------------------------------------------------------------------


def jit(scope: Scope, function: Function) -> Function:
    options = scope.one(
        "", "", "", ", inline=True", ", keep_unused=True", ", donate_argnums=(0,)",
        ", donate_argnums=()", ", static_argnums=()", ", static_argnames=()",
    )  # fmt: skip
    return Function(f"jax.jit({function.text}{options})", function.params)


def jit_with_static(scope: Scope, function: Function) -> Function:
    value = scope.one("2", "'word'", "(1, 2)", "None")
    text = f"(lambda *u: jax.jit(lambda s, *v: ({function.text})(*v), static_argnums=0)({value}, *u))"
    return Function(text, function.params)


def jit_by_keyword(scope: Scope, function: Function) -> Function:
    if function.count != 1:
        raise Unsuited
    donated = scope.one("", ", donate_argnames=('k',)")
    text = f"(lambda u: jax.jit(lambda *, k: ({function.text})(k){donated})(k=u))"
    return Function(text, function.params)


def checkpoint(scope: Scope, function: Function) -> Function:
    policy = scope.one(
        "",
        "",
        ", policy=jax.checkpoint_policies.everything_saveable",
        ", policy=jax.checkpoint_policies.nothing_saveable",
        ", policy=jax.checkpoint_policies.dots_saveable",
        ", policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable",
        ", prevent_cse=False",
    )
    return Function(f"jax.checkpoint({function.text}{policy})", function.params)


# -- derivatives ------------------------------------------------------------------------------


def _loss(function: Function) -> str:
    return f"lambda *u: total(({function.text})(*u))"


def grad(scope: Scope, function: Function) -> Function:
    good = _floats(scope, function)
    number = scope.choose.choice(good)
    which = scope.one(
        f", {number}",
        f", argnums={number}",
        f", argnums=({number},)",
        f", argnums={tuple(good)}",
    )
    if number == 0 and scope.maybe(0.4):
        which = ""
    form = scope.one("grad", "grad", "value_and_grad")
    if scope.maybe(0.2):
        loss = f"lambda *u: (lambda r: (total(r), r))(({function.text})(*u))"
        return Function(f"jax.{form}({loss}{which}, has_aux=True)", function.params)
    return Function(f"jax.{form}({_loss(function)}{which})", function.params)


def grad_of_any(scope: Scope, function: Function) -> Function:
    """The gradient by complex numbers or integers, for which an option is needed."""
    option = scope.one(", allow_int=True", ", holomorphic=True", "")
    loss = _loss(function)
    if "holomorphic" in option:
        loss = (
            f"lambda *u: jnp.sum(jax.tree.leaves(({function.text})(*u))[0] * (1 + 0j))"
        )
    return Function(f"jax.grad({loss}{option})", function.params)


def jacobian(scope: Scope, function: Function) -> Function:
    number = scope.choose.choice(_floats(scope, function))
    which = "jax.jacfwd" if scope.maybe(0.5) else "jax.jacrev"
    return Function(f"{which}({function.text}, {number})", function.params)


def jacobian_of_loss(scope: Scope, function: Function) -> Function:
    number = scope.choose.choice(_floats(scope, function))
    which = scope.one("jax.jacfwd", "jax.jacrev", "jax.hessian")
    return Function(f"{which}({_loss(function)}, argnums={number})", function.params)


def jvp(scope: Scope, function: Function) -> Function:
    text = f"(lambda *u: jax.jvp({function.text}, u, ones_like(u)))"
    if scope.maybe(0.2):
        text = f"(lambda *u: jax.jvp(lambda *v: (({function.text})(*v), v), u, ones_like(u), has_aux=True))"
    return Function(text, function.params)


def vjp(scope: Scope, function: Function) -> Function:
    text = f"(lambda *u: (lambda r, pull: pull(ones_like(r)))(*jax.vjp({function.text}, *u)))"
    if scope.maybe(0.2):
        text = f"(lambda *u: (lambda r, pull: jax.vmap(pull)(jax.tree.map(lambda a: jnp.stack([a, 2 * a]) if a.dtype != jax.dtypes.float0 else np.zeros((2, *a.shape), a.dtype), ones_like(r))))(*jax.vjp({function.text}, *u)))"
    return Function(text, function.params)


def linearize(scope: Scope, function: Function) -> Function:
    text = f"(lambda *u: (lambda r, lin: (r, lin(*ones_like(u))))(*jax.linearize({function.text}, *u)))"
    if scope.maybe(0.4):
        good = _floats(scope, function)
        if len(good) != function.count:
            raise Unsuited
        text = (
            f"(lambda *u: (lambda r, lin: jax.linear_transpose(lin, *u)(ones_like(r)))"
            f"(*jax.linearize(lambda *v: total(({function.text})(*v)), *u)))"
        )
    return Function(text, function.params)


# -- batching ---------------------------------------------------------------------------------


def _stacked(scope: Scope, tree, size: int):
    """The types with an axis more, and the index of it, one for all leaves."""
    least = min((len(a.shape) for a in _flat([tree])), default=0)
    index = scope.choose.randint(0, least) if scope.maybe(0.4) else 0

    def add(aval):
        shape = list(aval.shape)
        shape.insert(index, size)
        return Aval(tuple(shape), aval.dtype)

    if index and scope.maybe(0.3) and all(len(a.shape) == least for a in _flat([tree])):
        return jax.tree.map(add, tree), index - least - 1
    return jax.tree.map(add, tree), index


def vmap(
    scope: Scope, function: Function, axis: tuple[str, int] | None = None
) -> Function:
    size = axis[1] if axis else scope.one(0, 1, 2, 2, 3)
    params, indices = [], []
    for tree in function.params:
        if _flat([tree]) and (scope.maybe(0.75)):
            tree, index = _stacked(scope, tree, size)
        else:
            index = None
        params.append(tree)
        indices.append(index)
    options = ""
    if all(index is None for index in indices) or scope.maybe(0.1):
        options += f", axis_size={size}"
    shown = str(tuple(indices))
    if len(set(indices)) == 1 and scope.maybe(0.5):
        shown = str(indices[0])
    if shown not in ("0", "(0,)") or scope.maybe(0.5):
        options += f", in_axes={shown}"
    out = scope.one(0, 0, 0, 0, 0, -1, 1, None)
    if out != 0:
        options += f", out_axes={out}"
    if axis:
        options += f', axis_name="{axis[0]}"'
    return Function(f"jax.vmap({function.text}{options})", tuple(params))


def pmap(scope: Scope, function: Function) -> Function:
    params = tuple(
        jax.tree.map(lambda a: Aval((1, *a.shape), a.dtype), tree)
        for tree in function.params
    )
    if not _flat(params):
        raise Unsuited
    return Function(f"jax.pmap({function.text})", params)


def mapped(scope: Scope, function: Function) -> Function:
    params = tuple(
        jax.tree.map(lambda a: Aval((2, *a.shape), a.dtype), tree)
        for tree in function.params
    )
    size = scope.one("", ", batch_size=2")
    return Function(
        f"(lambda *u: lax.map(lambda v: ({function.text})(*v), u{size}))", params
    )


def custom_vmap(scope: Scope, function: Function) -> Function:
    rule = (
        f"(lambda g: (g.def_vmap(lambda size, batched, *u: (lambda r: (r, jax.tree.map(lambda _: True, r)))"
        f"(jax.vmap({function.text}, in_axes=tuple(jax.tree.map(lambda b: 0 if b else None, batched)))(*u))), g)[1])"
        f"(jax.custom_batching.custom_vmap({function.text}))"
    )
    return Function(f"jax.vmap({rule}, axis_size=2, in_axes=None)", function.params)


def sequential_vmap(scope: Scope, function: Function) -> Function:
    inner = Function(
        f"jax.custom_batching.sequential_vmap({function.text})", function.params
    )
    return vmap(scope, inner)


# -- rules of one's own -----------------------------------------------------------------------


def custom_jvp(scope: Scope, function: Function) -> Function:
    """With the rule that it has anyway, or one that shows that it was used."""
    factor = scope.one("1", "2")
    text = (
        f"(lambda g: (g.defjvp(lambda primals, tangents: (lambda r, t: (r, jax.tree.map(lambda a: a * {factor} "
        f"if a.dtype != jax.dtypes.float0 else a, t)))(*jax.jvp({function.text}, primals, tangents))), g)[1])"
        f"(jax.custom_jvp({function.text}))"
    )
    return Function(text, function.params)


def custom_vjp(scope: Scope, function: Function) -> Function:
    text = (
        f"(lambda g: (g.defvjp(lambda *u: jax.vjp({function.text}, *u), lambda pull, ct: pull(ct)), g)[1])"
        f"(jax.custom_vjp({function.text}))"
    )
    if scope.maybe(0.3):
        text = (
            f"(lambda *u: (lambda g: (g.defvjp(lambda s, *v: jax.vjp({function.text}, *v), lambda s, pull, ct: pull(ct)), g)[1])"
            f"(jax.custom_vjp(lambda s, *v: ({function.text})(*v), nondiff_argnums=(0,)))('word', *u))"
        )
    return Function(text, function.params)


def custom_gradient(scope: Scope, function: Function) -> Function:
    text = f"jax.custom_gradient(lambda *u: (lambda r, pull: (r, lambda ct: pull(ct)))(*jax.vjp({function.text}, *u)))"
    return Function(text, function.params)


def closure_convert(scope: Scope, function: Function) -> Function:
    text = f"(lambda *u: (lambda g, consts: g(*u, *consts))(*jax.closure_convert({function.text}, *u)))"
    return Function(text, function.params)


# -- programs as data -------------------------------------------------------------------------


def traced_again(scope: Scope, function: Function) -> Function:
    text = f"(lambda *u: (lambda j: jax.core.eval_jaxpr(j.jaxpr, j.consts, *jax.tree.leaves(u)))(jax.make_jaxpr({function.text})(*u)))"
    return Function(text, function.params)


def partial(scope: Scope, function: Function) -> Function:
    if function.count < 2:
        raise Unsuited
    first = body.argument(scope, function.params[0])
    return Function(f"functools.partial({function.text}, {first})", function.params[1:])


WITHIN = (
    jit, jit, jit, jit_with_static, jit_by_keyword, checkpoint, checkpoint, grad, grad, grad_of_any,
    jacobian, jacobian_of_loss, jvp, jvp, vjp, vjp, linearize, linearize, vmap, vmap, vmap, vmap,
    mapped, custom_vmap, sequential_vmap, custom_jvp, custom_vjp, custom_gradient, closure_convert,
    traced_again, partial, pmap,
)  # fmt: skip

# Forms of a call that end a nest.
TRACED_ENDS = (
    "({f})({a})",
    "({f})({a})",
    "({f})({a})",
    "({f})({a})",
    "jax.eval_shape({f}, {a})",
    "jax.make_jaxpr({f})({a})",
    "jax.make_jaxpr({f}, return_shape=True)({a})[1]",
    "jax.jit({f}).trace({a}).out_info",
    "jax.tree.map(lambda u: u.dtype, jax.eval_shape({f}, {a}))",
)

# Some need values, or give what is no array.
ENDS = (
    *TRACED_ENDS,
    "jax.jit({f}).lower({a}).compile()({a})",
    "jax.jit({f}).trace({a}).lower().compile()({a})",
    "jax.jit({f}).lower({a}).out_info",
    "jax.export.export(jax.jit({f}))({a}).out_avals",
    "jax.jit(jax.export.export(jax.jit({f}))({a}).call)({a})",
    "pickle.loads(pickle.dumps(({f})({a})))",
)
