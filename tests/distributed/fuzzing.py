"""Random and damaged bytes for the decoder of messages. `ci/fuzz-messages` runs millions.

What decodes to a change of a service's state is also given to a standby.
"""

import dataclasses
import random

from google.protobuf import message as protobuf

from jax._src.distributed.messages import messages, wire
from jax._src.distributed.messages.status_errors import Refused
from jax._src.distributed.service import replication_messages, service

KINDS = [
    kind
    for kind in {**vars(messages), **vars(replication_messages)}.values()
    if isinstance(kind, type) and issubclass(kind, protobuf.Message)
]


@dataclasses.dataclass
class Counts:
    """What became of the inputs."""

    messages: int = 0
    refusals: int = 0
    # Changes that a standby took over.
    changes: int = 0


def run(dice: random.Random, inputs: int) -> Counts:
    """Decodes so many inputs. Whatever is neither message nor `Malformed` is raised.

    A message that was decoded is encoded and decoded again, and must be the same.
    """
    counts = Counts()
    seeds = {
        kind: [wire.encode(_any_message(dice, kind, 3)) for _ in range(20)]
        for kind in KINDS
    }
    standby = service.Service(service.Settings(3, 10.0, 10.0, False))
    for _ in range(inputs):
        kind = dice.choice(KINDS)
        # As often bytes that were once of this kind, as of another.
        other = kind if dice.random() < 0.5 else dice.choice(KINDS)
        data = _damaged(dice, dice.choice(seeds[other]))
        try:
            message = wire.decode(kind, data)
        except wire.Malformed:
            counts.refusals += 1
            continue
        counts.messages += 1
        again = wire.decode(kind, wire.encode(message))
        if wire.encode(again) != wire.encode(message):
            raise AssertionError(f"{kind.__name__} from {data.hex()} does not survive")
        if kind is replication_messages.Change:
            try:
                standby.restore(message)
                counts.changes += 1
            except (wire.Malformed, Refused):
                pass
    # Whatever it was told, its state can be told on.
    for change in standby.state():
        wire.encode(change)
    return counts


def _any_message(dice, kind, depth):
    values = {}
    for field in kind.DESCRIPTOR.fields:
        if field.message_type is not None and depth == 0:
            continue
        make = lambda field=field: _any_value(dice, field, depth)
        if field.is_repeated:
            values[field.name] = [make() for _ in range(dice.randrange(4))]
        elif dice.random() < 0.8:
            values[field.name] = make()
    return kind(**values)


def _any_value(dice, field, depth):
    if field.type == field.TYPE_INT64:
        return dice.choice([0, 1, -1, 300, (1 << 63) - 1, -(1 << 63)])
    if field.type == field.TYPE_FIXED64:
        return dice.getrandbits(64)
    if field.type == field.TYPE_BOOL:
        return dice.random() < 0.5
    if field.type == field.TYPE_STRING:
        return dice.choice(["", "a/b", "ä" * 9, "\0"])
    if field.type == field.TYPE_BYTES:
        return dice.randbytes(dice.randrange(12))
    (kind,) = (kind for kind in KINDS if kind.DESCRIPTOR is field.message_type)
    return _any_message(dice, kind, depth - 1)


def _damaged(dice, data):
    way = dice.randrange(5)
    if way == 0:
        return dice.randbytes(dice.randrange(24))
    out = bytearray(data)
    for _ in range(dice.randrange(4)):
        at = dice.randrange(len(out) + 1)
        if way == 1 and out:
            out[at % len(out)] = dice.getrandbits(8)
        elif way == 2:
            out[at:at] = dice.randbytes(dice.randrange(1, 4))
        elif way == 3:
            del out[at : at + dice.randrange(1, 4)]
        else:
            del out[at:]
    return bytes(out)
