"""The page of a report: one file, with its own drawing, that fetches nothing.

Colours are those of Okabe and Ito ("Color Universal Design", 2008), which the colour-blind distinguish.
"""

import html
import json
from typing import Any

_STYLE = """
:root { --bg: #ffffff; --fg: #1b1f24; --soft: #57606a; --line: #d0d7de; --panel: #f6f8fa;
  --c0: #0072b2; --c1: #e69f00; --c2: #009e73; --c3: #cc79a7; --c4: #d55e00; --c5: #56b4e9; }
@media (prefers-color-scheme: dark) { :root { --bg: #0d1117; --fg: #e6edf3; --soft: #9da7b3;
  --line: #30363d; --panel: #161b22; --c0: #56b4e9; --c5: #0072b2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 1rem 1.5rem 4rem; background: var(--bg);
  color: var(--fg); font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: .3rem 0; } h2 { font-size: 1.15rem; margin: 1rem 0 .5rem; }
p.note { color: var(--soft); margin: .3rem 0 .8rem; }
[role=tablist] { display: flex; flex-wrap: wrap; gap: .25rem; border-bottom: 1px solid var(--line); margin-top: 1rem; }
[role=tab] { border: 1px solid transparent; border-bottom: 0; background: none; color: var(--fg);
  padding: .45rem .8rem; font: inherit; cursor: pointer; border-radius: 6px 6px 0 0; }
[role=tab][aria-selected=true] { border-color: var(--line); background: var(--panel); font-weight: 600; }
:focus-visible { outline: 3px solid var(--c1); outline-offset: 1px; }
code.line { white-space: nowrap; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; white-space: nowrap; }
th button { all: unset; cursor: pointer; font-weight: 600; } th button:focus-visible { outline: 3px solid var(--c1); }
td code, pre, .mono { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
.bar { display: inline-block; height: .7em; background: var(--c0); min-width: 1px; }
input[type=search], select { font: inherit; padding: .3rem .5rem; color: var(--fg); background: var(--bg);
  border: 1px solid var(--line); border-radius: 6px; }
svg { display: block; max-width: 100%; } svg text { fill: var(--fg); font: 12px system-ui, sans-serif; }
details { margin-left: 1rem; } summary { cursor: pointer; padding: .1rem 0; }
.leaf { margin-left: 2.1rem; } .scroll { overflow-x: auto; }
.src { white-space: pre; } .src td { border: 0; padding: 0 .6rem; } .src tr.hot td { background: var(--panel); }
.key { display: inline-block; width: .8em; height: .8em; margin: 0 .35em 0 .9em; }
@media print { [role=tablist], .tools { display: none; } [role=tabpanel][hidden] { display: block !important; }
  body { max-width: none; } section { break-inside: avoid-page; } }
"""

_SCRIPT = r"""
"use strict";
const failures = document.getElementById("failures");
window.addEventListener("error", e => { failures.textContent += e.message + "\n"; });
const D = JSON.parse(document.getElementById("data").textContent);
const SVG = "http:" + "//www.w3.org/2000/svg"; // a name, which is not fetched
function el(tag, attrs, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs || {})) { if (v !== null && v !== undefined) e.setAttribute(k, v); }
  for (const c of children.flat()) e.append(c instanceof Node ? c : String(c));
  return e;
}
function svg(tag, attrs, ...children) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attrs || {})) e.setAttribute(k, v);
  for (const c of children.flat()) e.append(c instanceof Node ? c : document.createTextNode(String(c)));
  return e;
}
const COLORS = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)"];
function scaled(x, units, step) {
  if (x === null || x === undefined) return "";
  let i = 0;
  while (Math.abs(x) >= step && i < units.length - 1) { x /= step; i++; }
  return (x === 0 ? "0" : Math.abs(x) >= 100 ? x.toFixed(0) : x.toPrecision(3)) + " " + units[i];
}
const time = ns => scaled(ns, ["ns", "µs", "ms", "s"], 1000);
const bytes = b => scaled(b, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
const count = n => scaled(n, ["", "K", "M", "G", "T", "P"], 1000).trim();
const percent = f => f === null || f === undefined ? "" : (100 * f).toFixed(1) + " %";

// A table whose heads sort it, with a field that filters it. Columns: name, value, shown, is a number.
function table(id, caption, columns, rows, first, filters) {
  let sorted = first, descending = true, word = "", page = 500;
  const body = el("tbody"), status = el("p", {class: "note", role: "status", "aria-live": "polite"});
  const heads = columns.map((c, i) => {
    const button = el("button", {type: "button"}, c.name);
    const th = el("th", {scope: "col", class: c.number ? "n" : null}, button);
    button.addEventListener("click", () => {
      descending = sorted === i ? !descending : Boolean(c.number);
      sorted = i; draw();
    });
    return th;
  });
  function draw() {
    let shown = rows.filter(r => !word || columns.some(c => String(c.value(r)).toLowerCase().includes(word)));
    if (sorted !== null) {
      const value = columns[sorted].value;
      shown = shown.slice().sort((a, b) => {
        const x = value(a), y = value(b);
        const less = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return descending ? -less : less;
      });
    }
    heads.forEach((h, i) => h.setAttribute("aria-sort", i !== sorted ? "none" : descending ? "descending" : "ascending"));
    body.replaceChildren(...shown.slice(0, page).map(r => el("tr", {}, columns.map(c => {
      const cell = c.show ? c.show(r) : String(c.value(r));
      return el("td", {class: c.number ? "n" : null}, cell);
    }))));
    status.textContent = shown.length + " of " + rows.length + " rows" + (shown.length > page ? ", the first " + page + " are shown" : "");
  }
  const parts = [];
  if (filters) {
    const input = el("input", {type: "search", id: id + "-filter", placeholder: "filter"});
    input.addEventListener("input", () => { word = input.value.toLowerCase(); draw(); });
    parts.push(el("p", {class: "tools"}, el("label", {for: id + "-filter"}, "Filter: "), input));
  }
  draw();
  return el("div", {}, ...parts, status, el("div", {class: "scroll"},
    el("table", {id}, el("caption", {class: "note"}, caption), el("thead", {}, el("tr", {}, heads)), body)));
}
const code = text => el("code", {}, text);
const short = line => line.split("/").slice(-2).join("/");
const sourceLine = line => el("code", {title: line, class: "line"}, short(line));
const lines = r => el("span", {}, r.lines.slice(0, 12).map(l => el("div", {}, sourceLine(l))),
  r.lines.length > 12 ? "and " + (r.lines.length - 12) + " more" : "");

function phases() {
  const kinds = [["trace_ns", "trace"], ["lower_ns", "lower"], ["compile_ns", "compile"], ["first_ns", "first run"], ["median_ns", "median run"], ["transfer_ns", "transfers"]];
  const out = el("div", {}, el("p", {class: "note"}, "What each program took, from Python to its result. The bars of a program are on one scale."));
  const key = el("p", {class: "note"}, kinds.map(([, name], i) => [el("span", {class: "key", style: "background:" + COLORS[i]}), name]).flat());
  out.append(key);
  for (const p of D.programs.slice(0, 40)) {
    const values = kinds.map(([k]) => p[k] || 0), total = values.reduce((a, b) => a + b, 0) || 1;
    const picture = svg("svg", {viewBox: "0 0 1000 24", width: 1000, height: 24, role: "img", "aria-label": p.name + ": " + kinds.map(([k, n]) => n + " " + time(p[k] || 0)).join(", ")});
    let x = 0;
    values.forEach((v, i) => { const w = 1000 * v / total; picture.append(svg("rect", {x, y: 2, width: w, height: 20, fill: COLORS[i]}, svg("title", {}, kinds[i][1] + " " + time(v)))); x += w; });
    out.append(el("h2", {}, p.name), picture);
  }
  out.append(table("phases-table", "Phases of every program", [
    {name: "program", value: p => p.name},
    ...kinds.map(([k, n]) => ({name: n, value: p => p[k] ?? -1, show: p => p[k] === null || p[k] === undefined ? "–" : time(p[k]), number: true})),
    {name: "runs", value: p => p.runs, number: true}], D.programs, 5));
  if (D.transfers.length) out.append(table("transfers-table", "Transfers: calls of device_put, device_get and what makes arrays of host values", [
    {name: "way", value: t => t.way}, {name: "calls", value: t => t.count, number: true}, {name: "time", value: t => t.ns, show: t => time(t.ns), number: true}], D.transfers, 2));
  return out;
}

function operations() {
  const total = D.operations.reduce((a, o) => a + o.self_ns, 0) || 1;
  return el("div", {}, el("p", {class: "note"}, "Each operation of the compiled programs, with every line that is fused into it. Times are its own: a loop's without what it holds. ",
    "“Of the roof” is the attained part of what this machine can do at that ratio of flops to bytes."),
    table("operations-table", "Operations by time", [
      {name: "operation", value: o => o.name, show: o => el("span", {title: o.text}, code(o.name))},
      {name: "program", value: o => o.program},
      {name: "source lines", value: o => o.lines.join(" "), show: lines},
      {name: "time", value: o => o.self_ns, show: o => time(o.self_ns), number: true},
      {name: "share", value: o => o.self_ns / total, show: o => el("span", {}, el("span", {class: "bar", style: "width:" + (60 * o.self_ns / total).toFixed(1) + "px"}), " " + percent(o.self_ns / total)), number: true},
      {name: "times", value: o => o.count, show: o => count(o.count), number: true},
      {name: "median", value: o => o.median_ns, show: o => time(o.median_ns), number: true},
      {name: "flops", value: o => o.flops, show: o => count(o.flops), number: true},
      {name: "bytes", value: o => o.bytes, show: o => bytes(o.bytes), number: true},
      {name: "limit", value: o => o.bound},
      {name: "of the roof", value: o => o.of_roof ?? -1, show: o => percent(o.of_roof), number: true},
      {name: "kind", value: o => o.category}], D.operations, 3, true));
}

function roofline() {
  const W = 900, H = 420, M = 60, peak = D.machine.flops_per_s, band = D.machine.bytes_per_s;
  const dots = D.operations.filter(o => o.flops > 0 && o.bytes > 0 && o.self_ns > 0);
  const xs = dots.map(o => o.flops / o.bytes), ys = dots.map(o => o.rate);
  const x0 = Math.log10(Math.min(0.01, ...xs)), x1 = Math.log10(Math.max(1000, ...xs));
  const y0 = Math.log10(Math.min(peak / 1e5, ...ys.filter(y => y > 0))), y1 = Math.log10(Math.max(peak * 2, ...ys));
  const X = v => M + (Math.log10(v) - x0) / (x1 - x0) * (W - 2 * M), Y = v => H - M - (Math.log10(v) - y0) / (y1 - y0) * (H - 2 * M);
  const picture = svg("svg", {id: "roofline-svg", viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": "Roofline: flops per second over flops per byte"});
  for (let e = Math.ceil(x0); e <= x1; e++) picture.append(svg("line", {x1: X(10 ** e), x2: X(10 ** e), y1: M, y2: H - M, stroke: "var(--line)"}), svg("text", {x: X(10 ** e), y: H - M + 16, "text-anchor": "middle"}, 10 ** e));
  for (let e = Math.ceil(y0); e <= y1; e++) picture.append(svg("line", {x1: M, x2: W - M, y1: Y(10 ** e), y2: Y(10 ** e), stroke: "var(--line)"}), svg("text", {x: M - 6, y: Y(10 ** e) + 4, "text-anchor": "end"}, count(10 ** e)));
  const ridge = peak / band, left = 10 ** x0;
  picture.append(svg("polyline", {points: `${X(left)},${Y(Math.max(left * band, 10 ** y0))} ${X(ridge)},${Y(peak)} ${X(10 ** x1)},${Y(peak)}`, fill: "none", stroke: "var(--c4)", "stroke-width": 2}),
    svg("text", {x: W / 2, y: H - 12, "text-anchor": "middle"}, "flops per byte"), svg("text", {x: M, y: M - 16}, "flops per second"));
  const most = Math.max(1, ...dots.map(o => o.self_ns));
  for (const o of dots) picture.append(svg("circle", {cx: X(o.flops / o.bytes), cy: Y(Math.max(o.rate, 10 ** y0)), r: 3 + 9 * Math.sqrt(o.self_ns / most), fill: "var(--c0)", "fill-opacity": .55, stroke: "var(--c0)"}, svg("title", {}, o.name + "\n" + time(o.self_ns) + ", " + percent(o.of_roof) + " of the roof\n" + o.lines.join("\n"))));
  return el("div", {}, el("p", {class: "note"}, `Roof of this machine, measured: ${count(peak)}flop/s, ${bytes(band)}/s (${D.machine.processor}, ${D.machine.threads} threads). The size of a dot is its time.`), picture,
    table("roofline-table", "The same as a table", [
      {name: "operation", value: o => o.name, show: o => code(o.name)}, {name: "flops per byte", value: o => o.flops / o.bytes, show: o => (o.flops / o.bytes).toPrecision(3), number: true},
      {name: "flops per second", value: o => o.rate, show: o => count(o.rate), number: true}, {name: "of the roof", value: o => o.of_roof, show: o => percent(o.of_roof), number: true}], dots, 1));
}

function memory() {
  const m = D.memory, out = el("div", {});
  if (m.points.length) out.append(...allocations(m));
  else out.append(el("p", {class: "note"}, "No memory was given out or taken back while the profile was taken."));
  if (m.plan) out.append(...plannedMemory(m.plan));
  return out;
}

// A picture of bytes over something: points of where and how much, which hold until the next.
function area(id, label, points, most, end, mark) {
  const W = 900, H = 260, M = 60, last = Math.max(1, points[points.length - 1][0]), top = Math.max(1, most);
  const X = t => M + t / last * (W - 2 * M), Y = b => H - M / 2 - b / top * (H - M);
  let path = `M${X(points[0][0])},${Y(points[0][1])}`;
  for (const [t, b] of points) path += `H${X(t).toFixed(1)}V${Y(b).toFixed(1)}`;
  return svg("svg", {id, viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": label},
    svg("path", {d: path + `V${Y(0)}H${X(points[0][0])}Z`, fill: "var(--c2)", "fill-opacity": .4, stroke: "var(--c2)"}),
    svg("line", {x1: X(mark), x2: X(mark), y1: Y(top), y2: Y(0), stroke: "var(--c4)", "stroke-dasharray": "4 3"}),
    svg("text", {x: M - 6, y: Y(top) + 4, "text-anchor": "end"}, bytes(top)), svg("text", {x: M - 6, y: Y(0) + 4, "text-anchor": "end"}, "0"), svg("text", {x: W - M, y: H, "text-anchor": "end"}, end));
}

function allocations(m) {
  const from = [[0, m.points[0][1]], ...m.points];
  return [el("p", {class: "note"}, `At most ${bytes(m.peak_bytes)} at ${time(m.peak_ns)} (dashed). What was there before the profile began is “before”.`),
    area("memory-svg", `Memory over time, at most ${bytes(m.peak_bytes)}`, from, m.peak_bytes, time(m.points[m.points.length - 1][0]), m.peak_ns),
    table("memory-table", "What holds memory at the peak", [
      {name: "line", value: h => h.where, show: h => code(h.where)}, {name: "bytes", value: h => h.bytes, show: h => bytes(h.bytes), number: true},
      {name: "blocks", value: h => h.count, number: true}, {name: "kind", value: h => h.kind}], m.holders, 1)];
}

function plannedMemory(p) {
  const each = p.devices > 1 ? ` on each of ${p.devices} devices` : "", line = l => l ? sourceLine(l) : "";
  const out = [el("h2", {}, "One call of " + p.name), el("p", {class: "note"}, `As the compiler has laid it out: ${bytes(p.peak_bytes)} at the peak${each}: arguments ${bytes(p.arguments_bytes)}, ` +
    `results ${bytes(p.results_bytes)}` + (p.donated_bytes ? ` (${bytes(p.donated_bytes)} of them in donated arguments)` : "") + `, temporaries ${bytes(p.temporaries_bytes)}.`)];
  if (p.steps.length) {
    const points = p.steps.map(s => [s[0], s[2]]), top = p.steps.reduce((a, s) => s[2] > a[2] ? s : a);
    out.push(area("plan-svg", `Temporaries by step of the program, at most ${bytes(top[2])}`, points, top[2], `step ${points[points.length - 1][0]}`, top[0]),
      el("p", {class: "note"}, `Temporaries, step by step; most in step ${top[0]} (dashed)`, top[1] ? [", where ", line(top[1]), " begins to hold something."] : "."));
  }
  if (p.buffers.length) out.push(
    table("plan-lines-table", "What a call holds at the peak, by line", [
      {name: "line", value: r => r.line, show: r => line(r.line)}, {name: "bytes", value: r => r.bytes, show: r => bytes(r.bytes), number: true},
      {name: "share", value: r => r.bytes / p.peak_bytes, show: r => percent(r.bytes / (p.peak_bytes || 1)), number: true}], p.lines, 1),
    table("plan-table", "What a call holds at the peak", [
      {name: "value", value: r => r.operation, show: r => code(r.operation)}, {name: "type", value: r => r.type, show: r => code(r.type)}, {name: "kind", value: r => r.kind},
      {name: "bytes", value: r => r.bytes, show: r => bytes(r.bytes), number: true}, {name: "made at", value: r => r.line, show: r => line(r.line)},
      {name: "needed until", value: r => r.last_line, show: r => line(r.last_line)}], p.buffers, 3, true));
  if (p.left_out_bytes) out.push(el("p", {class: "note"}, `Smaller ones hold ${bytes(p.left_out_bytes)} more.`));
  return out;
}

function compilations() {
  return el("div", {}, el("p", {class: "note"}, "Every compilation that was seen, with the reason for it."),
    table("compilations-table", "Compilations", [
      {name: "program", value: c => c.name}, {name: "line", value: c => c.line, show: c => sourceLine(c.line)}, {name: "reason", value: c => c.cause},
      {name: "trace", value: c => c.trace_ns ?? -1, show: c => time(c.trace_ns), number: true}, {name: "lower", value: c => c.lower_ns ?? -1, show: c => time(c.lower_ns), number: true}, {name: "compile", value: c => c.compile_ns ?? -1, show: c => time(c.compile_ns), number: true}], D.compilations, null, true));
}

function shardings() {
  const out = el("div", {}, el("p", {class: "note"}, "How the first two dimensions of each array are divided among devices."));
  for (const s of D.shardings) {
    const picture = svg("svg", {viewBox: "0 0 360 130", width: 360, height: 130, role: "img", "aria-label": `${s.name} ${s.type}: ${s.cells.map(c => c.devices + " hold " + c.index).join("; ")}`});
    for (const [i, c] of s.cells.entries()) picture.append(svg("rect", {x: 5 + c.x * 350, y: 5 + c.y * 120, width: c.w * 350, height: c.h * 120, fill: COLORS[i % 6], "fill-opacity": .35, stroke: "var(--fg)"}, svg("title", {}, c.index)),
      svg("text", {x: 5 + (c.x + c.w / 2) * 350, y: 9 + (c.y + c.h / 2) * 120, "text-anchor": "middle"}, c.devices));
    out.append(el("h2", {}, code(s.name), " ", s.type, " ", s.spec), picture);
  }
  out.append(table("collectives-table", "What devices send each other", [
    {name: "collective", value: c => c.kind}, {name: "mesh axes", value: c => c.axes.join(", ")}, {name: "bytes received", value: c => c.bytes, show: c => bytes(c.bytes), number: true},
    {name: "times", value: c => c.times, number: true}, {name: "line", value: c => c.line, show: c => sourceLine(c.line)}], D.collectives, 2));
  return out;
}

function tree() {
  const root = {name: "all", ns: 0, flops: 0, parts: new Map(), leaves: []};
  for (const o of D.operations) {
    let at = root;
    at.ns += o.self_ns; at.flops += o.flops * o.count;
    for (const part of [o.program, ...o.path.split("/").slice(0, -1)]) {
      if (!at.parts.has(part)) at.parts.set(part, {name: part, ns: 0, flops: 0, parts: new Map(), leaves: []});
      at = at.parts.get(part); at.ns += o.self_ns; at.flops += o.flops * o.count;
    }
    at.leaves.push(o);
  }
  function node(n, depth) {
    const label = [n.name + " ", el("b", {}, time(n.ns)), ` ${percent(n.ns / (root.ns || 1))}, ${count(n.flops)}flop`];
    const inner = [...n.parts.values()].sort((a, b) => b.ns - a.ns).map(p => node(p, depth + 1));
    const leaves = n.leaves.sort((a, b) => b.self_ns - a.self_ns).map(o => el("div", {class: "leaf"}, code(o.name), " ", time(o.self_ns)));
    return el("details", depth < 2 ? {open: ""} : {}, el("summary", {}, label), inner, leaves);
  }
  return el("div", {id: "tree"}, el("p", {class: "note"}, "Named scopes of the programs; each has the time of what is in it."), node(root, 0));
}

function sources() {
  const names = Object.keys(D.sources).sort((a, b) => D.sources[b].total_ns - D.sources[a].total_ns);
  if (!names.length) return el("p", {class: "note"}, "No source file can be read here.");
  const select = el("select", {id: "source-choice"}, names.map(n => el("option", {value: n}, `${n} – ${time(D.sources[n].total_ns)}`)));
  const body = el("tbody"), most = Math.max(...names.map(n => Math.max(0, ...Object.values(D.sources[n].ns))), 1);
  function draw() {
    const file = D.sources[select.value];
    body.replaceChildren(...file.text.map((text, i) => {
      const ns = file.ns[i + 1] || 0;
      return el("tr", {class: ns ? "hot" : null}, el("td", {class: "n"}, ns ? time(ns) : ""), el("td", {}, el("span", {class: "bar", style: `width:${(80 * ns / most).toFixed(1)}px`})), el("td", {class: "n"}, i + 1), el("td", {class: "mono"}, text));
    }));
  }
  select.addEventListener("change", draw); draw();
  return el("div", {}, el("p", {class: "note"}, "Where lines are fused, their operation's time is divided evenly among them: an estimate."),
    el("p", {class: "tools"}, el("label", {for: "source-choice"}, "File: "), select), el("div", {class: "scroll"}, el("table", {class: "src", id: "source-table"}, el("caption", {class: "note"}, "Time of each line"), body)));
}

const PANELS = [["phases", "Phases", phases], ["operations", "Operations", operations], ["roofline", "Roofline", roofline], ["memory", "Memory", memory],
  ["compilations", "Compilations", compilations], ["shardings", "Shardings", shardings], ["tree-panel", "Scopes", tree], ["sources", "Sources", sources]];
const list = document.getElementById("tabs"), main = document.querySelector("main");
const tabs = PANELS.map(([id, name]) => el("button", {role: "tab", id: "tab-" + id, "aria-controls": id, type: "button"}, name));
const panels = PANELS.map(([id, name, make]) => el("section", {role: "tabpanel", id, "aria-labelledby": "tab-" + id, tabindex: 0}, el("h2", {}, name), make()));
list.append(...tabs); main.append(...panels);
function open(number, focus) {
  tabs.forEach((t, i) => { t.setAttribute("aria-selected", i === number); t.tabIndex = i === number ? 0 : -1; panels[i].hidden = i !== number; });
  if (focus) tabs[number].focus();
}
tabs.forEach((t, i) => {
  t.addEventListener("click", () => open(i));
  t.addEventListener("keydown", e => {
    const to = {ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1}[e.key];
    if (to !== undefined) { e.preventDefault(); open((to + tabs.length) % tabs.length, true); }
  });
});
const wanted = PANELS.findIndex(([id]) => "#" + id === location.hash);
open(Math.max(wanted, 0));
document.body.dataset.ready = "1";
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s</title>
<style>%(style)s</style>
</head>
<body>
<h1>%(title)s</h1>
<p class="note">%(subtitle)s</p>
<noscript><p>This report draws its tables with a script of its own. The numbers are in this file, in the element with the
id &ldquo;data&rdquo;, as JSON.</p></noscript>
<div role="tablist" id="tabs" aria-label="Panels"></div>
<main></main>
<pre id="failures" role="alert"></pre>
<script type="application/json" id="data">%(data)s</script>
<script>%(script)s</script>
</body>
</html>
"""


def page(title: str, subtitle: str, facts: dict[str, Any]) -> str:
    """The page as text.

    Args:
        title: what was measured.
        subtitle: when, and on what.
        facts: the data, as `report` returns it.
    """
    data = json.dumps(facts, separators=(",", ":"), allow_nan=False)
    return _PAGE % {
        "title": html.escape(title),
        "subtitle": html.escape(subtitle),
        "style": _STYLE,
        "script": _SCRIPT,
        "data": data.replace("<", "\\u003c"),
    }
