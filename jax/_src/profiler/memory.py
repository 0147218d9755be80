"""What memory arrays hold, as a profile that pprof reads.

Source: pprof's `profile.proto`.
"""

import collections
import gzip
import os
import time
from typing import Any

from jax._src.base import errors, protobuf, source
from jax._src.runtime.arrays import origins
from jax._src.runtime.devices import backends

_SCHEMA = protobuf.Schema(
    {
        "Profile": """
            sample_type=1:*ValueType sample=2:*Sample location=4:*Location
            function=5:*Function string_table=6:*text time_nanos=9:int
            default_sample_type=14:int
        """,
        "ValueType": "type=1:int unit=2:int",
        "Sample": "location_id=1:*uint value=2:*int label=3:*Label",
        "Label": "key=1:int str=2:int num=3:int num_unit=4:int",
        "Location": "id=1:uint line=4:*Line",
        "Line": "function_id=1:uint line=2:int",
        "Function": "id=1:uint name=2:int system_name=3:int filename=4:int",
    }
)


Frames = tuple[source.Frame, ...]
_UNKNOWN = (source.Frame("", 0, 0, 0, 0, "unknown"),)


class _Profile:
    """Collects samples; texts, functions and lines are stored once and named by number."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {"": 0}
        self.functions: dict[tuple[str, str], int] = {}
        self.lines: dict[tuple[int, int], int] = {}
        self.samples: list[protobuf.Message] = []

    def text(self, value: str) -> int:
        """The number of a text."""
        return self.texts.setdefault(value, len(self.texts))

    def location(self, frame: source.Frame) -> int:
        """The number of a line of a function."""
        key = frame.function, frame.file_name
        function = self.functions.setdefault(key, len(self.functions) + 1)
        return self.lines.setdefault((function, frame.line), len(self.lines) + 1)

    def add(self, frames: Frames, device: str, count: int, size: int) -> None:
        """Adds what one stack made on one device."""
        labels = [
            {"key": self.text("kind"), "str": self.text("buffer")},
            {"key": self.text("device"), "str": self.text(device)},
        ]
        locations = [self.location(frame) for frame in frames or _UNKNOWN]
        sample = {"location_id": locations, "value": [count, size], "label": labels}
        self.samples.append(sample)

    def message(self) -> protobuf.Message:
        """The whole profile."""
        types = [
            {"type": self.text("allocations"), "unit": self.text("count")},
            {"type": self.text("space"), "unit": self.text("bytes")},
        ]
        functions = [
            {
                "id": number,
                "name": self.text(name),
                "system_name": self.text(name),
                "filename": self.text(file),
            }
            for (name, file), number in self.functions.items()
        ]
        locations = [
            {"id": number, "line": [{"function_id": function, "line": line}]}
            for (function, line), number in self.lines.items()
        ]
        default = self.text("space")
        return {
            "sample_type": types,
            "sample": self.samples,
            "location": locations,
            "function": functions,
            "string_table": list(self.texts),
            "time_nanos": time.time_ns(),
            "default_sample_type": default,
        }


def device_memory_profile(backend: str | None = None) -> bytes:
    """What memory the arrays that live hold, by device and by the lines that made them.

    Args:
        backend: the platform; None: the default one.

    Returns:
        A profile in pprof's format, compressed. Each sample has a number of arrays and
        their bytes on one device, and the user's frames that made them, innermost first.

    Raises:
        RuntimeError: there is no such platform.
    """
    return gzip.compress(heap_profile(backends.get_backend(backend)))


def heap_profile(client: Any) -> bytes:
    """What memory the arrays of a client hold: `device_memory_profile`, not compressed."""
    groups: dict[tuple[Frames, str], list[int]] = collections.defaultdict(list)
    for array in client.live_arrays():
        frames = origins.frames_of(array)
        for shard in array.addressable_shards:
            device = f"{shard.device.platform}:{shard.device.id}"
            groups[frames, device].append(shard.data.nbytes)
    profile = _Profile()
    for (frames, device), sizes in groups.items():
        profile.add(frames, device, len(sizes), sum(sizes))
    return _SCHEMA.encode("Profile", profile.message())


def save_device_memory_profile(
    filename: str | os.PathLike, backend: str | None = None
) -> None:
    """Writes `device_memory_profile` to a file.

    Args:
        filename: the file, which is written anew.
        backend: the platform; None: the default one.

    Raises:
        RuntimeError: there is no such platform.
        OSError: the file cannot be written.
    """
    profile = device_memory_profile(backend)
    try:
        with open(filename, "wb") as file:
            file.write(profile)
    except OSError as error:
        raise type(error)(
            error.errno,
            errors.explain(
                f"the memory profile could not be written: {error.strerror}.",
                [("path", os.fspath(filename)), ("bytes", str(len(profile)))],
                ways="Write it into a folder that exists and can be written.",
            ),
        ) from error
