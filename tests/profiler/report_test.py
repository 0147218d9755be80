"""Reports: one file that fetches nothing, whose panels a real browser opens, sorts and filters."""

import html
import inspect
import json
import re
import time

import numpy as np
import pytest

import jax
import jax.numpy as jnp
from tests.profiler import profiled
from tests.testing import browser

PANELS = {
    "phases",
    "operations",
    "roofline",
    "memory",
    "compilations",
    "shardings",
    "tree-panel",
    "sources",
}


def attention(x, w):
    with jax.named_scope("attention"):
        q, k, v = (x @ part for part in w["qkv"])
        scores = jax.nn.softmax(q @ k.T / 8.0, axis=-1)
        return scores @ v


def transformer_step(params, x):
    def loss(params):
        h = x
        for layer in params:
            h = h + attention(h, layer)
            with jax.named_scope("mlp"):
                h = h + jax.nn.gelu(h @ layer["up"]) @ layer["down"]
        return (h**2).mean()

    value, gradient = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient)


def transformer(layers=3, width=64):
    layer = {
        "qkv": [jnp.full((width, width), 0.01) for _ in range(3)],
        "up": jnp.full((width, 4 * width), 0.01),
        "down": jnp.full((4 * width, width), 0.01),
    }
    return [layer] * layers, jnp.ones((128, width))


def data_of(path):
    text = path.read_text()
    (found,) = re.findall(r'id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


@pytest.fixture(scope="module")
def step_report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    facts = jax.profiler.report(transformer_step, *transformer(), path=path)
    return path, facts


def test_the_file_has_what_the_call_returns(step_report):
    path, facts = step_report
    assert data_of(path) == json.loads(json.dumps(facts))
    assert path.stat().st_size < 2_000_000


def test_the_file_fetches_nothing(step_report):
    text = step_report[0].read_text()
    assert "default-src 'none'" in text
    assert not re.findall(r"https?:/" "/", text)
    assert not re.findall(r"(?:src|href)\s*=", text)


def test_operations_have_lines_and_add_up(step_report):
    facts = step_report[1]
    rows = facts["operations"]
    (program,) = facts["programs"]
    own = sum(row["self_ns"] for row in rows) / program["runs"]
    assert own <= 1.05 * max(program["median_ns"], program["first_ns"])
    compute = [row for row in rows if row["bound"] == "compute"]
    assert all(0 < row["of_roof"] <= 1 + 1e-9 for row in compute)
    lines = " ".join(line for row in rows for line in row["lines"])
    assert "report_test.py" in lines
    paths = " ".join(row["path"] for row in rows)
    assert "attention" in paths and "mlp" in paths
    (name,) = [name for name in facts["sources"] if name.endswith("report_test.py")]
    assert facts["sources"][name]["total_ns"] > 0


def test_memory_has_its_peak(step_report):
    found = step_report[1]["memory"]
    assert found["peak_bytes"] == max(used for _, used in found["points"])
    assert sum(row["bytes"] for row in found["holders"]) <= found["peak_bytes"]
    assert found["holders"]


def test_the_plan_of_memory_names_what_a_call_holds_by_line(step_report):
    plan = step_report[1]["memory"]["plan"]
    compiled = jax.jit(transformer_step).lower(*transformer()).compile()
    totals = compiled.memory_analysis()
    assert plan["peak_bytes"] == totals.peak_memory_in_bytes
    assert plan["temporaries_bytes"] == totals.temp_size_in_bytes
    held = sum(row["bytes"] for row in plan["buffers"]) + plan["left_out_bytes"]
    assert held == sum(row["bytes"] for row in plan["lines"])
    text, first = inspect.getsourcelines(attention)
    here = range(first, first + len(text))
    mine = [r for r in plan["lines"] if r["line"].startswith(f"{__file__}:")]
    assert {int(r["line"].rpartition(":")[2]) for r in mine} & set(here)
    temporaries = [r for r in plan["buffers"] if r["kind"] == "temporary"]
    assert sum(r["bytes"] for r in temporaries) <= totals.temp_size_in_bytes
    assert max(size for _, _, size in plan["steps"]) <= totals.temp_size_in_bytes
    assert all(r["type"].startswith("float32[") for r in temporaries)


def test_a_long_plan_is_thinned_and_keeps_its_peak():
    steps = [(i, f"line {i}", (i * 7919) % 10_007) for i in range(9_000)]
    found = jax._src.profiler.report_memory.thinned(steps, 2, 2_000)
    assert len(found) <= 2_000 and set(found) <= set(steps)
    assert max(n for *_, n in found) == max(n for *_, n in steps)
    assert jax._src.profiler.report_memory.thinned(steps[:5], 2, 2_000) == steps[:5]


def test_writing_takes_little(step_report, tmp_path):
    """What is measured and compiled does not count."""
    module = jax._src.profiler.lazy_modules.load("report_page")
    start = time.process_time()
    text = module.page("title", "subtitle", step_report[1])
    (tmp_path / "again.html").write_text(text)
    assert time.process_time() - start < 2


def test_a_block_is_reported(tmp_path):
    step = jax.jit(lambda x: jnp.tanh(x @ x).sum())
    path = tmp_path / "block.html"
    with jax.profiler.report(path) as report:
        for _ in range(4):
            step(jnp.ones((64, 64))).block_until_ready()
    facts = report.facts
    assert data_of(path) == json.loads(json.dumps(facts))
    runs = {program["name"]: program["runs"] for program in facts["programs"]}
    assert 4 in runs.values()
    (compilation,) = [
        row for row in facts["compilations"] if row["name"].endswith("<lambda>")
    ]
    assert compilation["compile_ns"] > 0 and "first call" in compilation["cause"]
    assert "report_test.py" in compilation["line"]


def test_a_block_has_its_transfers(tmp_path):
    x = np.ones((600, 600), np.float32)
    with jax.profiler.report(tmp_path / "block.html") as report:
        for _ in range(3):
            on_device = jax.device_put(x)
        jnp.asarray(x)
        jax.device_get(on_device)
    found = {row["way"]: row for row in report.facts["transfers"]}
    assert found["to devices"]["count"] == 4 and found["to devices"]["ns"] > 0
    assert found["to the host"]["count"] == 1
    with jax.profiler.report(tmp_path / "block.html") as report:
        jnp.sin(on_device).block_until_ready()
    assert not report.facts["transfers"]


def test_arguments_that_are_donated_are_left_alone(tmp_path):
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jnp.ones(1000)
    jax.profiler.report(step, x, path=tmp_path / "report.html")
    assert not x.is_deleted()


def test_shardings_are_drawn_and_collectives_counted(tmp_path):
    if jax.device_count() < 4:
        pytest.skip("needs four devices")
    mesh = jax.make_mesh((2, 2), ("x", "y"))
    spec = jax.sharding.PartitionSpec("x", "y")
    sharding = jax.sharding.NamedSharding(mesh, spec)
    x = jax.device_put(jnp.ones((64, 64)), sharding)
    facts = jax.profiler.report(
        jax.jit(lambda x: x.sum(axis=1)), x, path=tmp_path / "report.html"
    )
    assert len(facts["shardings"][0]["cells"]) == 4
    assert facts["collectives"]


def test_texts_of_the_user_are_texts(tmp_path):
    """Names are shown, not interpreted."""

    def fun(x):
        return x + 1

    fun.__name__ = "</script><script>alert(1)</script>"
    path = tmp_path / "report.html"
    jax.profiler.report(fun, 1.0, path=path)
    assert "<script>alert" not in path.read_text()


@pytest.mark.parametrize("fun", [3, None])
def test_what_is_neither_a_function_nor_a_path(fun):
    with pytest.raises(TypeError, match="(?s)nothing to report on.*fun.*path="):
        jax.profiler.report(fun)


def test_a_function_that_is_compiled_already():
    compiled = jax.jit(lambda x: x + 1).lower(1.0).compile()
    with pytest.raises(TypeError, match="(?s)compiled already.*fun.*Give the function"):
        jax.profiler.report(compiled, 1.0)


@pytest.mark.parametrize(
    "options, args, named",
    [
        ({"static_argnums": 1}, (2, 3), {}),
        ({"static_argnums": -2}, (2, 3), {}),
        ({"static_argnames": "n"}, (2, 3), {}),
        ({"static_argnames": "n"}, (), {"n": 2, "m": 3}),
        ({"static_argnames": ("n", "m")}, (2,), {"m": 3}),
    ],
)
def test_static_arguments(tmp_path, options, args, named):
    step = jax.jit(lambda x, n, m: x * n + m, **options)
    path = tmp_path / "report.html"
    facts = jax.profiler.report(step, jnp.ones(3), *args, **named, path=path)
    assert facts["programs"][0]["runs"] == 3 and path.exists()


def test_numbers_of_runs(tmp_path):
    with pytest.raises(ValueError, match="(?s)number of runs.*At least one"):
        jax.profiler.report(lambda: 1, path=tmp_path / "r.html", runs=0)


def test_a_file_that_cannot_be_written():
    with pytest.raises(
        jax.errors.JaxRuntimeError, match="(?s)FAILED_PRECONDITION.*path"
    ):
        jax.profiler.report(lambda x: x + 1, 1.0, path="/dev/null/report.html")


# Opens, sorts and filters every panel as a user does, and notes what it saw.
DRIVER = """
<script>
const seen = {};
const press = key => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
document.querySelector("[role=tab]").focus();
for (const tab of document.querySelectorAll("[role=tab]")) {
  const panel = document.getElementById(tab.getAttribute("aria-controls"));
  const found = seen[panel.id] = {shown: !panel.hidden, selected: tab.getAttribute("aria-selected"), sorted: 0};
  found.others = [...document.querySelectorAll("[role=tabpanel]")].filter(p => !p.hidden).length;
  for (const head of panel.querySelectorAll("th")) {
    head.querySelector("button").click();
    found.sorted += head.getAttribute("aria-sort") !== "none";
  }
  found.heads = panel.querySelectorAll("th").length;
  found.rows = panel.querySelectorAll("tbody tr").length;
  found.pictures = panel.querySelectorAll("svg").length;
  const unlabelled = [...panel.querySelectorAll("svg, table, input, select")].filter(e =>
    !(e.getAttribute("aria-label") || e.querySelector("caption") || document.querySelector("label[for='" + e.id + "']")));
  found.unlabelled = unlabelled.length;
  const input = panel.querySelector("input[type=search]");
  if (input) {
    input.value = "no operation has this name"; input.dispatchEvent(new Event("input"));
    found.filtered = panel.querySelectorAll("tbody tr").length;
    input.value = ""; input.dispatchEvent(new Event("input"));
    found.unfiltered = panel.querySelectorAll("tbody tr").length;
  }
  press("ArrowRight");
}
const out = document.createElement("pre");
out.id = "seen"; out.textContent = JSON.stringify(seen);
document.body.append(out);
</script>
"""


def browse(path, *options):
    """What Chromium makes of a page."""
    return browser.browse(path.as_uri(), path.parent / "chromium", *options)


def driven(page, tmp_path):
    """What the driver saw in every panel, without a word in the browser's console."""
    path = tmp_path / "driven.html"
    path.write_text(page.read_text().replace("</body>", DRIVER + "</body>"))
    ran = browse(path, "--dump-dom", "--enable-logging=stderr", "--v=0")
    assert 'data-ready="1"' in ran.stdout
    assert re.findall(r'id="failures"[^>]*></pre>', ran.stdout)
    # The browser's own pages write to the console too.
    said = [line for line in ran.stderr.splitlines() if "CONSOLE" in line]
    assert not [line for line in said if "source: chrome://" not in line]
    (found,) = re.findall(r'<pre id="seen">(.*?)</pre>', ran.stdout)
    seen = json.loads(html.unescape(found))
    assert set(seen) == PANELS
    for name, panel in seen.items():
        assert panel["shown"] and panel["selected"] == "true", name
        assert panel["others"] == 1, name
        assert panel["sorted"] == panel["heads"], name
        assert panel["unlabelled"] == 0, name
    assert seen["operations"]["rows"] > 5
    assert seen["operations"]["filtered"] == 0
    assert seen["operations"]["unfiltered"] == seen["operations"]["rows"]
    assert seen["roofline"]["pictures"] == 1
    # Allocations over time, and the plan of one call.
    assert seen["memory"]["pictures"] == 2 and seen["memory"]["rows"] > 5
    assert seen["memory"]["filtered"] < seen["memory"]["unfiltered"]
    return seen


@browser.needs_chromium
def test_a_browser_opens_sorts_and_filters_every_panel(step_report, tmp_path):
    assert driven(step_report[0], tmp_path)["sources"]["rows"] > 100


@pytest.mark.parametrize("name", profiled.PROGRAMS)
def test_reports_of_the_examples(name, tmp_path):
    program = profiled.PROGRAMS[name]()
    if jax.device_count() < program.devices:
        pytest.skip("needs eight devices")
    path = tmp_path / "report.html"
    with program.around():
        facts = jax.profiler.report(program.step, *program.args, path=path)
    with jax.profiler.report(tmp_path / "block.html") as block:
        program.run(5)
        start = time.process_time()
    # One profile for all: it reads events, and writes the file.
    assert time.process_time() - start < 2
    assert len(block.facts["operations"]) >= len(facts["operations"])
    assert path.stat().st_size < 2_000_000
    (row,) = facts["programs"]
    for phase in ("trace", "lower", "compile", "first", "median", "transfer"):
        assert row[f"{phase}_ns"] > 0, phase
    rows = facts["operations"]
    own = sum(row["self_ns"] for row in rows)
    known = [row for row in rows if any("examples/" in x for x in row["lines"])]
    assert sum(row["self_ns"] for row in known) > 0.9 * own
    assert facts["memory"]["peak_bytes"] > 0 and facts["memory"]["holders"]
    assert bool(facts["collectives"]) == (program.devices > 1)
    if browser.CHROMIUM is not None:
        seen = driven(path, tmp_path)
        assert seen["sources"]["rows"] > 50
        assert seen["shardings"]["pictures"] > 0 or program.devices == 1


def test_arguments_that_are_on_devices_need_no_transfer(tmp_path):
    step = jax.jit(lambda x, y: x + y)
    x = jnp.ones(1000)
    for y, is_there in [(x, True), (np.ones(1000, np.float32), False)]:
        facts = jax.profiler.report(step, x, y, path=tmp_path / "report.html")
        assert (facts["programs"][0]["transfer_ns"] == 0) == is_there


@browser.needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_draws_in_light_and_dark_and_prints(step_report, tmp_path, scheme):
    path = tmp_path / "page.html"
    path.write_text(step_report[0].read_text())
    picture = tmp_path / "picture.png"
    dark = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
    browse(path, *dark, "--window-size=1200,900", f"--screenshot={picture}")
    assert picture.stat().st_size > 10_000  # an empty page is smaller
    paper = tmp_path / "page.pdf"
    browse(path, f"--print-to-pdf={paper}")
    assert paper.stat().st_size > 10_000


@pytest.mark.parametrize("name", ["missing/report.html", "."])
def test_a_report_that_cannot_be_written_is_refused_before_anything_runs(
    tmp_path, name
):
    ran = []
    path, refused = (
        tmp_path / name,
        pytest.raises(
            jax.errors.JaxRuntimeError,
            match="FAILED_PRECONDITION: the report could not",
        ),
    )
    with refused, jax.profiler.report(path):
        ran.append("block")
    with refused:
        jax.profiler.report(lambda x: ran.append("function") or x, 1.0, path=path)
    assert not ran
    jax.profiler.report(lambda x: x + 1, 1.0, path=tmp_path / "report.html")
