"""A handful of primitives over NumPy, for tests of the interpreters alone."""

import numpy as np

from jax._src.core import primitive, slots
from jax._src.interpreters import ad

Trait = primitive.Trait


def toy(name, function, traits=Trait.NONE, **rules):
    """A primitive that NumPy evaluates and whose result has the type of its operand."""
    made = primitive.Primitive(name)
    made.traits = traits | Trait.ELEMENTWISE
    made.set_rule("impl", function)
    made.set_rule("types", lambda *avals: max(avals, key=lambda aval: aval.ndim))
    for kind, rule in rules.items():
        made.set_rule(kind, rule)
    return made


def _transpose_mul(ct, x, y):
    x_is_linear = ad.is_undefined_primal(x)
    return [mul(ct, y), None] if x_is_linear else [None, mul(ct, x)]


add_p = toy("add", np.add, Trait.LINEAR, transpose=lambda ct, x, y: [ct, ct])
neg_p = toy("neg", np.negative, Trait.LINEAR, transpose=lambda ct, x: [neg(ct)])
mul_p = toy("mul", np.multiply, Trait.MULTILINEAR, transpose=_transpose_mul)
sin_p = toy("sin", np.sin, jvp=lambda t, x: mul(t, cos(x)))
cos_p = toy("cos", np.cos, jvp=lambda t, x: neg(mul(t, sin(x))))
exp_p = toy("exp", np.exp, jvp=lambda t, x, *, out: mul(t, out))
sign_p = toy("sign", np.sign, Trait.NOT_DIFFERENTIABLE)
gap_p = toy(
    "gap", np.floor, jvp=primitive.Unsupported("a step has no slope"), transpose=None
)

add, neg, mul = add_p.bind, neg_p.bind, mul_p.bind
sin, cos, exp, sign, gap = sin_p.bind, cos_p.bind, exp_p.bind, sign_p.bind, gap_p.bind


class FilledSlots:
    """Fills the slots with the toys for the length of a test."""

    def __enter__(self):
        self.before = {
            slot: slot.function
            for slot in vars(slots).values()
            if isinstance(slot, slots.Slot)
        }
        slots.add_cotangents.fill(add)
        slots.zeros.fill(lambda aval: np.zeros(aval.shape, aval.dtype))
        slots.broadcast_axis.fill(lambda x, n, axis: np.stack([x] * n, axis))
        slots.move_axis.fill(np.moveaxis)

    def __exit__(self, *_):
        for slot, function in self.before.items():
            slot.function = function
