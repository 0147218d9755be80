"""Writes the reference, a page for each public module, from signatures and docstrings."""

import functools
import importlib
import inspect
import pathlib
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Iterator

import docstrings
import numpy as np

import jax
from jax._src.base import doc_examples

ROOT = pathlib.Path(jax.__file__).resolve().parent.parent
# Modules with more names than this are divided into sections by the file that implements them.
LARGE = 60
# Names of jax.core and others that stand for typing constructs; they have no signature.
SIMPLE = (int, float, str, bool, type(None), tuple, complex)


def modules() -> list[types.ModuleType]:
    """Every public module that can be imported here."""
    names = ["jax"]
    for found in pkgutil.walk_packages(jax.__path__, "jax.", onerror=lambda name: None):
        parts = found.name.split(".")
        if not any(part.startswith("_") for part in parts) and "tools" not in parts:
            names.append(found.name)
    result = []
    for name in sorted(names):
        try:
            module = importlib.import_module(name)
        except ImportError:  # needs a package that is not installed
            continue
        owner, _, last = name.rpartition(".")
        # Neither jaxlib's under another path, nor hidden by a function of the same name.
        hidden = owner and getattr(sys.modules[owner], last, None) is not module
        if module.__name__ == name and not hidden:
            result.append(module)
    return result


def is_ours(value: object) -> bool:
    """Whether this project defines an object, as opposed to Python's typing constructs and other packages."""
    return str(getattr(value, "__module__", "jax")).startswith("jax")


def is_dtype(value: object) -> bool:
    return (
        isinstance(value, type) and issubclass(value, np.generic) or value is np.dtype
    )


def public(module: types.ModuleType) -> dict[str, object]:
    """The public names of a module, without its submodules."""
    found = {}
    for name in sorted(dir(module), key=str.lower):
        if name.startswith("_") or name == "annotations":
            continue
        value = getattr(module, name, None)
        if value is None or inspect.ismodule(value):
            continue
        # Of what others define, functions and classes under a name of ours, such as dtypes, stay.
        if is_ours(value) or isinstance(value, SIMPLE) or is_dtype(value):
            found[name] = value
    return found


def annotation(kind: object) -> str:
    text = kind if isinstance(kind, str) else ""
    if not text:
        is_class = isinstance(kind, type) and not typing.get_args(kind)
        text = kind.__qualname__ if is_class else str(kind)
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Za-z_])", "", text)
    return "None" if text == "NoneType" else text.replace("'", "")


def default(value: object) -> str:
    if value is inspect.Parameter.empty:
        return ""
    if isinstance(value, type) or callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    text = repr(value)
    return "..." if text.startswith("<") or len(text) > 40 else text


def signature(value: object) -> str:
    """The signature of a function or class as text, with short names of types; "" where there is none."""
    try:
        found = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    parameters = [
        p.replace(annotation=p.empty, default=p.empty)
        for p in found.parameters.values()
    ]
    shown = []
    star = False
    for plain, p in zip(parameters, found.parameters.values(), strict=True):
        if p.kind is p.KEYWORD_ONLY and not star:
            shown.append("*")
        star = star or p.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
        text = str(plain)
        if p.annotation is not p.empty:
            text += f": {annotation(p.annotation)}"
        if p.default is not p.empty:
            text += f"={default(p.default)}"
        shown.append(text)
    only = [i for i, p in enumerate(parameters) if p.kind is p.POSITIONAL_ONLY]
    if only:
        shown.insert(only[-1] + 1, "/")
    result = (
        ""
        if found.return_annotation is found.empty
        else annotation(found.return_annotation)
    )
    return f"({', '.join(shown)})" + (f" -> {result}" if result else "")


def implementation(value: object) -> object:
    """The Python object that implements a public one, below its wrappers."""
    try:
        return inspect.unwrap(value)  # type: ignore[arg-type]
    except ValueError:
        return value


def source(value: object) -> tuple[str, int] | None:
    """The file, from the repository's root, and the line that define an object."""
    inner = implementation(value)
    try:
        file = pathlib.Path(inspect.getsourcefile(inner)).resolve()  # type: ignore[arg-type]
        line = inspect.getsourcelines(inner)[1]
    except (TypeError, OSError):
        return None
    return (str(file.relative_to(ROOT)), line) if file.is_relative_to(ROOT) else None


def is_constant(value: object) -> bool:
    """Whether an object is a number, a container or a type alias, whose docstring is that of Python's class."""
    if inspect.isroutine(value) or inspect.isclass(value):
        return False
    if isinstance(value, (*SIMPLE, np.dtype)) or typing.get_origin(value):
        return True
    return type(value).__module__ in ("builtins", "types", "typing")


def docstring(value: object) -> str:
    """The docstring of an object of ours; a line about what others define; "" of constants and type aliases."""
    if is_constant(value):
        return ""
    if not is_ours(value):
        return f"`{value.__module__}.{value.__qualname__}`."  # type: ignore[attr-defined]
    return inspect.getdoc(value) or ""


def first_sentence(value: object) -> str:
    return summary_of(docstring(value))


def summary_of(text: str) -> str:
    text = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.:]) ", text)[0].rstrip(":")


@functools.cache
def examples(module: str) -> dict[str, str]:
    """The examples that the tables have for a module; NumPy's classes have no room for them in their docstrings."""
    path = doc_examples.FOLDER / f"{module}.txt"
    return doc_examples.read(path) if path.is_file() else {}


def described(module: str, name: str, value: object) -> str:
    """The docstring of a public name, with its example."""
    text = docstring(value)
    if ">>>" not in text and name in examples(module):
        session = examples(module)[name].replace("\n", "\n    ")
        text += f"\n\nExamples:\n    {session}"
    return text


class Reference:
    """All pages of the reference; names are cross-linked over all modules."""

    def __init__(self) -> None:
        self.modules = {module.__name__: module for module in modules()}
        doc_examples.attach("jax")  # of modules that only these pages import, too
        self.names = {name: public(module) for name, module in self.modules.items()}
        self.homes: dict[str, list[str]] = {}
        for module, names in self.names.items():
            for name in names:
                self.homes.setdefault(name, []).append(module)
        self.counts = {"names": 0, "examples": 0, "docstrings": 0}

    def see_also(self, module: str, name: str, value: object) -> list[str]:
        """Public names that the docstring mentions, and those of the same name in other modules."""
        text = docstring(value)
        found = []
        for word in re.findall(r"(?<!`)`([A-Za-z_][\w.]*)`", text):
            owner, _, last = word.rpartition(".")
            owners = [owner, f"jax.{owner}"] if owner else [module]
            owners += {
                "jnp": ["jax.numpy"],
                "lax": ["jax.lax"],
                "jsp": ["jax.scipy"],
            }.get(owner, [])
            found += [f"{o}.{last}" for o in owners if last in self.names.get(o, {})]
        useful = (
            "jax.numpy",
            "jax.lax",
            "jax.scipy",
            "jax.nn",
            "jax.random",
            "jax.tree",
        )
        found += [
            f"{home}.{name}"
            for home in self.homes[name]
            if home.startswith(useful) and module.startswith((*useful, "jax.tree"))
        ]
        return [x for x in dict.fromkeys(found) if x != f"{module}.{name}"][:8]

    def entry(self, module: str, name: str, value: object) -> Iterator[str]:
        """The lines that describe one public name."""
        text = described(module, name, value)
        self.counts["names"] += 1
        self.counts["docstrings"] += bool(text)
        self.counts["examples"] += ">>>" in text
        is_class = inspect.isclass(value)
        kind = (
            "class"
            if is_class
            else "function"
            if callable(value) and docstring(value)
            else "data"
        )
        is_error = is_class and issubclass(value, BaseException)
        kind = "exception" if is_error else kind
        yield f".. py:{kind}:: {name}{signature(value) if kind != 'data' and is_ours(value) else ''}"
        if (
            kind == "data"
            and isinstance(value, SIMPLE)
            and not isinstance(value, tuple)
        ):
            yield f"   :value: {value!r}"
        yield ""
        yield from (f"   {line}".rstrip() for line in docstrings.to_rst(text))
        if is_class and is_ours(value):
            yield from self.members(value)
        others = self.see_also(module, name, value)
        if others:
            yield "   .. rubric:: See also"
            yield ""
            yield "   " + ", ".join(f":py:obj:`{other}`" for other in others)
            yield ""
        where = source(value)
        if where:
            yield f"   Source: ``{where[0]}``, line {where[1]}"
        yield ""

    def members(self, value: type) -> Iterator[str]:
        """The public methods and properties that a class of ours defines."""
        for name, member in sorted(vars(value).items()):
            if name.startswith("_"):
                continue
            inner = (
                member.__func__
                if isinstance(member, staticmethod | classmethod)
                else member
            )
            text = inspect.getdoc(inner)
            if isinstance(inner, property):
                yield f"   .. py:property:: {name}"
            elif callable(inner) and not inspect.isclass(inner):
                yield f"   .. py:method:: {name}{signature(inner)}"
            else:
                continue
            yield ""
            if text and text != inspect.getdoc(type(inner)):
                yield from (
                    f"      {line}".rstrip() for line in docstrings.to_rst(text)
                )
            yield ""

    def sections(self, module: str) -> dict[str, list[str]]:
        """Names by the first sentence of the module that implements them, for large modules."""
        names = self.names[module]
        if len(names) <= LARGE:
            return {"": list(names)}
        found: dict[str, list[str]] = {}
        for name, value in names.items():
            inner = implementation(value)
            leaf = str(getattr(inner, "__module__", ""))
            where = source(value)
            if where and not leaf.startswith("jax._src"):
                leaf = where[0].removesuffix(".py").replace("/", ".")
            title = ""
            if leaf in sys.modules and leaf.startswith("jax"):
                title = summary_of(sys.modules[leaf].__doc__ or "").rstrip(".")
            found.setdefault(
                title.replace("`", "") or "Constants and types", []
            ).append(name)
        # A file with one or two names is no section.
        small = [title for title, group in found.items() if len(group) < 3]
        for title in small:
            found.setdefault("Others", []).extend(found.pop(title))
        return dict(
            sorted(found.items(), key=lambda item: (item[0] == "Others", item[0]))
        )

    def page(self, module: str) -> str:
        lines = [f"``{module}``", "=" * (len(module) + 4), ""]
        lines += [f".. py:module:: {module}", ""]
        lines += docstrings.to_rst(self.modules[module].__doc__ or "")
        for title, names in self.sections(module).items():
            if title:
                title = docstrings.escape(title)
                lines += ["", title, "-" * max(4, len(title)), ""]
            lines += [".. list-table::", "   :widths: 30 70", ""]
            for name in names:
                summary = first_sentence(self.names[module][name])
                lines += [
                    f"   * - :py:obj:`~{module}.{name}`",
                    f"     - {docstrings.escape(summary)}",
                ]
            lines.append("")
            for name in names:
                lines += self.entry(module, name, self.names[module][name])
        return "\n".join(lines) + "\n"

    def write(self, folder: pathlib.Path) -> None:
        """Writes the pages and their index into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        filled = [name for name in self.modules if self.names[name]]
        for name in filled:
            (folder / f"{name}.rst").write_text(self.page(name))
        main = [
            n
            for n in filled
            if not n.startswith(
                (
                    "jax.experimental",
                    "jax.extend",
                    "jax.interpreters",
                    "jax.example",
                    "jax.scipy.stats.",
                )
            )
        ]
        rest = [n for n in filled if n not in main]
        lines = ["Reference", "=========", ""]
        lines += [
            "Every public name, from its signature and its docstring. Examples run as tests.",
            "",
        ]
        for title, group in (
            ("Modules", main),
            ("Distributions, experiments, extensions", rest),
        ):
            lines += [
                title,
                "-" * len(title),
                "",
                ".. toctree::",
                "   :maxdepth: 1",
                "",
            ]
            lines += [f"   {name}" for name in group]
            lines.append("")
        (folder / "index.rst").write_text("\n".join(lines))
