"""Where Bazel works: in the repository itself, or, as Bazel refuses paths with spaces, in a copy that follows it."""

import functools
import hashlib
import os
import pathlib
import shutil

import machine

# What a build makes here, or has no use for.
LEFT_OUT = {".git", ".venv", "__pycache__", "dist"}


def sources(root: pathlib.Path) -> dict[pathlib.PurePath, os.stat_result]:
    """Files below `root`, by their paths from there; what Bazel links into it is left out."""
    found = {}
    for folder, folders, names in os.walk(root):
        at_top = pathlib.Path(folder) == root
        folders[:] = [
            name
            for name in folders
            if name not in LEFT_OUT and not (at_top and name.startswith("bazel-"))
        ]
        for name in names:
            path = pathlib.Path(folder, name)
            found[path.relative_to(root)] = path.lstat()
    return found


def follow(root: pathlib.Path, copy: pathlib.Path) -> None:
    """Makes the files below `copy` those below `root`; what did not change keeps its time."""
    wanted, there = sources(root), sources(copy) if copy.exists() else {}
    for path in there.keys() - wanted.keys():
        (copy / path).unlink()
    for path, facts in wanted.items():
        old = there.get(path)
        if old and (old.st_size, old.st_mtime_ns, old.st_mode) == (
            facts.st_size,
            facts.st_mtime_ns,
            facts.st_mode,
        ):
            continue
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).unlink(missing_ok=True)
        shutil.copy2(root / path, copy / path, follow_symlinks=False)


@functools.cache
def folder() -> pathlib.Path:
    """The folder to start Bazel in."""
    if not any(character.isspace() for character in str(machine.ROOT)):
        return machine.ROOT
    digest = hashlib.sha256(os.fsencode(machine.ROOT)).hexdigest()[:16]
    copy = machine.CACHE / "workspaces" / digest
    if any(character.isspace() for character in str(copy)):
        raise machine.BuildError(
            "Bazel works in no folder whose path has a space, and a copy in another folder would have one, too.\n"
            f"  repository  {machine.ROOT}\n"
            f"  copy        {copy}\n"
            "Move the repository, or name another cache folder by XDG_CACHE_HOME."
        )
    machine.say(f"the path has a space, which Bazel refuses: building a copy in {copy}")
    follow(machine.ROOT, copy)
    return copy
