"""Effects: what a program does besides computing its results."""

from typing import Any


class Effect:
    """Base class of effects; an effect is a small hashable value."""


Effects = frozenset[Effect]
no_effects: Effects = frozenset()


class EffectKinds:
    """A set of effect classes; contains the effects of these classes."""

    def __init__(self) -> None:
        self._kinds: set[type[Effect]] = set()

    def add_type(self, kind: type[Effect]) -> None:
        """Adds a class of effects."""
        self._kinds.add(kind)

    def contains(self, effect: Effect | type[Effect]) -> bool:
        """Whether the class of an effect, or a class, is in the set."""
        kind = effect if isinstance(effect, type) else type(effect)
        return any(issubclass(kind, known) for known in self._kinds)

    def __contains__(self, effect: Effect) -> bool:
        return self.contains(effect)

    def filter_in(self, effects: Effects) -> list[Effect]:
        """The effects that are in the set."""
        return [effect for effect in effects if self.contains(effect)]

    def filter_not_in(self, effects: Effects) -> list[Effect]:
        """The effects that are not in the set."""
        return [effect for effect in effects if not self.contains(effect)]


# Effects that may be compiled, must keep their order, may be in loops, and so on.
lowerable_effects = EffectKinds()
ordered_effects = EffectKinds()
# Ordered effects that each device of a program may have, in its own order.
shardable_ordered_effects = EffectKinds()
control_flow_allowed_effects = EffectKinds()
custom_derivatives_allowed_effects = EffectKinds()
# Carried out by the running program: it notifies the runtime when it is done.
runtime_effects = EffectKinds()
# Effects that may happen more often than the program says, since all branches run or values
# are recomputed.
repeatable_effects = EffectKinds()
# Effects that can become results of a construct, for `slots.checks_after` to act on behind it.
result_effects = EffectKinds()
remat_allowed_effects = EffectKinds()
partial_eval_kept_effects = EffectKinds()


class NamedAxisEffect(Effect):
    """The program uses the named axis `name`."""

    __slots__ = ("name",)

    def __init__(self, name: Any):
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedAxisEffect) and self.name == other.name

    def __hash__(self) -> int:
        return hash((NamedAxisEffect, self.name))

    def __repr__(self) -> str:
        return f"NamedAxisEffect({self.name!r})"


for _kinds in (
    lowerable_effects,
    control_flow_allowed_effects,
    custom_derivatives_allowed_effects,
    remat_allowed_effects,
):
    _kinds.add_type(NamedAxisEffect)
