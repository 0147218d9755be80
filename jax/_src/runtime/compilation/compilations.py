"""What was compiled, how long it took, and why: `jax.compilation_report`.

Each compilation of this process leaves a `Compilation`; the latest are kept. `jit`, eager
operations and moves of arrays all report here.
"""

import collections
import contextlib
import contextvars
import itertools
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jax._src.base import caches, compile_log, errors, options, records, source
from jax._src.runtime.compilation import causes

_log = logging.getLogger("jax._src.interpreters.partial_eval")

# The latest compilations, and the latest requests of each site, of the latest sites.
_MOST_KEPT, _MOST_SITES, _MOST_PER_SITE = 1024, 1024, 8
_numbers = itertools.count()
_lock = threading.Lock()
_kept: collections.deque["Compilation"] = collections.deque(maxlen=_MOST_KEPT)
_sites: collections.OrderedDict[tuple, collections.deque] = collections.OrderedDict()
_repeats: collections.OrderedDict[tuple, int] = collections.OrderedDict()
# Sites of which `jax.clear_caches` has cleared what was known.
_cleared: set[tuple] = set()
_forbidden: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "no_compilation_expected", default=False
)
_counted: contextvars.ContextVar[bool] = contextvars.ContextVar(
    "compilations_are_counted", default=True
)
# The cause of compilations that no call of the user's wants, where one is given.
_given_cause: contextvars.ContextVar[str] = contextvars.ContextVar(
    "cause_of_compilations", default=""
)
_PREFIX = "/jax/core/compile/"


@records.identity_record
class Compilation:
    """One program that was compiled in this process."""

    # How many were compiled before.
    number: int
    # The function or operation, and where it is defined.
    function: str
    location: str
    # The line of the user's program that called.
    called_at: str
    # The types of the inputs.
    signature: str
    # Seconds of the phases; 0 where a phase was not needed.
    trace_seconds: float
    lower_seconds: float
    compile_seconds: float
    # Bytes of machine code; None where the compiler does not say.
    code_bytes: int | None
    # Whether the executable came from the persistent cache.
    from_disk: bool
    # Why, compared with the nearest earlier compilation, and the kinds of what differs:
    # "first call", "shape", "dtype", "weak type", "sharding", "device", "committed", "layout",
    # "static value", "structure", "option", "jit option", "axes", "new function",
    # "captured", "ahead of time", "search". None at all: the program was compiled before and forgotten.
    cause: str
    kinds: tuple[str, ...]
    # When it was ready, in seconds of `time.time`.
    finished: float

    @property
    def seconds(self) -> float:
        """Seconds of all phases."""
        return self.trace_seconds + self.lower_seconds + self.compile_seconds


class CompilationReport(Sequence):
    """Compilations, the oldest first. Its `repr` is a table."""

    def __init__(self, compilations: Sequence[Compilation]):
        self._compilations = tuple(compilations)

    def __len__(self) -> int:
        return len(self._compilations)

    def __getitem__(self, index: Any) -> Any:
        found = self._compilations[index]
        return CompilationReport(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        total = sum(one.seconds for one in self)
        plural = "" if len(self) == 1 else "s"
        lines = [f"{len(self)} compilation{plural}, {total * 1e3:.1f} ms"]
        if not self:
            return lines[0]
        heads = ("", "function", "trace", "lower", "compile", "code", "disk", "cause")
        rows = [heads, *map(_row, self)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(heads) - 1)]
        for row in rows:
            cells = [
                f"{cell:<{width}}" if i == 1 else f"{cell:>{width}}"
                for i, (cell, width) in enumerate(zip(row, widths, strict=False))
            ]
            lines.append("  ".join([*cells, row[-1]]).rstrip())
        return "\n".join(lines)


def _row(one):
    times = (one.trace_seconds, one.lower_seconds, one.compile_seconds)
    size = "" if one.code_bytes is None else f"{one.code_bytes / 1024:.1f} KiB"
    signature = one.signature if len(one.signature) < 40 else one.signature[:37] + "..."
    where = f", called at {causes.short_location(one.called_at)}" * bool(one.called_at)
    return (
        str(one.number),
        f"{one.function}({signature})",
        *(f"{t * 1e3:.2f} ms" for t in times),
        size,
        "yes" if one.from_disk else "no",
        one.cause + where,
    )


def compilation_report() -> CompilationReport:
    """What was compiled in this process, how long each phase took, and why.

    The latest 1,024 compilations are remembered, those of single operations and of moves of
    arrays included.

    Returns:
        A sequence of records, the oldest first, whose `repr` is a table. A record has
        `number`, `function`, `location`, `called_at`, `signature`, `trace_seconds`,
        `lower_seconds`, `compile_seconds`, `code_bytes`, `from_disk`, `cause`, a sentence,
        and `kinds`, such as ``("shape",)``.

    Examples:
        >>> @jax.jit
        ... def double(x):
        ...     return 2 * x
        >>> _ = double(jnp.zeros(3)), double(jnp.zeros(4))
        >>> [one.cause for one in jax.compilation_report() if one.function == "double"][-1]
        'the shape of argument `x` changed from (3,) to (4,)'
    """
    with _lock:
        return CompilationReport(list(_kept))


class expect_no_compile(contextlib.ContextDecorator):
    """A context manager, or decorator, in which compiling anything is an error.

    It holds for this thread. The error is raised before the compiler runs, and has the
    cause in its message; the program goes on where it is caught.

    Raises:
        UnexpectedCompilationError: something is compiled in it.

    Examples:
        >>> step = jax.jit(lambda x: x + 1)
        >>> x = step(jnp.zeros(3))
        >>> with jax.expect_no_compile():
        ...     for _ in range(3):
        ...         x = step(x)
    """

    def __init__(self) -> None:
        self._tokens: list[contextvars.Token] = []

    def __enter__(self) -> None:
        self._tokens.append(_forbidden.set(True))

    def __exit__(self, *exc_info: object) -> None:
        _forbidden.reset(self._tokens.pop())


@contextlib.contextmanager
def allowed(cause: str = "") -> Iterator[None]:
    """A block in which compiling is no error and gives no warning, for what is made of a failure.

    Args:
        cause: that of what is compiled in it; "": what differs from earlier compilations.
    """
    variables = {_forbidden: False, _counted: False, _given_cause: cause}
    tokens = [variable.set(value) for variable, value in variables.items()]
    try:
        yield
    finally:
        for variable, token in zip(variables, tokens, strict=True):
            variable.reset(token)


def refuse_if_unexpected(request: Callable[[], causes.Request]) -> None:
    """Refuses a compilation where none is expected.

    Args:
        request: makes the request of the compilation.

    Raises:
        UnexpectedCompilationError: none is expected here.
    """
    if not _forbidden.get():
        return
    made = request()
    changes = _changes_of(made)
    what = "function" if made.kind == "function" else "operation"
    facts = [
        (what, f"{made.name}({made.signature})"),
        ("defined", made.location),
        ("called", causes.call_location()),
        ("cause", causes.sentence(changes, is_derived=made.is_derived)),
    ]
    kind = changes[0].kind if changes else ""
    way = "Call it once with such arguments before the block."
    if _is_of_user(made) and kind in causes.WAYS_OUT:
        way = f"{causes.WAYS_OUT[kind]}\nIf it is meant: call it once before the block."
    raise errors.UnexpectedCompilationError(
        errors.explain(
            f"`{made.name}` would be compiled within jax.expect_no_compile().",
            [(name, text) for name, text in facts if text],
            "The block says that everything in it was compiled before.",
            way,
        )
    )


def _changes_of(request):
    with _lock:
        earlier = list(_sites.get(request.site, ()))
        is_forgotten = request.site in _cleared
    if not earlier and is_forgotten:
        text = f"first call of `{request.name}` after jax.clear_caches()"
        return (causes.Change("first call", request.name, text),)
    changes = causes.nearest(request, earlier)
    if not earlier:
        other = _in_another_cell(request)
        if other:
            text = f"{changes[0].text} as {other}"
            changes = (causes.Change("first call", request.name, text),)
    return changes


def _in_another_cell(request):
    """Where a function of a notebook was defined before, in another cell or another run of it."""
    if not _is_cell(request.location):
        return ""
    kind, name, _, form = request.site
    with _lock:
        sites = [
            site
            for site in _sites
            if (site[0], site[1], site[3]) == (kind, name, form) and _is_cell(site[2])
        ]
    if not sites:
        return ""
    now, before = map(causes.short_location, (request.location, sites[-1][2]))
    return (
        f"{now} defines it: {before} defined it before, and each definition is compiled"
    )


def _is_cell(location):
    return location.startswith("<ipython-input") or "ipykernel_" in location


@contextlib.contextmanager
def recorded(
    make_request: Callable[[], causes.Request],
    *,
    trace_seconds: float = 0.0,
    lower_seconds: float = 0.0,
) -> Iterator[list[Any]]:
    """Records what is compiled in the block.

    Args:
        make_request: makes the request of the compilation.
        trace_seconds: how long its function was traced, before the block.
        lower_seconds: how long its program was lowered, before the block.

    Yields:
        a list to which the block appends the executable.

    Raises:
        UnexpectedCompilationError: none is expected here.
    """
    refuse_if_unexpected(make_request)
    made: list[Any] = []
    with compile_log.collecting() as phases:
        yield made
    request = make_request()
    given = _given_cause.get()
    changes = () if given else _changes_of(request)
    cause = given or causes.sentence(changes, is_derived=request.is_derived)
    kinds = ("search",) if given else tuple(dict.fromkeys(c.kind for c in changes))
    seconds = phases.seconds
    one = Compilation(
        next(_numbers),
        request.name,
        request.location,
        causes.call_location(),
        request.signature,
        trace_seconds + seconds.get(_PREFIX + "jaxpr_trace_duration", 0.0),
        lower_seconds + seconds.get(_PREFIX + "jaxpr_to_mlir_module_duration", 0.0),
        seconds.get(_PREFIX + "backend_compile_duration", 0.0),
        _code_bytes(made[0]) if made else None,
        phases.from_disk,
        cause,
        kinds,
        time.time(),
    )
    _keep(one, request)
    if _counted.get() and _is_of_user(request):
        if options.explain_cache_misses.value:
            _log.warning(
                "COMPILING %s(%s) at %s: %s.",
                one.function,
                one.signature,
                one.called_at,
                one.cause,
            )
        _count(request, changes, one)


def _is_of_user(request):
    file = request.location.rpartition(":")[0]
    return bool(file) and not source.is_internal(file)


def _code_bytes(executable):
    try:
        found = executable.memory_analysis()
    except (RuntimeError, NotImplementedError, ValueError):
        return None
    name = "generated_code_size_in_bytes"
    return found.get(name) if isinstance(found, dict) else getattr(found, name, None)


def _keep(one, request):
    with _lock:
        _kept.append(one)
        known = _sites.get(request.site)
        if known is None:
            known = _sites[request.site] = collections.deque(maxlen=_MOST_PER_SITE)
            if len(_sites) > _MOST_SITES:
                _sites.popitem(last=False)
        known.append(request)


def _count(request, changes, one):
    """Counts a compilation by its reason, and warns, once, when there are many."""
    most = options.recompilations_until_warning.value
    if not most or not changes or changes[0].kind in ("first call", "ahead of time"):
        return
    reason = changes[0].kind, changes[0].subject
    key = (*request.site, reason)
    with _lock:
        count = _repeats[key] = _repeats.get(key, 0) + 1
        if len(_repeats) > _MOST_SITES:
            _repeats.popitem(last=False)
    if count == most:
        _warn(request, changes[0], one, count)


def _warn(request, change, one, count):
    message = errors.explain(
        f"`{request.name}` was compiled {count} times again for the same reason.",
        [
            ("function", f"{request.name}({one.signature})"),
            ("defined", request.location),
            ("called", one.called_at),
            ("cause", one.cause),
        ],
        "A program is compiled for each combination of types, static values and functions; "
        "the time goes into compiling.",
        f"{causes.WAYS_OUT.get(change.kind, '')}\n"
        "jax.compilation_report() shows all. To silence this: warnings.filterwarnings("
        '"ignore", category=jax.errors.RecompilationWarning), or set '
        "jax_recompilations_until_warning to 0.",
    )
    category = errors.RecompilationWarning
    file, line, _ = causes.calling_frame() or ("<unknown>", 0, "")
    try:
        warnings.warn_explicit(message, category, file, line)
    except category:
        # A program for which every warning is an error shall not fail for advice, when the
        # result is there; one that names this category shall.
        if any(f[0] == "error" and f[2] is category for f in warnings.filters):
            raise
        _log.warning("%s", message)


def _forget():
    """Forgets what was compiled for what; the records, which are text, stay."""
    with _lock:
        if len(_cleared) > _MOST_SITES:
            _cleared.clear()
        _cleared.update(_sites)
        _sites.clear()
        _repeats.clear()


caches.register("runtime.compilations", _forget)
