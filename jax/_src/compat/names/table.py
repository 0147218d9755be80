"""The table of names that third-party libraries find at upstream's module paths.

For each module path, a text of lines `source: names`: the module below that path has these names, and each is
the object of that name in `source`. `theirs=ours` is a name whose object has another name there. A line
`modules: paths` lists modules that are names there; `theirs=path` is one of another name.

The tables are texts because they are many: a path's text is read when the path is first imported.
"""

import functools

from jax._src.base import releases
from jax._src.compat.names import (
    core,
    interpreters,
    lax,
    mosaic,
    numpy,
    older,
    packages,
    pallas,
    random,
    rest,
    scipy,
    state,
    testing,
    transforms,
)

# Module path -> its rows as text.
TABLE: dict[str, str] = {
    **core.TABLE,
    **interpreters.TABLE,
    **lax.TABLE,
    **mosaic.TABLE,
    **numpy.TABLE,
    **packages.TABLE,
    **pallas.TABLE,
    **random.TABLE,
    **rest.TABLE,
    **scipy.TABLE,
    **state.TABLE,
    **testing.TABLE,
    **transforms.TABLE,
}

# Module -> its own names that give way to those of the table.
REPLACED = older.REPLACED if releases.REACHES_BACK else {}

if releases.REACHES_BACK:
    for _path, _text in older.TABLE.items():
        TABLE[_path] = TABLE.get(_path, "") + _text

# Paths of the table that have others below them.
PACKAGES = frozenset(path.rpartition(".")[0] for path in TABLE)


@functools.cache
def rows(module: str) -> dict[str, str]:
    """The names of a module: each with ``"module:object"``, or ``"module"`` for a module.

    Args:
        module: a path of the table.
    """
    found = {
        path.rpartition(".")[2]: path
        for path in TABLE
        if path.rpartition(".")[0] == module
    }
    for line in TABLE[module].split("\n"):
        source, _, names = line.partition(":")
        for name in names.split():
            theirs, _, ours = name.partition("=")
            if source.strip() != "modules":
                found[theirs] = f"{source.strip()}:{ours or theirs}"
            elif ours:
                found[theirs] = ours
            else:
                found[theirs.rpartition(".")[2]] = theirs
    for name in releases.gone(module):
        found.pop(name, None)
    return found
