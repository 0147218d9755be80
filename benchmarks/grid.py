"""One page of run times against sizes: small programs as rows, sizes as columns, colours for ratios.

    python benchmarks/grid.py RESULTS.json [--before OLDER.json] [--output grid.html] [--time us] [--libraries numpy,scipy,torch]

`RESULTS.json` has `{"family:size": {"ours": {"us": ..., "cpu": ..., "first": ...}, "peer": {...}}}`, as a comparison of two
interpreters writes it: microseconds of a call, of the processor's time, seconds of the first call. The libraries that this
interpreter has run the programs of which they have an equal, on the same sizes. The page stands alone: it loads nothing.
"""

import argparse
import dataclasses
import html
import importlib
import json
import math
import pathlib
import re
import time
from collections.abc import Callable, Iterable

#: Lower bound, colour, what it says. From orange to blue, for the colour-blind; the number is in each cell.
STEPS = [
    (0.0, "#b35806", "less than half as fast as the peer"),
    (0.5, "#f1a340", "0.5 to 0.9"),
    (0.9, "#fee0b6", "0.9 to 1"),
    (1.0, "#f7f7f7", "1 to 1.5"),
    (1.5, "#d1e5f0", "1.5 to 3"),
    (3.0, "#67a9cf", "3 to 10"),
    (10.0, "#2166ac", "10 and more"),
]
DARK = {"#b35806", "#2166ac"}


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    """A program at one size: microseconds by whose they are, seconds of first calls."""

    family: str
    size: int
    times: dict[str, float]
    first: dict[str, float]

    @property
    def ratio(self) -> float:
        """How many times as fast as the peer."""
        return self.times["peer"] / self.times["ours"]

    @property
    def of_best(self) -> float:
        """The least time of all over ours."""
        return min(self.times.values()) / self.times["ours"]


def read_results(path: pathlib.Path, kind: str = "us") -> list[Point]:
    """Returns the points that both sides computed; `kind` is `us` or `cpu`."""
    points = []
    for key, sides in json.loads(path.read_text()).items():
        family, size = key.rsplit(":", 1)
        if all(side in sides and kind in sides[side] for side in ("ours", "peer")):
            times = {side: max(sides[side][kind], 0.1) for side in ("ours", "peer")}
            first = {side: sides[side].get("first", math.nan) for side in times}
            points.append(Point(family, int(size), times, first))
    return points


def mean(ratios: Iterable[float]) -> float:
    """The geometric mean of the finite positive ones; NaN where there is none."""
    known = [math.log(r) for r in ratios if r > 0 and math.isfinite(r)]
    return math.exp(sum(known) / len(known)) if known else math.nan


def summary(points: list[Point]) -> dict[str, float]:
    """Returns the figures that stand for all points."""
    return {
        "points": len(points),
        "geometric mean": mean(p.ratio for p in points),
        "first call": mean(p.first["peer"] / p.first["ours"] for p in points),
        "below 1": sum(p.ratio < 1 for p in points),
        "below 0.9": sum(p.ratio < 0.9 for p in points),
        "share of at least 0.8 of the best": sum(p.of_best >= 0.8 for p in points)
        / max(1, len(points)),
    }


# ---------------------------------------------------------------------------------------------------------------------
# Other libraries
# ---------------------------------------------------------------------------------------------------------------------

#: What a library computes for a family, as a function of its module and the family's array: elementwise, folds, layouts.
ELEMENTWISE = "exp log sin cos tanh sqrt floor sign log1p expm1 sinh".split()
OF_MAGNITUDES = "log sqrt log1p".split()
FOLDS = "sum max prod mean var argmax argmin median".split()


def _array_programs(name: str) -> Callable | None:
    """The program of one array that NumPy and PyTorch call by one name, if the family is such."""
    kind, _, rest = name.partition("_")
    if kind == "el" and rest in ELEMENTWISE:
        return lambda m, x: getattr(m, rest)(abs(x) if rest in OF_MAGNITUDES else x)
    if kind == "red" and rest in FOLDS:
        return lambda m, x: getattr(m, rest)(x)
    found = re.fullmatch(r"ax_(sum|max|argmax|var|cumsum|sort)_[0-9x]+_ax(\d)", name)
    if found:
        fold, axis = found[1], int(found[2])
        if fold == "max":
            return lambda m, x: (m.max if m.__name__ == "numpy" else m.amax)(x, axis)
        return lambda m, x: getattr(m, fold)(x, axis)
    if name in ("ix_sort", "ix_argsort"):
        return lambda m, x: getattr(m, name[3:])(x)
    if name == "ix_cumsum":
        return lambda m, x: m.cumsum(x, 0)
    if name == "lay_T_copy":
        return lambda m, x: m.asarray(x.T).reshape(-1)
    return None


def _operands(name: str, size: int) -> list[tuple[int, ...]] | None:
    """The shapes of a family's arrays, if they can be read from its name and size."""
    if found := re.fullmatch(r"mm(NT|T)?_(\d+)x(\d+)x(\d+)", name):
        m, k, n = (int(found[i]) for i in (2, 3, 4))
        return [
            (k, m) if found[1] == "T" else (m, k),
            (n, k) if found[1] == "NT" else (k, n),
        ]
    if found := re.fullmatch(r"bmm_(\d+)x(\d+)x(\d+)x(\d+)", name):
        b, m, k, n = (int(found[i]) for i in (1, 2, 3, 4))
        return [(b, m, k), (b, k, n)]
    if found := re.fullmatch(r"ax_[a-z0-9]+_([0-9x]+)_ax\d+", name):
        return [tuple(map(int, found[1].split("x")))]
    if name.startswith("lay_"):
        return [(size, size)]
    return [(size,)] if name.startswith(("el_", "red_", "ix_")) else None


def program_of(name: str) -> Callable | None:
    """Returns the family's program as a function of a module and its arrays; None where there is no equal."""
    if name.startswith("mmT_"):
        return lambda m, a, b: a.T @ b
    if name.startswith("mmNT_"):
        return lambda m, a, b: a @ b.T
    if re.match(r"b?mm_\d", name):
        return lambda m, a, b: a @ b
    return _array_programs(name)


#: Programs of SciPy, by family.
SCIPY = {
    "el_erf": ("scipy.special", lambda m, x: m.erf(x)),
    "el_lgamma": ("scipy.special", lambda m, x: m.gammaln(abs(x) + 0.1)),
    "el_digamma": ("scipy.special", lambda m, x: m.digamma(abs(x) + 0.1)),
    "red_logsumexp": ("scipy.special", lambda m, x: m.logsumexp(x)),
    "ix_fft": ("scipy.fft", lambda m, x: m.fft(x)),
    "ix_rfft": ("scipy.fft", lambda m, x: m.rfft(x)),
}


def least_microseconds(call: Callable[[], object], seconds: float, clock=None) -> float:
    """The least time of a call, of those that fit into `seconds`, at least three."""
    clock = clock or time.perf_counter
    least, count, end = math.inf, 0, time.perf_counter() + seconds
    while count < 3 or time.perf_counter() < end:
        start = clock()
        call()
        least = min(least, clock() - start)
        count += 1
    return max(least * 1e6, 0.1)


def with_libraries(
    points: list[Point], libraries: Iterable[str], *, kind: str, seconds: float
) -> list[Point]:
    """Adds the times of those of `libraries` that are installed and have the program."""
    numpy = importlib.import_module("numpy")
    clock = time.process_time if kind == "cpu" else time.perf_counter
    modules = {}
    for library in libraries:
        try:
            modules[library] = importlib.import_module(library)
        except ImportError:
            print(f"{library} is not installed")
    rng = numpy.random.default_rng(0)
    measured = []
    for point in points:
        times, shapes = dict(point.times), _operands(point.family, point.size)
        for library, module in modules.items():
            program, called = program_of(point.family), module
            if library == "scipy":
                where, program = SCIPY.get(point.family, ("scipy", None))
                called = importlib.import_module(where)
            if program is None or shapes is None:
                continue
            arrays = [rng.standard_normal(s, dtype=numpy.float32) for s in shapes]
            if library == "torch":
                arrays = [module.from_numpy(a) for a in arrays]
            run = lambda: program(called, *arrays)  # noqa: B023, E731
            times[library] = least_microseconds(run, seconds, clock)
        measured.append(dataclasses.replace(point, times=times))
    return measured


# ---------------------------------------------------------------------------------------------------------------------
# The page
# ---------------------------------------------------------------------------------------------------------------------

STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse } th { text-align: left; font-weight: 600; padding: 2px 10px 2px 0 }
td { padding: 2px 8px; text-align: right; border: 1px solid #fff; font-variant-numeric: tabular-nums }
td.name { text-align: left; font-family: ui-monospace, monospace; padding-left: 0 }
td.cell { min-width: 4.5rem } td.cell small { display: block; opacity: .8; font-size: .7rem }
.legend span { display: inline-block; padding: 2px 8px; margin: 0 4px 4px 0 }
.figures td { text-align: right; padding-right: 24px }
"""


def _number(x: float) -> str:
    return "–" if not math.isfinite(x) else f"{x:.2f}" if x < 10 else f"{x:.0f}"


def _colour(ratio: float) -> str:
    colour = [c for bound, c, _ in STEPS if ratio >= bound][-1]
    text = "#fff" if colour in DARK else "#111"
    return f"background:{colour};color:{text}"


def _microseconds(us: float) -> str:
    return (
        f"{us:.1f} µs"
        if us < 1e3
        else f"{us / 1e3:.2f} ms"
        if us < 1e6
        else f"{us / 1e6:.2f} s"
    )


def _cell(point: Point) -> str:
    times = sorted(point.times.items(), key=lambda entry: entry[1])
    title = f"{point.family} at {point.size:,}\n" + "\n".join(
        f"{name}: {_microseconds(us)}" for name, us in times
    )
    mark = "▼ " if point.ratio < 0.9 else ""
    # Another library that is clearly faster than both.
    winner = times[0][0]
    shows = winner not in ("ours", "peer") and point.of_best < 0.8
    note = (
        f"<small>{html.escape(winner)} {_number(1 / point.of_best)}×</small>"
        if shows
        else ""
    )
    return (
        f'<td class="cell" style="{_colour(point.ratio)}" title="{html.escape(title)}">'
        f"{mark}{_number(point.ratio)}{note}</td>"
    )


def _figures(columns: dict[str, dict[str, float]]) -> str:
    names = next(iter(columns.values()))
    head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
    rows = "".join(
        f"<tr><th>{name}</th>"
        + "".join(f"<td>{_number(c[name])}</td>" for c in columns.values())
        for name in names
    ).replace(".00<", "<")
    return f'<table class="figures"><tr><th></th>{head}</tr>{rows}</table>'


def _worst(
    points: list[Point], before: dict[tuple[str, int], Point], count: int
) -> str:
    rows = []
    for p in sorted(points, key=lambda p: p.ratio)[:count]:
        old = before.get((p.family, p.size))
        old_cell = (
            f'<td style="{_colour(old.ratio)}">{_number(old.ratio)}</td>'
            if old
            else "<td>–</td>"
        )
        rows.append(
            f'<tr><td class="name">{html.escape(p.family)}</td><td>{p.size:,}</td>{old_cell}'
            f"{_cell(p)}<td>{_microseconds(p.times['ours'])}</td><td>{_microseconds(p.times['peer'])}</td></tr>"
        )
    head = "<tr><th>program</th><th>size</th><th>before</th><th>ratio</th><th>ours</th><th>peer</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>"


def _grids(points: list[Point]) -> str:
    groups: dict[str, dict[str, list[Point]]] = {}
    for p in points:
        groups.setdefault(p.family.split("_")[0], {}).setdefault(p.family, []).append(p)
    parts = []
    for group, families in sorted(groups.items()):
        every = [p for family in families.values() for p in family]
        rows = "".join(
            f'<tr><td class="name">{html.escape(name)}</td>'
            + "".join(_cell(p) for p in sorted(found, key=lambda p: p.size))
            + "</tr>"
            for name, found in sorted(families.items())
        )
        parts.append(
            f"<h2>{html.escape(group)} · {len(every)} points · {_number(mean(p.ratio for p in every))}</h2>"
            f"<table>{rows}</table>"
        )
    return "".join(parts)


def page(
    points: list[Point],
    before: list[Point] | None = None,
    *,
    kind: str = "us",
    worst: int = 20,
) -> str:
    """Returns the whole page as HTML; `before` are points of an older run, for the figures and the worst points."""
    older = {(p.family, p.size): p for p in before or []}
    columns = {"before": summary(before)} if before else {}
    columns["now" if before else "all points"] = summary(points)
    legend = "".join(
        f'<span style="background:{c};color:{"#fff" if c in DARK else "#111"}">{text}</span>'
        for _, c, text in STEPS
    )
    which = "processor time" if kind == "cpu" else "elapsed time"
    dropped = sorted(older.values(), key=lambda p: p.ratio)[:worst]
    now = {(p.family, p.size): p for p in points}
    mended = [now[p.family, p.size] for p in dropped if (p.family, p.size) in now]
    older_worst = (
        f"<h2>The worst of before</h2>{_worst(mended, older, worst)}" if mended else ""
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Run time against size</title>'
        f"<style>{STYLE}</style></head><body><h1>Run time against size</h1>"
        f"<p>Each cell is the peer’s {which} over ours: above 1 we are faster. Sizes grow to the right; a cell’s "
        "title has the times. ▼ marks what is below 0.9; a small line names a library that is faster than both.</p>"
        f'<p class="legend">{legend}</p>{_figures(columns)}'
        f"<h2>The worst points</h2>{_worst(points, older, worst)}{older_worst}{_grids(points)}</body></html>\n"
    )


def main() -> None:
    """Reads results, measures the libraries and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument(
        "--output", type=pathlib.Path, default=pathlib.Path("grid.html")
    )
    parser.add_argument("--time", choices=["us", "cpu"], default="us")
    parser.add_argument("--libraries", default="numpy,scipy,torch")
    parser.add_argument("--seconds", type=float, default=0.05)
    args = parser.parse_args()
    libraries = [name for name in args.libraries.split(",") if name]
    points = read_results(args.results, args.time)
    if not points:
        parser.error(f"{args.results} has no point that both sides computed")
    points = with_libraries(points, libraries, kind=args.time, seconds=args.seconds)
    before = read_results(args.before, args.time) if args.before else None
    args.output.write_text(page(points, before, kind=args.time))
    figures = ", ".join(f"{k} {_number(v)}" for k, v in summary(points).items())
    print(f"{args.output}: {figures}")


if __name__ == "__main__":
    main()
