"""Optimizers as three functions, for examples.

An optimizer is ``(init, update, get_params)``: ``init(params)`` makes its state,
``update(step, gradients, state)`` the next one, ``get_params(state)`` finds the parameters in
it. Inside, a state is one list of arrays per parameter.
"""

import functools as ft
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jax._src import tree
from jax._src.base import errors, traceback_filter
from jax._src.numpy import lax_api as lax, numpy_api as jnp

Array = Any
Params = Any
State = Any
Updates = Any
Step = int
InitFn = Callable[[Params], State]
UpdateFn = Callable[[Step, Updates, State], State]
ParamsFn = Callable[[State], Params]
Schedule = Callable[[Step], Array]


class OptimizerState(NamedTuple):
    """What an optimizer keeps: a tree of whole parameters' states, flat.

    `packed_state` holds one tuple of leaves per parameter, `tree_def` the tree of parameters,
    `subtree_defs` the tree of each parameter's state.
    """

    packed_state: Any
    tree_def: Any
    subtree_defs: Any


class Optimizer(NamedTuple):
    """The three functions of an optimizer."""

    init_fn: InitFn
    update_fn: UpdateFn
    params_fn: ParamsFn


tree.register_pytree_node(
    OptimizerState,
    lambda state: ((state.packed_state,), (state.tree_def, state.subtree_defs)),
    lambda trees, children: OptimizerState(children[0], *trees),
)


def optimizer(opt_maker: Callable[..., tuple]) -> Callable[..., Optimizer]:
    """Makes an optimizer of trees from one of single arrays.

    Args:
        opt_maker: a function that returns ``(init, update, get_params)`` for one array.

    Returns:
        A function of the same arguments, whose `Optimizer` takes trees of arrays.

    Raises:
        TypeError: in `update_fn`: the gradients are another tree than the parameters; or
            an optimizer changes the tree of its state.
    """

    @ft.wraps(opt_maker)
    def of_trees(*args: Any, **kwargs: Any) -> Optimizer:
        init, update, get_params = opt_maker(*args, **kwargs)

        def init_all(params):
            leaves, params_tree = tree.tree_flatten(params)
            flat = [tree.tree_flatten(init(leaf)) for leaf in leaves]
            states = tuple(tuple(found) for found, _ in flat)
            return OptimizerState(states, params_tree, tuple(t for _, t in flat))

        def update_all(step, gradients, state):
            packed, params_tree, state_trees = state
            leaves, gradients_tree = tree.tree_flatten(gradients)
            if gradients_tree != params_tree:
                raise errors.type_error(
                    "optimizers: the gradients are another tree than the parameters.",
                    [
                        ("gradients", str(gradients_tree)),
                        ("parameters", str(params_tree)),
                    ],
                )
            after = []
            for gradient, leaves_before, before in zip(
                leaves, packed, state_trees, strict=True
            ):
                found = update(
                    step, gradient, tree.tree_unflatten(before, leaves_before)
                )
                leaves_after, now = tree.tree_flatten(found)
                if now != before:
                    raise errors.type_error(
                        "optimizers: an update changed the tree of its state.",
                        [("before", str(before)), ("after", str(now))],
                    )
                after.append(tuple(leaves_after))
            return OptimizerState(tuple(after), params_tree, state_trees)

        def params_of_all(state):
            packed, params_tree, state_trees = state
            states = map(tree.tree_unflatten, state_trees, packed)
            return tree.tree_unflatten(params_tree, [get_params(s) for s in states])

        return Optimizer(init_all, update_all, params_of_all)

    return of_trees


def _first(state):
    return state[0]


@optimizer
def sgd(step_size: float | Schedule) -> tuple:
    """Stochastic gradient descent.

    Args:
        step_size: a positive number, or a schedule.
    """
    schedule = make_schedule(step_size)
    return lambda x: x, lambda i, g, x: x - schedule(i) * g, lambda x: x


@optimizer
def momentum(step_size: float | Schedule, mass: float) -> tuple:
    """Gradient descent whose steps go on: ``v <- mass v + g``.

    Args:
        step_size: a positive number, or a schedule.
        mass: how much of the last velocity is kept.
    """
    schedule = make_schedule(step_size)

    def update(i, g, state):
        x, velocity = state
        velocity = mass * velocity + g
        return x - schedule(i) * velocity, velocity

    return lambda x: (x, jnp.zeros_like(x)), update, _first


@optimizer
def nesterov(step_size: float | Schedule, mass: float) -> tuple:
    """Momentum that looks ahead.

    Args:
        step_size: a positive number, or a schedule.
        mass: how much of the last velocity is kept.

    Reference: Y. Nesterov, "A method of solving a convex programming problem with
    convergence rate O(1/k^2)", 1983.
    """
    schedule = make_schedule(step_size)

    def update(i, g, state):
        x, velocity = state
        velocity = mass * velocity + g
        return x - schedule(i) * (mass * velocity + g), velocity

    return lambda x: (x, jnp.zeros_like(x)), update, _first


def _inverse_root_or_zero(x):
    return jnp.where(x > 0, lax.rsqrt(jnp.where(x > 0, x, 1)), 0)


@optimizer
def adagrad(step_size: float | Schedule, momentum: float = 0.9) -> tuple:
    """Steps divided by the root of the sum of all squared gradients.

    Args:
        step_size: a positive number, or a schedule.
        momentum: how much of the last direction is kept.

    Reference: J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online
    learning and stochastic optimization", 2011.
    """
    schedule = make_schedule(step_size)

    def init(x):
        return x, jnp.zeros_like(x), jnp.zeros_like(x)

    def update(i, g, state):
        x, squares, direction = state
        squares = squares + jnp.square(g)
        scaled = g * _inverse_root_or_zero(squares)
        direction = (1 - momentum) * scaled + momentum * direction
        return x - schedule(i) * direction, squares, direction

    return init, update, _first


@optimizer
def rmsprop(
    step_size: float | Schedule, gamma: float = 0.9, eps: float = 1e-8
) -> tuple:
    """Steps divided by the root of a running mean of squared gradients.

    Args:
        step_size: a positive number, or a schedule.
        gamma: how much of the last mean is kept.
        eps: added under the root.
    """
    schedule = make_schedule(step_size)

    def update(i, g, state):
        x, mean = state
        mean = gamma * mean + (1 - gamma) * jnp.square(g)
        return x - schedule(i) * g / jnp.sqrt(mean + eps), mean

    return lambda x: (x, jnp.zeros_like(x)), update, _first


@optimizer
def rmsprop_momentum(
    step_size: float | Schedule,
    gamma: float = 0.9,
    eps: float = 1e-8,
    momentum: float = 0.9,
) -> tuple:
    """`rmsprop` with momentum.

    Args:
        step_size: a positive number, or a schedule.
        gamma: how much of the last mean is kept.
        eps: added under the root.
        momentum: how much of the last step is kept.
    """
    schedule = make_schedule(step_size)

    def init(x):
        return x, jnp.zeros_like(x), jnp.zeros_like(x)

    def update(i, g, state):
        x, mean, velocity = state
        mean = gamma * mean + (1 - gamma) * jnp.square(g)
        velocity = momentum * velocity + schedule(i) * g / jnp.sqrt(mean + eps)
        return x - velocity, mean, velocity

    return init, update, _first


@optimizer
def adam(
    step_size: float | Schedule,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
) -> tuple:
    """Running means of gradients and of their squares, freed of their start at zero.

    Args:
        step_size: a positive number, or a schedule.
        b1: how much of the mean of gradients is kept.
        b2: how much of the mean of squares is kept.
        eps: added to the root of the mean of squares.

    Reference: D. P. Kingma, J. Ba, "Adam: a method for stochastic optimization", 2014.
    """
    schedule = make_schedule(step_size)

    def init(x):
        return x, jnp.zeros_like(x), jnp.zeros_like(x)

    def update(i, g, state):
        x, mean, squares = state
        mean = (1 - b1) * g + b1 * mean
        squares = (1 - b2) * jnp.square(g) + b2 * squares
        kept1, kept2 = (jnp.asarray(b, mean.dtype) ** (i + 1) for b in (b1, b2))
        direction = (mean / (1 - kept1)) / (jnp.sqrt(squares / (1 - kept2)) + eps)
        return x - schedule(i) * direction, mean, squares

    return init, update, _first


@optimizer
def adamax(
    step_size: float | Schedule,
    b1: float = 0.9,
    b2: float = 0.999,
    eps: float = 1e-8,
) -> tuple:
    """Adam with the largest gradient instead of the mean of squares.

    The arguments are those of `adam`, and so is the reference.
    """
    schedule = make_schedule(step_size)

    def init(x):
        return x, jnp.zeros_like(x), jnp.zeros_like(x)

    def update(i, g, state):
        x, mean, largest = state
        mean = (1 - b1) * g + b1 * mean
        largest = jnp.maximum(b2 * largest, jnp.abs(g))
        kept = jnp.asarray(b1, mean.dtype) ** (i + 1)
        return x - schedule(i) / (1 - kept) * mean / (largest + eps), mean, largest

    return init, update, _first


@optimizer
def sm3(step_size: float | Schedule, momentum: float = 0.9) -> tuple:
    """Adagrad with one vector of sums per axis instead of one number per element.

    Args:
        step_size: a positive number, or a schedule.
        momentum: how much of the last direction is kept.

    Reference: R. Anil, V. Gupta, T. Koren, Y. Singer, "Memory-efficient adaptive
    optimization", 2019.
    """
    schedule = make_schedule(step_size)

    def along(axis, rank):
        return tuple(slice(None) if i == axis else None for i in range(rank))

    def init(x):
        # A number has one sum, of itself.
        shapes = [(n,) for n in jnp.shape(x)] or [()]
        return (
            x,
            jnp.zeros_like(x),
            [jnp.zeros(s, jnp.asarray(x).dtype) for s in shapes],
        )

    def update(i, g, state):
        x, direction, sums = state
        rank = x.ndim
        bounds = [s[along(axis, rank)] for axis, s in enumerate(sums)]
        total = ft.reduce(jnp.minimum, bounds) + jnp.square(g)
        scaled = g * _inverse_root_or_zero(total)
        direction = (1 - momentum) * scaled + momentum * direction
        others = [
            tuple(a for a in range(rank) if a != axis) for axis in range(len(sums))
        ]
        sums = [total.max(axes) for axes in others]
        return x - schedule(i) * direction, direction, sums

    return init, update, _first


def constant(step_size: float) -> Schedule:
    """Returns a schedule with one step size for all steps."""
    return lambda i: step_size


def exponential_decay(
    step_size: float, decay_steps: float, decay_rate: float
) -> Schedule:
    """``step_size * decay_rate ** (step / decay_steps)``."""
    return lambda i: step_size * decay_rate ** (i / decay_steps)


def inverse_time_decay(
    step_size: float, decay_steps: float, decay_rate: float, staircase: bool = False
) -> Schedule:
    """``step_size / (1 + decay_rate * step / decay_steps)``.

    Args:
        step_size: the first step size.
        decay_steps: the unit of time.
        decay_rate: how much is lost in it.
        staircase: whether whole units count only.
    """

    def schedule(i):
        units = jnp.floor(i / decay_steps) if staircase else i / decay_steps
        return step_size / (1 + decay_rate * units)

    return schedule


def polynomial_decay(
    step_size: float, decay_steps: float, final_step_size: float, power: float = 1.0
) -> Schedule:
    """From `step_size` to `final_step_size` in `decay_steps`, by a power of what is left."""

    def schedule(i):
        left = 1 - jnp.minimum(i, decay_steps) / decay_steps
        return (step_size - final_step_size) * left**power + final_step_size

    return schedule


def piecewise_constant(boundaries: Any, values: Any) -> Schedule:
    """One step size before each boundary, and one after the last.

    Args:
        boundaries: vector of ascending steps.
        values: vector that is longer by one.

    Raises:
        ValueError: the lengths do not fit.
    """
    boundaries, values = jnp.array(boundaries), jnp.array(values)
    if not boundaries.ndim == values.ndim == 1:
        raise ValueError("piecewise_constant: boundaries and values must be vectors.")
    if len(boundaries) != len(values) - 1:
        raise errors.value_error(
            "piecewise_constant: there must be one value more than boundaries.",
            [("boundaries", str(len(boundaries))), ("values", str(len(values)))],
        )
    return lambda i: values[jnp.sum(i > boundaries)]


def make_schedule(scalar_or_schedule: float | Schedule) -> Schedule:
    """A schedule from a schedule or a number.

    Raises:
        TypeError: it is neither.
    """
    if callable(scalar_or_schedule):
        return scalar_or_schedule
    if jnp.ndim(scalar_or_schedule) == 0:
        return constant(scalar_or_schedule)
    raise TypeError(
        "optimizers: a step size is a number or a function of the step, not "
        f"{type(scalar_or_schedule).__name__}."
    )


def l2_norm(tree: Any) -> Array:
    """The Euclidean norm of all leaves of a tree together."""
    return jnp.sqrt(sum(jnp.square(jnp.abs(x)).sum() for x in _leaves(tree)))


_leaves = tree.tree_leaves
_map = tree.tree_map


def clip_grads(grad_tree: Any, max_norm: float) -> Any:
    """Gradients scaled so that their norm is at most `max_norm`."""
    norm = l2_norm(grad_tree)
    return _map(
        lambda g: jnp.where(norm < max_norm, g, g * (max_norm / norm)), grad_tree
    )


class JoinPoint:
    """Marks where, in a tree of states, the state of one parameter begins."""

    def __init__(self, subtree: Any):
        self.subtree = subtree

    def __iter__(self):
        """The subtree alone: a mark is no tree of its own."""
        yield self.subtree


def unpack_optimizer_state(opt_state: OptimizerState) -> Any:
    """A state as a tree of parameters' states, each in a `JoinPoint`: for saving."""
    packed, params_tree, state_trees = opt_state
    states = map(tree.tree_unflatten, state_trees, packed)
    return tree.tree_unflatten(params_tree, [JoinPoint(s) for s in states])


def pack_optimizer_state(marked_pytree: Any) -> OptimizerState:
    """The state that `unpack_optimizer_state` took apart.

    Raises:
        TypeError: a leaf is no `JoinPoint`.
    """
    marks, params_tree = tree.tree_flatten(marked_pytree)
    if not all(isinstance(mark, JoinPoint) for mark in marks):
        raise TypeError("pack_optimizer_state: every leaf must be a JoinPoint.")
    flat: Sequence[tuple] = [tree.tree_flatten(mark.subtree) for mark in marks]
    states = tuple(tuple(found) for found, _ in flat)
    return OptimizerState(states, params_tree, tuple(t for _, t in flat))


traceback_filter.hide_frames(globals())
