"""What keeps objects alive, in the words of the user's program.

An object is held by a global, a local variable of a function that runs, an attribute, a
closure, or by a list, tuple or dict that one of these leads to. Python's garbage collector
knows who refers to whom; names are found by looking into those.
"""

import gc
import inspect
import re
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jax._src.base import records, source

# How many containers may stand between an object and a name, and how many names are found.
_MOST_LEVELS, _MOST_NAMES = 6, 3
# Containers of more elements than these are not looked through for a label.
_MOST_ELEMENTS = 1_000_000
# So many containers that the collector does not follow, so many references that are followed
# to find them, and so many owners in a level are looked at: seconds for any program.
_MOST_FLAT, _MOST_REFERENCES, _MOST_OWNERS = 50_000, 3_000_000, 100_000
# The collector compares each reference with each of the objects that it looks for.
_MOST_AT_ONCE = 50
_CHUNK = 5_000
# "['w']" of the dict of an object's attributes.
_OF_ATTRIBUTES = re.compile(r"\.\['([^']*)'\]")


@records.record
class Holder:
    """A name of the program that leads to an object."""

    # "global", "local", "captured", "attribute", or "container" where no name was found.
    kind: str
    # The name without what follows, "state" of "state['w'][0]"; of an attribute none.
    name: str
    # What follows the name: "['w'][0]".
    path: str
    # What the name belongs to: "global of `train`".
    where: str
    # The file in which the name is written, and where the function begins that has it; ""
    # and None where that is not known, or where it is a global.
    file: str = ""
    first: int | None = None

    def __str__(self) -> str:
        return f"`{self.name}{self.path}`, {self.where}"


class _Link:
    """A reference from one object to another: who refers, and how it is written."""

    __slots__ = ("label", "owner")

    def __init__(self, owner: Any, label: str):
        self.owner = owner
        self.label = label


def _is_ours(running):
    """Whether a function or frame is the library's."""
    code = running.f_code if hasattr(running, "f_code") else running.__code__
    return source.is_internal(code.co_filename)


def _labels(owner, wanted) -> Iterator[tuple[int, str]]:
    """How `owner` refers to the objects whose ids are wanted."""
    if type(owner) is dict:
        if len(owner) <= _MOST_ELEMENTS:
            for key, value in list(owner.items()):
                if id(value) in wanted:
                    yield id(value), f"[{key!r}]"
    elif isinstance(owner, list | tuple):
        if len(owner) <= _MOST_ELEMENTS:
            for i, value in enumerate(owner):
                if id(value) in wanted:
                    yield id(value), _element(owner, i)
    elif isinstance(owner, types.CellType):
        yield id(owner.cell_contents), ""
    elif isinstance(owner, types.FunctionType):
        for value in (owner.__closure__, owner.__defaults__):
            if id(value) in wanted:
                yield id(value), "()"
    else:
        yield from _attributes(owner, wanted)


def _element(owner, i):
    fields = getattr(type(owner), "_fields", None)
    is_named = isinstance(fields, tuple) and i < len(fields)
    return f".{fields[i]}" if is_named else f"[{i}]"


def _attributes(owner, wanted):
    """How an object refers to others by its attributes."""
    values = getattr(owner, "__dict__", None)
    if isinstance(values, dict):
        for name, value in list(values.items()):
            if id(value) in wanted:
                yield id(value), f".{name}"
        if id(values) in wanted:
            yield id(values), "."
    elif isinstance(owner, type):
        for value in gc.get_referents(owner):
            if type(value) is dict and id(value) in wanted:
                yield id(value), "."
    for cls in type(owner).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            value = getattr(owner, name, None)
            if id(value) in wanted:
                yield id(value), f".{name}"


def _locals(wanted) -> Iterator[tuple[int, Holder]]:
    """The variables of running functions of the user that hold objects."""
    # No variable may keep this function's own frame, which would keep those of its callers.
    for thread in list(sys._current_frames()):
        at: types.FrameType | None = sys._current_frames().get(thread)
        while at is not None:
            code = at.f_code
            if code.co_flags & inspect.CO_OPTIMIZED and not _is_ours(at):
                for name, value in _values(at):
                    if id(value) in wanted and name not in code.co_freevars:
                        yield id(value), _local(at, name)
            at = at.f_back


def _values(frame):
    """The variables of a function's frame, which keeps no copy of them for it."""
    variables = frame.f_locals
    values = list(variables.items())
    # Until Python 3.13 a frame has a dict of copies from then on. One that nobody has wanted
    # for is referred to by the frame, by the name here and by the call alone.
    if type(variables) is dict and sys.getrefcount(variables) <= 3:
        variables.clear()
    return values


def _local(frame, name):
    code = frame.f_code
    where = source.Location(((code, frame.f_lasti),))
    where = f"local variable at {where}"
    return Holder("local", name, "", where, *_start(code))


def _name_of_globals(owner):
    """The name of a module that `exec` runs in a dict; None of what is no such dict."""
    if type(owner) is dict and "__builtins__" in owner:
        name = owner.get("__name__")
        return name if isinstance(name, str) else None
    return None


def _chunks(everything: list[Any]) -> Iterator[list[Any]]:
    """All objects in pieces: what modules hold first, then new objects, then older ones."""
    yield [vars(module) for module in _modules().values()]
    yield everything[:_CHUNK]  # those of young generations come first
    for end in range(len(everything), _CHUNK, -_CHUNK):
        yield everything[max(end - _CHUNK, _CHUNK) : end]


def _flat_containers() -> list[Any]:
    """The dicts and tuples that the collector does not follow, as they hold only leaves.

    Arrays are leaves, for which `gc.get_referrers` finds no dict of parameters. In a program
    of very many objects those that modules and new objects lead to are found.
    """
    everything = gc.get_objects()
    found: dict[int, Any] = {}
    count = 0
    for chunk in _chunks(everything):
        level = gc.get_referents(*chunk)
        while level and len(found) < _MOST_FLAT:
            count += len(level)
            fresh = {
                id(x): x
                for x in level
                if (type(x) is dict or type(x) is tuple)
                and x
                and not gc.is_tracked(x)
                and id(x) not in found
            }
            found.update(fresh)
            level = [y for x in fresh.values() for y in gc.get_referents(x)]
        if len(found) >= _MOST_FLAT or count >= _MOST_REFERENCES:
            break
    # Frames among them would be kept by this one.
    everything.clear()
    chunk.clear()
    level.clear()
    return list(found.values())


def _modules():
    """The modules by name, without objects that stand for some."""
    modules = list(sys.modules.items())
    return {name: m for name, m in modules if isinstance(m, types.ModuleType)}


def _referrers(objects, ids):
    """What refers to objects, of which the ids are there too."""
    if len(objects) <= _MOST_AT_ONCE:
        return gc.get_referrers(*objects)
    everything = gc.get_objects()
    found = [
        x
        for x in everything
        # A frame would keep this one's, and with it all that is found.
        if type(x) is not types.FrameType
        and not ids.isdisjoint(map(id, gc.get_referents(x)))
    ]
    everything.clear()
    return found


class _Search:
    """Looks for names of objects, level by level of containers."""

    def __init__(self, objects: Sequence[Any]):
        self.links: dict[int, list[_Link]] = {}
        self.names: dict[int, list[Holder]] = {}
        self.modules = {id(vars(m)): name for name, m in _modules().items()}
        self.flat = _flat_containers()
        # Ids stand for objects only while those are there.
        self.seen = list(objects)
        self.known = {id(x) for x in objects}
        self.skipped = {
            id(x) for x in (self.seen, self.flat, objects, self.__dict__, self)
        }

    def run(self) -> None:
        """Fills the links and the names."""
        frontier = list(self.seen)
        for _ in range(_MOST_LEVELS):
            wanted = {id(x) for x in frontier}
            for found, holder in _locals(wanted):
                self.names.setdefault(found, []).append(holder)
            self.skipped.add(id(frontier))
            owners = [*self.flat, *_referrers(frontier, wanted)] if frontier else []
            del owners[_MOST_OWNERS:]
            self.skipped.add(id(owners))
            frontier = [o for o in owners if self.link(o, wanted)]
            owners.clear()
            self.seen += frontier

    def link(self, owner: Any, wanted: set[int]) -> bool:
        """Notes what an object refers to; whether who refers to it is to be found."""
        if id(owner) in self.skipped or isinstance(
            owner, types.FrameType | types.ModuleType | _Link | _Search
        ):
            return False
        module = self.modules.get(id(owner)) or _name_of_globals(owner)
        try:
            labels = list(_labels(owner, wanted))
        except Exception:  # what the user's classes answer is theirs
            return False
        for found, label in labels:
            if module is not None:
                if not module.startswith(("jax.", "jaxlib.")):
                    file = getattr(sys.modules.get(module), "__file__", None) or ""
                    where = f"global of `{module}`"
                    holder = Holder("global", label[2:-2], "", where, file)
                    self.names.setdefault(found, []).append(holder)
            else:
                self.links.setdefault(found, []).append(_Link(owner, label))
        if module is not None or not labels or id(owner) in self.known:
            return False
        self.known.add(id(owner))
        return True

    def holders_of(self, thing: Any) -> tuple[Holder, ...]:
        """The names that lead to an object, the nearest first."""
        found: list[Holder] = []
        level = [(thing, "")]
        passed = {id(thing)}
        loose: Holder | None = None
        for _ in range(_MOST_LEVELS):
            following = []
            for at, path in level:
                for holder in self.names.get(id(at), ()):
                    path_of = _plain(path)
                    found.append(records.replace(holder, path=path_of))
                for link in self.links.get(id(at), ()):
                    if id(link.owner) in passed:
                        continue
                    passed.add(id(link.owner))
                    loose = loose or _loose(link, path)
                    if isinstance(link.owner, types.FunctionType):
                        found += _captured(link, path)
                        continue
                    following.append((link.owner, link.label + path))
            if len(found) >= _MOST_NAMES or not following:
                break
            level = following
        unique = tuple({str(h): h for h in found}.values())[:_MOST_NAMES]
        return unique or ((loose,) if loose else ())


def _plain(path):
    """The path as one writes it: the dict of an object's attributes is not seen."""
    return _OF_ATTRIBUTES.sub(r".\1", path)


def _loose(link, path):
    """What holds an object where no name leads to it."""
    kind, path = type(link.owner).__name__, _plain(link.label + path)
    if path.startswith("."):
        return Holder("attribute", "", path, f"attribute of an object of `{kind}`")
    return Holder("container", "", path, f"in a {kind}" if path else f"held by {kind}")


def _start(code):
    return code.co_filename, code.co_firstlineno


def _captured(link, path):
    """The names by which a function has an object in its closure."""
    function, index = link.owner, path[1 : path.find("]")]
    if _is_ours(function) or not index.isdigit():
        return
    names = function.__code__.co_freevars
    if int(index) < len(names):
        rest = _plain(path[path.find("]") + 1 :])
        where = f"captured by `{function.__qualname__}`"
        code = function.__code__
        yield Holder("captured", names[int(index)], rest, where, *_start(code))


def holders_of(
    objects: Iterable[Any], ignored: Sequence[Any] = ()
) -> list[tuple[Holder, ...]]:
    """The names that keep each object alive, at most three of each; empty where none is found.

    Args:
        objects: any objects; all of them are looked for at once.
        ignored: containers of the caller's own, which are no holders.
    """
    things = list(objects)
    search = _Search(things)
    search.skipped |= {id(x) for x in (things, objects, *ignored)}
    search.run()
    return [search.holders_of(x) for x in things]
