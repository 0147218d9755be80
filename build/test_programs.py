"""What BUILD files say of Python tests: which files run in one process, and on how many devices."""

import ast
import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True)
class Program:
    """The test files that run in one process.

    Args:
        files: their paths from the repository's root.
        devices: of the CPU; None for the one that it has.
        is_large: the BUILD file gives it a size above the middle one.
    """

    files: tuple[str, ...]
    devices: int | None
    is_large: bool


class _Package:
    """The tests of one BUILD file, found by running it with stand-ins for the rules."""

    def __init__(self, root: pathlib.Path, folder: str):
        self.root, self.folder = root, root / folder
        self.programs: list[Program] = []
        code = ast.parse((self.folder / "BUILD.bazel").read_text())
        names = {node.id for node in ast.walk(code) if isinstance(node, ast.Name)}
        rules = {
            "jax_test": self.test,
            "pytest_test": self.test,
            "jax_tests": lambda names: [self.test(name) for name in names],
            "glob": self.glob,
        }
        others = dict.fromkeys(names, lambda *args, **kwargs: [])
        exec(compile(code, str(self.folder), "exec"), {**others, **rules})

    def glob(self, patterns, exclude=(), **kwargs):
        found = {
            str(path.relative_to(self.folder))
            for pattern in patterns
            for path in self.folder.glob(pattern)
        }
        return sorted(found - set(exclude))

    def test(self, name, srcs=None, devices=None, size="medium", **kwargs):
        within = self.folder.relative_to(self.root)
        files = tuple(str(within / file) for file in srcs or [f"{name}.py"])
        large = size in ("large", "enormous")
        self.programs.append(Program(files, devices, large))


def programs(root: pathlib.Path, folder: str) -> list[Program]:
    """The programs of the tests that a folder's BUILD file names.

    Args:
        root: the repository's folder.
        folder: the path of a folder from there.
    """
    return _Package(root, folder).programs
