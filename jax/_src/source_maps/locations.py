"""Source locations, read out of the texts of compilers."""

import re

from jax._src.base import records
from jax._src.source_maps import maps

LOC_REGEX = re.compile(r"loc\(#?(\w+)\)")
SRC_REGEX = re.compile(r'#(\w+) = loc\("([^"]*)":(\d+):(\d+)')
SCOPED_REGEX = re.compile(r'#(\w+) = loc\("[^"]*"\(#(\w+)\)\)')
CALLSITE_REGEX = re.compile(r"#(\w+) = loc\(callsite\(#(\w+) at #(\w+)\)\)")
METADATA_REGEX = re.compile(
    r'metadata=\{[^}]*?source_file="([^"]*)"[^}]*?source_line=(\d+)'
)
_FRAME_REGEX = re.compile(r"metadata=\{[^}]*?stack_frame_id=(\d+)")


@records.record
class Location:
    """A location in a source file; lines and columns from 1."""

    file: str
    line: int
    col: int


@records.record
class Redirect:
    """A named location that refers to another name."""

    tgt_id: str


def canonicalize_filename(file_name: str) -> str:
    """The name of a file as maps have it: as it is."""
    return file_name


def parse_mlir_locations(mlir_dump: str) -> dict[str, Location | Redirect]:
    """The named locations of a module's text."""
    found: dict[str, Location | Redirect] = {}
    for line in mlir_dump.split("\n"):
        if location := SRC_REGEX.match(line):
            name, file, row, column = location.groups()
            found[name] = Location(file, int(row), int(column))
        elif scoped := SCOPED_REGEX.match(line):
            found[scoped[1]] = Redirect(scoped[2])
        elif called := CALLSITE_REGEX.match(line):
            found[called[1]] = Redirect(called[2])
    return found


def _resolved(name, locations):
    seen = set()
    while isinstance(location := locations.get(name), Redirect) and name not in seen:
        seen.add(name)
        name = location.tgt_id
    return location if isinstance(location, Location) else None


def map_lines(text: str, location_of_line) -> maps.SourceMap:
    """The map of a text, by a function that gives the location of a line, or None."""
    sources: list[str] = []
    generator = maps.MappingsGenerator()
    for line in text.split("\n"):
        generator.new_group()
        location = location_of_line(line)
        if location is None:
            continue
        file = canonicalize_filename(location.file)
        if file not in sources:
            sources.append(file)
        start = len(line) - len(line.lstrip())
        # Files count lines from 1 and columns as they please; maps from 0.
        column = max(location.col, 0)
        generator.new_segment(start, sources.index(file), location.line - 1, column)
    return maps.SourceMap(3, sources, [], [], generator.mappings())


def create_mlir_sourcemap(mlir_dump: str) -> maps.SourceMap:
    """The map of a module's text, printed with locations."""
    locations = parse_mlir_locations(mlir_dump)

    def location_of(line):
        found = None if line.startswith("#") else LOC_REGEX.search(line)
        return found and _resolved(found[1], locations)

    return map_lines(mlir_dump, location_of)


def _table(text, title):
    """The numbered rows of one of the tables at the head of an HLO module."""
    found = re.search(rf"^{title}\n((?:\d+ .*\n?)*)", text, re.MULTILINE)
    rows = found[1].splitlines() if found else []
    return {int(row.partition(" ")[0]): row.partition(" ")[2] for row in rows}


def _fields(row):
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", row)}


def _frames(text):
    """The locations of an HLO module's stack frames, by number."""
    names = {i: name.strip('"') for i, name in _table(text, "FileNames").items()}
    locations = {}
    for number, row in _table(text, "FileLocations").items():
        at = _fields(row)
        file = names.get(at.get("file_name_id", 0), "")
        locations[number] = Location(file, at.get("line", 1), 0)
    frames = {i: _fields(row) for i, row in _table(text, "StackFrames").items()}
    return {i: locations.get(f.get("file_location_id", 0)) for i, f in frames.items()}


def parse_hlo_dump(text: str) -> maps.SourceMap:
    """The map of an HLO module's text, of the locations that its operations name."""
    frames = _frames(text)

    def location_of(line):
        if direct := METADATA_REGEX.search(line):
            return Location(direct[1], int(direct[2]), 0)
        framed = _FRAME_REGEX.search(line)
        return framed and frames.get(int(framed[1]))

    return map_lines(text, location_of)
