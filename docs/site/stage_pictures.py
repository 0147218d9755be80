"""Pictures and tables for the site that are drawn from the code itself."""

import html
import pathlib
import textwrap
import tomllib

from jax.tools import explain

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The name of SVG, which browsers compare and never request.
NAMESPACE = "www.w3.org/2000/svg"
# Read on the light page and on the dark one.
GREY = "#7a7a7a"
COLOURS = ("#dce8f4", "#cfe3d3", "#f6e3d2", "#ead9ea", "#efeacb")


def _box(x: int, y: int, width: int, height: int, colour: str, lines: list[str]) -> str:
    rectangle = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{colour}" stroke="#8899aa"/>'
    texts = []
    for number, line in enumerate(lines):
        middle = y + height / 2 + 5 + 17 * (number - (len(lines) - 1) / 2)
        anchor = f'x="{x + width / 2}" y="{middle}" text-anchor="middle"'
        texts.append(f"<text {anchor}>{html.escape(line)}</text>")
    return rectangle + "".join(texts)


def _svg(width: int, height: int, parts: list[str], title: str) -> str:
    style = 'font-family="sans-serif" font-size="13" fill="#223"'
    return (
        f'<svg xmlns="http://{NAMESPACE}" class="diagram" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<title>{html.escape(title)}</title>"
        f"<g {style}>{''.join(parts)}</g></svg>\n"
    )


def layers() -> str:
    """The layers of the front end: what is above may import what is below. Read from the test that holds them.

    The picture is no wider than a phone.
    """
    rules = tomllib.loads((ROOT / "tests/house/layers.toml").read_text())
    order = rules["python"]["layers"][::-1]
    width, gap, y = 400, 6, 6
    parts = []
    for row, layer in enumerate(order):
        names = [layer] if isinstance(layer, str) else list(layer)
        if len(names) > 3:
            lines = textwrap.wrap(", ".join(names), 54)
            height = 17 + 17 * len(lines)
            parts.append(_box(gap, y, width - 2 * gap, height, COLOURS[row % 5], lines))
        else:
            share, height = (width - gap) // len(names), 34
            for column, name in enumerate(names):
                x = gap + column * share
                box = _box(x, y, share - gap, height, COLOURS[row % 5], [name])
                parts.append(box)
        y += height + gap
    return _svg(width, y, parts, "Layers of jax/_src")


def pipeline() -> str:
    """The stages of a program, as `jax.tools.explain` prints them; no wider than a phone."""
    width, height, gap = 400, 40, 14
    parts = []
    for row, (name, text) in enumerate(explain.STAGES.items()):
        y = gap + row * (height + gap)
        parts.append(_box(2, y, 108, height, COLOURS[row % 5], [name]))
        lines = textwrap.wrap(text, 38)
        for number, line in enumerate(lines):
            middle = y + height / 2 + 5 + 17 * (number - (len(lines) - 1) / 2)
            parts.append(
                f'<text x="122" y="{middle}" fill="{GREY}">{html.escape(line)}</text>'
            )
        if row:
            parts.append(
                f'<path d="M 56 {y - gap} v {gap - 4} m -4 -4 l 4 5 l 4 -5" fill="none" stroke="{GREY}"/>'
            )
    total = gap + len(explain.STAGES) * (height + gap)
    return _svg(width, total, parts, "The stages of a program")


def write(folder: pathlib.Path) -> None:
    """Writes the generated files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "layers.svg").write_text(layers())
    (folder / "pipeline.svg").write_text(pipeline())
