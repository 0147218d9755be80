"""The forms that a program takes on its way to the device, each with its source map."""

import contextlib
import enum
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from jax._src.base import errors, records
from jax._src.core import jaxpr as jaxpr_lib
from jax._src.jit import jit as jits
from jax._src.source_maps import locations, maps
from jax._src.transforms import inspect_programs


class CompileFn(Protocol):
    """Makes what `GenerateDumpFn` dumps."""

    def __call__(
        self, work_dir: str, f: Callable, f_args: Any, f_kwargs: Any, **kwargs: Any
    ) -> Any:
        """What a function is compiled to, for these arguments."""


class GenerateDumpFn(Protocol):
    """Makes text and map of what `CompileFn` made."""

    def __call__(self, compile_result: Any, **kwargs: Any) -> "SourceMapDump":
        """The text with its map."""


@records.record
class SourceMapDump:
    """A text, and where its lines come from."""

    source_map: maps.SourceMap
    generated_code: str
    pass_name: str


@records.record
class Pass:
    """A form of programs: how it is made, and how its map."""

    name: str
    compile_fn: CompileFn
    generate_dump: GenerateDumpFn


class HloPass(enum.Enum):
    """The forms that compilers print."""

    STABLE_HLO = "hlo:stable-hlo"
    ORIGINAL = "hlo:original"
    OPTIMIZED = "hlo:optimized"


_passes: dict[str, Pass] = {}


def register_pass(pass_: Pass) -> None:
    """Adds a form.

    Raises:
        ValueError: there is one of that name.
    """
    if pass_.name in _passes:
        raise errors.value_error(
            f"register_pass: there is a pass of the name {pass_.name!r}.",
            [("known", ", ".join(_passes))],
        )
    _passes[pass_.name] = pass_


def all_passes() -> Sequence[Pass]:
    """All forms, in the order in which programs take them."""
    return list(_passes.values())


def filter_passes(regex: str) -> Sequence[Pass]:
    """The forms whose names begin as a regular expression says."""
    return [p for p in _passes.values() if re.match(regex, p.name)]


@contextlib.contextmanager
def flag_env(**kwargs: Any) -> Iterator[None]:
    """A block in which variables of the environment have these values."""
    before = {name: os.environ.get(name) for name in kwargs}
    os.environ.update({name: str(value) for name, value in kwargs.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def compile_with_env(
    f: Callable, f_args: Any, f_kwargs: Any, env_flags: Any, compiler_flags: Any
) -> Any:
    """Compiles a function, with variables of the environment and compiler options."""
    with flag_env(**(env_flags or {})):
        lowered = jits.jit(f).lower(*f_args, **f_kwargs)
        return lowered.compile(compiler_options=dict(compiler_flags or {}))


def compile_jaxpr(
    work_dir: str, f: Callable, f_args: Any, f_kwargs: Any, **_: Any
) -> jaxpr_lib.ClosedJaxpr:
    """The jaxpr of a function for these arguments."""
    return inspect_programs.make_jaxpr(f)(*f_args, **f_kwargs)


def _all_eqns(jaxpr):
    """Equations in the order in which they are printed."""
    for eqn in jaxpr.eqns:
        yield eqn
        for inner in jaxpr_lib.jaxprs_in_params(eqn.params):
            yield from _all_eqns(inner)


_BEFORE_AN_EQUATION = re.compile(r"(\n|; |\blet\b)\s*")


def _starts(jaxpr, text):
    """Where each equation begins in the text, with the source location of its user's line."""
    found, at = {}, 0
    for eqn in _all_eqns(jaxpr):
        sign = re.compile(rf"= {re.escape(eqn.primitive.name)}\b").search(text, at)
        if sign is None:
            continue
        before = _BEFORE_AN_EQUATION.finditer(text, 0, sign.start())
        at = sign.end()
        frame = eqn.location.frame if eqn.location is not None else None
        if frame is not None:
            found[max((m.end() for m in before), default=0)] = frame
    return found


def make_jaxpr_dump(jaxpr: jaxpr_lib.ClosedJaxpr, **_: Any) -> SourceMapDump:
    """The text of a jaxpr, with a segment where each equation begins."""
    text = jaxpr.jaxpr.pretty_print(use_color=False)
    starts = _starts(jaxpr.jaxpr, text)
    sources: list[str] = []
    generator = maps.MappingsGenerator()
    first = 0
    for line in text.split("\n"):
        generator.new_group()
        for column in range(len(line)):
            frame = starts.get(first + column)
            if frame is None:
                continue
            file = locations.canonicalize_filename(frame.file_name)
            if file not in sources:
                sources.append(file)
            number = sources.index(file)
            generator.new_segment(column, number, frame.line - 1, frame.column)
        first += len(line) + 1
    found = maps.SourceMap(3, sources, [], [], generator.mappings())
    return SourceMapDump(found, text, "jaxpr")


def trace_and_lower(
    work_dir: str, f: Callable, f_args: Any, f_kwargs: Any, **_: Any
) -> tuple[Any, str]:
    """A function lowered for these arguments, and a folder to work in."""
    return jits.jit(f).lower(*f_args, **f_kwargs), work_dir


def stable_hlo_generate_dump(args: tuple[Any, str], **_: Any) -> SourceMapDump:
    """The StableHLO module with its locations."""
    text = args[0].as_text(debug_info=True)
    name = HloPass.STABLE_HLO.value
    return SourceMapDump(locations.create_mlir_sourcemap(text), text, name)


def original_hlo_generate_dump(args: tuple[Any, str], **_: Any) -> SourceMapDump:
    """The HLO module before the compiler. Ours has no locations: the map is empty."""
    text = args[0].as_text("hlo")
    return SourceMapDump(locations.parse_hlo_dump(text), text, HloPass.ORIGINAL.value)


def optimized_generate_dump(
    args: tuple[Any, str], xla_compiler_flags: dict[str, Any] | None = None, **_: Any
) -> SourceMapDump:
    """The compiler's text, with the locations that it names.

    Raises:
        NotImplementedError: the compiler hands out no text.
    """
    text = args[0].compile(compiler_options=xla_compiler_flags).as_text()
    if text is None:
        raise NotImplementedError("hlo:optimized: this compiler hands out no text.")
    is_hlo = text.startswith("HloModule")
    read = locations.parse_hlo_dump if is_hlo else locations.create_mlir_sourcemap
    return SourceMapDump(read(text), text, HloPass.OPTIMIZED.value)


register_pass(Pass("jaxpr", compile_jaxpr, make_jaxpr_dump))
for _form, _dump in (
    (HloPass.STABLE_HLO, stable_hlo_generate_dump),
    (HloPass.ORIGINAL, original_hlo_generate_dump),
    (HloPass.OPTIMIZED, optimized_generate_dump),
):
    register_pass(Pass(_form.value, trace_and_lower, _dump))


class SourceMapGeneratorFn(Protocol):
    """What `generate_sourcemaps` returns."""

    def __call__(self, *args: Any, **kwargs: Any) -> Sequence[SourceMapDump]:
        """The dumps for these arguments."""


def generate_sourcemaps(
    f: Callable, passes: Sequence[Pass], **pass_kwargs: Any
) -> SourceMapGeneratorFn:
    """A function from arguments of `f` to texts of its program, with source maps.

    Args:
        f: the function.
        passes: the forms; see `all_passes` and `filter_passes`.
        **pass_kwargs: what the passes take besides, such as ``xla_compiler_flags``.
    """

    def generate(*args: Any, **kwargs: Any) -> Sequence[SourceMapDump]:
        return [
            p.generate_dump(
                p.compile_fn("", f, args, kwargs, **pass_kwargs), **pass_kwargs
            )
            for p in passes
        ]

    return generate
