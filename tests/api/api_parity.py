#!/usr/bin/env python3
"""Compare the public API of the importable ``jax`` with public_api.json.

Standard library only.  The comparison itself happens in worker processes, so
a module whose import raises, hangs or kills the interpreter only costs that
module: all its names count as missing and the reason is printed.

What is counted
  NAMES       every public name of every recorded module: the attribute exists
  SIGNATURES  every recorded callable whose upstream signature is known
              (functions, wrapped callables, class constructors): compatible,
              see ``signature_problem``
  MEMBERS     public attributes/methods of the recorded public classes, plus the
              recorded attributes of live objects (arrays, tracers, compiled
              stages, config flags, ...); reported, not part of the two totals

A module with a "requires" list that cannot be imported is skipped (and listed)
when one of the third party packages it needs upstream is not installed.

Exit status: 0, or 1 when --min-names / --min-signatures / --min-members is
not reached.
"""

import argparse
import enum
import importlib
import importlib.util
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import types
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))

KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional_only",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "positional_or_keyword",
    inspect.Parameter.VAR_POSITIONAL: "var_positional",
    inspect.Parameter.KEYWORD_ONLY: "keyword_only",
    inspect.Parameter.VAR_KEYWORD: "var_keyword",
}

# Dunder methods that are part of a class's visible behaviour.
DUNDERS = (
    "__call__ __getitem__ __setitem__ __delitem__ __contains__ __iter__ __len__ "
    "__enter__ __exit__ __bool__ __int__ __float__ __complex__ __index__ "
    "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ "
    "__floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __rdivmod__ __pow__ "
    "__rpow__ __matmul__ __rmatmul__ __and__ __rand__ __or__ __ror__ __xor__ "
    "__rxor__ __lshift__ __rlshift__ __rshift__ __rrshift__ __neg__ __pos__ "
    "__abs__ __invert__ __round__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ "
    "__hash__ __array__ __array_namespace__ __dlpack__ __dlpack_device__ "
    "__jax_array__ __array_priority__ __format__ __copy__ __deepcopy__ "
    "__cuda_array_interface__ __reduce__"
).split()


# --------------------------------------------------------------------------
# Description of objects (also used to produce public_api.json)
# --------------------------------------------------------------------------
def _literal(value):
    if value is None or value is Ellipsis:
        return True
    if isinstance(value, enum.Enum):
        return False
    if type(value) in (bool, int, float, complex, str, bytes):
        return True
    if type(value) in (tuple, list, set, frozenset):
        return all(_literal(v) for v in value)
    if type(value) is dict:
        return all(_literal(k) and _literal(v) for k, v in value.items())
    return False


def default_repr(value):
    """Normalised text of a default.  Text starting with 'opaque:' is only
    required to be matched by *some* default."""
    if _literal(value):
        return repr(value)
    if isinstance(value, enum.Enum):
        return f"enum:{type(value).__name__}.{value.name}"
    if isinstance(value, type) and value.__module__ == "builtins":
        return f"type:{value.__name__}"
    dt = getattr(value, "dtype", None)  # scalar types such as jnp.float32
    if dt is not None and type(dt).__name__.endswith("DType"):
        if callable(value) and not isinstance(value, types.FunctionType):
            return f"dtype:{dt}"
    if type(value).__module__.split(".")[0] in ("numpy", "ml_dtypes"):
        if type(value).__name__.endswith("DType"):
            return f"dtype:{value}"
        if hasattr(value, "item") and not getattr(value, "shape", (1,)):
            return repr(value.item())
    if isinstance(value, type) and value.__module__.split(".")[0] in (
        "numpy",
        "ml_dtypes",
    ):
        return f"dtype:{value.__name__}"
    name = getattr(value, "__name__", None)
    if isinstance(name, str):
        return f"opaque:{name}"
    return f"opaque:<{type(value).__name__}>"


def describe_signature(obj):
    """List of {name, kind[, default]} or None."""
    try:
        sig = inspect.signature(obj)
    except Exception:  # noqa: BLE001 - anything at all may be raised here
        return None
    out = []
    for p in sig.parameters.values():
        d = {"name": p.name, "kind": KINDS[p.kind]}
        if p.default is not inspect.Parameter.empty:
            d["default"] = default_repr(p.default)
        out.append(d)
    return out


def signature_text(params):
    if params is None:
        return None
    parts, star, slash = [], False, False
    for p in params:
        k = p["kind"]
        if slash and k != "positional_only":
            parts.append("/")
            slash = False
        if k == "positional_only":
            slash = True
        if k == "keyword_only" and not star:
            parts.append("*")
            star = True
        if k == "var_positional":
            star = True
        t = {"var_positional": "*", "var_keyword": "**"}.get(k, "") + p["name"]
        if "default" in p:
            t += "=" + p["default"]
        parts.append(t)
    if slash:
        parts.append("/")
    return "(" + ", ".join(parts) + ")"


def static_members(cls):
    """Public members of a class: {name: (how, attribute)}."""
    out = {}
    for name in dir(cls):
        if name.startswith("_") and name not in DUNDERS:
            continue
        try:
            raw = inspect.getattr_static(cls, name)
        except AttributeError:
            continue
        if name in DUNDERS:
            owner = next((c for c in cls.__mro__ if name in vars(c)), object)
            if owner.__module__ in ("builtins", "typing", "abc", "enum"):
                continue
        if isinstance(raw, staticmethod):
            how = "staticmethod"
        elif isinstance(raw, classmethod):
            how = "classmethod"
        elif isinstance(
            raw,
            (
                types.FunctionType,
                types.BuiltinFunctionType,
                types.MethodDescriptorType,
                types.WrapperDescriptorType,
            ),
        ):
            how = "method"
        elif isinstance(
            raw, (property, types.GetSetDescriptorType, types.MemberDescriptorType)
        ):
            how = "property"
        elif hasattr(type(raw), "__get__") and not callable(raw):
            how = "property"
        elif isinstance(raw, type):
            how = "class"
        elif callable(raw):
            how = "method"
        else:
            how = "attribute"
        out[name] = (how, raw)
    return out


def signature_problem(want, have):
    """None when a call valid for ``want`` is accepted by ``have``."""
    if have is None:
        return "no introspectable signature"
    hv = {p["name"]: p for p in have}
    hpos = [
        p for p in have if p["kind"] in ("positional_only", "positional_or_keyword")
    ]
    hkinds = {p["kind"] for p in have}
    problems = []
    i = 0
    for p in want:
        k, n = p["kind"], p["name"]
        if k in ("positional_only", "positional_or_keyword"):
            h = hpos[i] if i < len(hpos) else None
            i += 1
            if h is None:
                problems.append(f"positional parameter {n!r} missing")
                continue
            if k == "positional_or_keyword":
                if h["name"] != n:
                    problems.append(f"position {i - 1}: {h['name']!r} instead of {n!r}")
                    continue
                if h["kind"] != "positional_or_keyword":
                    problems.append(f"{n!r} is {h['kind']}")
                    continue
        elif k == "keyword_only":
            h = hv.get(n)
            if h is None or h["kind"] not in ("keyword_only", "positional_or_keyword"):
                problems.append(f"keyword parameter {n!r} missing")
                continue
        else:
            if k not in hkinds:
                problems.append(f"no {'*' if k == 'var_positional' else '**'}{n}")
            continue
        if "default" in p and "default" not in h:
            problems.append(f"{n!r} has no default, expected {p['default']}")
        elif "default" not in p and "default" in h:
            problems.append(f"{n!r} has default {h['default']}, expected none")
        elif "default" in p and p["default"] != h["default"]:
            if not p["default"].startswith("opaque:"):
                problems.append(
                    f"{n!r} default {h['default']}, expected {p['default']}"
                )
    known = {p["name"] for p in want}
    for j, h in enumerate(have):
        if h["kind"].startswith("var_") or h["name"] in known or "default" in h:
            continue
        if h["kind"] != "keyword_only" and hpos.index(h) < i:
            continue  # a positional-only parameter under another name
        problems.append(f"extra required parameter {h['name']!r}")
    return "; ".join(problems) or None


# --------------------------------------------------------------------------
# Live objects whose attributes are recorded
# --------------------------------------------------------------------------
# name -> expression evaluated with jax, jnp, np in scope.
LIVE_OBJECTS = {
    "array": "jnp.arange(4.0)",
    "array.at": "jnp.arange(4.0).at",
    "array.at[i]": "jnp.arange(4.0).at[1]",
    "array.sharding": "jnp.arange(4.0).sharding",
    "array.format": "jnp.arange(4.0).format",
    "array.aval": "jnp.arange(4.0).aval",
    "key array": "jax.random.key(0)",
    "key dtype": "jax.random.key(0).dtype",
    "jit tracer": "grab(lambda f: jax.jit(f)(jnp.arange(4.0)))",
    "grad tracer": "grab(lambda f: jax.jvp(f, (jnp.arange(4.0),), (jnp.arange(4.0),)))",
    "vmap tracer": "grab(lambda f: jax.vmap(f)(jnp.ones((2, 4))))",
    "device": "jax.devices()[0]",
    "client": "jax.devices()[0].client",
    "jit function": "jax.jit(lambda x: x)",
    "traced": "jax.jit(lambda x: x).trace(1.0)",
    "lowered": "jax.jit(lambda x: x).lower(1.0)",
    "compiled": "jax.jit(lambda x: x).lower(1.0).compile()",
    "closed jaxpr": "jax.make_jaxpr(lambda x: jnp.sin(x))(1.0)",
    "jaxpr": "jax.make_jaxpr(lambda x: jnp.sin(x))(1.0).jaxpr",
    "jaxpr equation": "jax.make_jaxpr(lambda x: jnp.sin(x))(1.0).jaxpr.eqns[0]",
    "jaxpr var": "jax.make_jaxpr(lambda x: jnp.sin(x))(1.0).jaxpr.invars[0]",
    "primitive": "jax.lax.sin_p",
    "treedef": "jax.tree.structure((1, {'a': 2}))",
    "shape dtype struct": "jax.ShapeDtypeStruct((2,), jnp.float32)",
    "jnp ufunc": "jnp.add",
    "custom_jvp object": "jax.custom_jvp(lambda x: x)",
    "custom_vjp object": "jax.custom_vjp(lambda x: x)",
    "custom_vmap object": "jax.custom_batching.custom_vmap(lambda x: x)",
    "mesh": "jax.make_mesh((1,), ('x',))",
    "named sharding": "jax.sharding.NamedSharding(jax.make_mesh((1,), ('x',)), jax.sharding.PartitionSpec('x'))",
    "partition spec": "jax.sharding.PartitionSpec('x')",
    "ref": "jax.new_ref(jnp.arange(4.0))",
    "config": "jax.config",
    "vjp function": "jax.vjp(jnp.sin, 1.0)[1]",
    "finfo": "jnp.finfo(jnp.float32)",
    "iinfo": "jnp.iinfo(jnp.int32)",
    "exported": "jax.export.export(jax.jit(lambda x: x))(1.0)",
}


def live_object(expr):
    import jax
    import jax.export
    import jax.numpy as jnp

    def grab(run):
        box = []

        def f(x):
            box.append(x)
            # properties are read while the trace is still active
            box.append(describe_live(x))
            return x

        run(f)
        return _Grabbed(box[0], box[1])

    env = {"jax": jax, "jnp": jnp, "grab": grab}
    return eval(expr, env)  # noqa: S307


class _Grabbed:
    def __init__(self, obj, described):
        self.obj, self.described = obj, described


def describe_live(obj):
    if isinstance(obj, _Grabbed):
        return obj.described
    out = {}
    for name in dir(obj):
        if name.startswith("_") and name not in DUNDERS:
            continue
        if name in DUNDERS:
            owner = next((c for c in type(obj).__mro__ if name in vars(c)), object)
            if owner.__module__ in ("builtins", "typing", "abc", "enum"):
                continue
        d = {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                val = getattr(obj, name)
            if callable(val) and not isinstance(val, type):
                d["how"] = "method"
                d["signature"] = describe_signature(val)
            else:
                d["how"] = "property"
        except AttributeError:
            continue
        except Exception as e:  # noqa: BLE001
            d["how"] = "property"
            d["raises"] = type(e).__name__
        out[name] = d
    return out


# --------------------------------------------------------------------------
# Worker: answers for a list of modules, one JSON line per module
# --------------------------------------------------------------------------
def _check_members(cls, want, result):
    have = static_members(cls) if isinstance(cls, type) else {}
    for m in want:
        ok = m["name"] in have or hasattr(cls, m["name"])
        result["members"].append([m["name"], bool(ok)])
        sig = m.get("signature")
        if ok and sig is not None:
            try:
                attr = inspect.getattr_static(cls, m["name"])
                attr = getattr(attr, "__func__", attr)
                if not callable(attr):
                    attr = getattr(cls, m["name"])
            except Exception:  # noqa: BLE001
                attr = None
            prob = signature_problem(sig, describe_signature(attr))
            if prob:
                result["member_problems"].append([m["name"], prob])


def check_module(name, spec):
    res = {
        "module": name,
        "missing": [],
        "ok": [],
        "sig_ok": [],
        "sig_bad": [],
        "kind_bad": [],
        "members": [],
        "error": None,
        "member_problems": [],
    }
    try:
        mod = importlib.import_module(name)
    except BaseException as e:  # noqa: BLE001
        res["error"] = (
            f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"[:300]
        )
        return res
    for entry in spec["names"]:
        n = entry["name"]
        try:
            obj = getattr(mod, n)
        except BaseException as e:  # noqa: BLE001
            why = "" if isinstance(e, AttributeError) else type(e).__name__
            res["missing"].append([n, why])
            continue
        res["ok"].append(n)
        kind = entry["kind"]
        if kind in ("function", "ufunc") and not callable(obj):
            res["kind_bad"].append(
                [n, f"expected a callable, found {type(obj).__name__}"]
            )
        elif kind in ("class", "exception") and not isinstance(obj, type):
            res["kind_bad"].append([n, f"expected a class, found {type(obj).__name__}"])
        elif kind == "module" and not isinstance(obj, types.ModuleType):
            res["kind_bad"].append(
                [n, f"expected a module, found {type(obj).__name__}"]
            )
        sig = entry.get("signature")
        if sig is not None:
            prob = signature_problem(sig, describe_signature(obj))
            if prob is None:
                res["sig_ok"].append(n)
            else:
                res["sig_bad"].append([n, prob, signature_text(sig)])
        if entry.get("members"):
            sub = {"members": [], "member_problems": []}
            _check_members(obj, entry["members"], sub)
            res["members"] += [[f"{n}.{m}", ok] for m, ok in sub["members"]]
            res["member_problems"] += [
                [f"{n}.{m}", p] for m, p in sub["member_problems"]
            ]
    return res


def check_live(key, spec):
    res = {
        "module": f"<live object: {key}>",
        "missing": [],
        "ok": [],
        "sig_ok": [],
        "sig_bad": [],
        "kind_bad": [],
        "members": [],
        "member_problems": [],
        "error": None,
    }
    try:
        obj = live_object(spec["expression"])
        have = describe_live(obj)
    except BaseException as e:  # noqa: BLE001
        res["error"] = (
            f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"[:300]
        )
        res["members"] = [[m["name"], False] for m in spec["attributes"]]
        return res
    for m in spec["attributes"]:
        res["members"].append([m["name"], m["name"] in have])
        if m["name"] in have and m.get("signature") is not None:
            prob = signature_problem(m["signature"], have[m["name"]].get("signature"))
            if prob:
                res["member_problems"].append([m["name"], prob])
    return res


def worker(api_file, todo_file, out_file):
    warnings.simplefilter("ignore")
    with open(api_file) as f:
        api = json.load(f)
    with open(todo_file) as f:
        todo = json.load(f)
    with open(out_file, "a") as out:
        for item in todo:
            out.write(json.dumps({"start": item}) + "\n")
            out.flush()
            if item.startswith("live:"):
                key = item[5:]
                res = check_live(key, api["live_objects"][key])
            else:
                res = check_module(item, api["modules"][item])
            out.write(json.dumps({"item": item, "result": res}) + "\n")
            out.flush()


# --------------------------------------------------------------------------
# Parent
# --------------------------------------------------------------------------
def run_items(items, api_file, jobs, timeout):
    """Run all items in worker processes; restart after a crash or a hang."""
    results = {}
    lock = threading.Lock()

    def run_list(todo):
        todo = list(todo)
        while todo:
            tmp = tempfile.mkdtemp(prefix="api_parity_")
            tf, of = os.path.join(tmp, "todo.json"), os.path.join(tmp, "out.jsonl")
            with open(tf, "w") as f:
                json.dump(todo, f)
            open(of, "w").close()
            env = dict(os.environ)
            env.setdefault("JAX_PLATFORMS", "cpu")
            p = subprocess.Popen(
                [
                    sys.executable,
                    os.path.abspath(__file__),
                    "--worker",
                    api_file,
                    tf,
                    of,
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=env,
            )
            err = []
            t = threading.Thread(target=lambda: err.append(p.stderr.read()))
            t.daemon = True
            t.start()
            size, last = -1, time.time()
            hung = False
            while p.poll() is None:
                time.sleep(0.05)
                s = os.path.getsize(of)
                if s != size:
                    size, last = s, time.time()
                elif time.time() - last > timeout:
                    hung = True
                    p.kill()
                    p.wait()
            t.join(2)
            started, done = None, set()
            with open(of) as f:
                for line in f:
                    try:
                        d = json.loads(line)
                    except ValueError:
                        continue
                    if "start" in d:
                        started = d["start"]
                    else:
                        done.add(d["item"])
                        with lock:
                            results[d["item"]] = d["result"]
            shutil.rmtree(tmp, ignore_errors=True)
            left = [x for x in todo if x not in done]
            if not left:
                break
            if hung:
                why = f"no answer within {timeout:g} s"
            else:
                text = b"".join(err).decode(errors="replace").strip().splitlines()
                why = f"worker died (status {p.returncode})"
                if text:
                    why += ": " + text[-1][:200]
            bad = started if started in left else left[0]
            with lock:
                results[bad] = {"module": bad, "crashed": True, "error": why}
            todo = [x for x in left if x != bad]

    chunks = [items[i::jobs] for i in range(jobs)]
    threads = [threading.Thread(target=run_list, args=(c,)) for c in chunks if c]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def pct(x, y):
    return 100.0 if y == 0 else 100.0 * x / y


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--worker":
        worker(*sys.argv[2:5])
        return 0
    ap = argparse.ArgumentParser(description="public API parity report")
    ap.add_argument("--api", default=os.path.join(HERE, "public_api.json"))
    ap.add_argument(
        "--module",
        action="append",
        default=[],
        metavar="PREFIX",
        help="only modules equal to or below PREFIX (repeatable)",
    )
    ap.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PREFIX",
        help="leave out modules equal to or below PREFIX (repeatable)",
    )
    ap.add_argument(
        "--tier",
        action="append",
        default=[],
        help="only modules of this tier (repeatable)",
    )
    ap.add_argument(
        "--list-missing",
        action="store_true",
        help="print every missing name, mismatch and missing member",
    )
    ap.add_argument("--json", metavar="FILE", help="write the full result")
    ap.add_argument("--min-names", type=float, default=None, metavar="PCT")
    ap.add_argument("--min-signatures", type=float, default=None, metavar="PCT")
    ap.add_argument("--min-members", type=float, default=None, metavar="PCT")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument(
        "--timeout",
        type=float,
        default=180.0,
        help="seconds one module may take before it counts as hung",
    )
    ap.add_argument(
        "--no-deprecated",
        action="store_true",
        help="do not count names that upstream marks deprecated",
    )
    args = ap.parse_args()

    with open(args.api) as f:
        api = json.load(f)

    def below(name, prefixes):
        return any(name == p or name.startswith(p + ".") for p in prefixes)

    chosen, skipped = [], []
    for name, spec in api["modules"].items():
        if args.module and not below(name, args.module):
            continue
        if below(name, args.exclude):
            continue
        if args.tier and spec["tier"] not in args.tier:
            continue
        chosen.append(name)
    live = [] if (args.module or args.tier) else list(api["live_objects"])

    if args.no_deprecated:
        for spec in api["modules"].values():
            spec["names"] = [e for e in spec["names"] if not e.get("deprecated")]
        fd, args.api = tempfile.mkstemp(suffix=".json")
        with os.fdopen(fd, "w") as f:
            json.dump(api, f)

    results = run_items(
        chosen + ["live:" + k for k in live], args.api, max(1, args.jobs), args.timeout
    )

    # An import failure is excused where a third party package is absent.
    for name in list(chosen):
        if (results.get(name) or {}).get("error"):
            lacking = [
                r
                for r in api["modules"][name].get("requires", [])
                if importlib.util.find_spec(r) is None
            ]
            if lacking:
                skipped.append((name, lacking))
                chosen.remove(name)

    rows, report = [], {"modules": {}, "live_objects": {}, "skipped": skipped}
    tot = dict(n=0, nok=0, s=0, sok=0, m=0, mok=0)
    tiers = {}
    for name in chosen:
        spec = api["modules"][name]
        want_n = len(spec["names"])
        want_s = sum(1 for e in spec["names"] if e.get("signature") is not None)
        want_m = sum(len(e.get("members", ())) for e in spec["names"])
        r = results.get(name) or {"error": "no result"}
        ok = len(r.get("ok", ()))
        sok = len(r.get("sig_ok", ()))
        mok = sum(1 for _, good in r.get("members", ()) if good)
        rows.append((name, want_n, ok, want_s, sok, want_m, mok, r))
        t = tiers.setdefault(spec["tier"], dict(n=0, nok=0, s=0, sok=0, m=0, mok=0))
        for d in (tot, t):
            d["n"] += want_n
            d["nok"] += ok
            d["s"] += want_s
            d["sok"] += sok
            d["m"] += want_m
            d["mok"] += mok
        report["modules"][name] = {
            "names": want_n,
            "names_ok": ok,
            "signatures": want_s,
            "signatures_ok": sok,
            "members": want_m,
            "members_ok": mok,
            "error": r.get("error"),
            "missing": [m for m, _ in r.get("missing", ())]
            if not r.get("error")
            else [e["name"] for e in spec["names"]],
            "signature_mismatches": r.get("sig_bad", []),
            "kind_mismatches": r.get("kind_bad", []),
            "missing_members": [m for m, good in r.get("members", ()) if not good],
            "member_signature_mismatches": r.get("member_problems", []),
        }
    for key in live:
        spec = api["live_objects"][key]
        r = results.get("live:" + key) or {"error": "no result"}
        n = len(spec["attributes"])
        ok = sum(1 for _, good in r.get("members", ()) if good)
        tot["m"] += n
        tot["mok"] += ok
        report["live_objects"][key] = {
            "attributes": n,
            "attributes_ok": ok,
            "error": r.get("error"),
            "missing": [m for m, good in r.get("members", ()) if not good],
            "signature_mismatches": r.get("member_problems", []),
        }

    w = max([len(r[0]) for r in rows] + [20])
    print(f"{'module':{w}}  {'names':>11}  {'signatures':>11}  {'members':>11}")
    for name, wn, ok, ws, sok, wm, mok, r in rows:
        mark = "" if (ok == wn and sok == ws and mok == wm) else "  *"
        print(f"{name:{w}}  {ok:>5}/{wn:<5}  {sok:>5}/{ws:<5}  {mok:>5}/{wm:<5}{mark}")
        if r.get("error"):
            print(f"{'':{w}}    not importable: {r['error']}")
        if args.list_missing:
            if not r.get("error"):
                for m, why in r.get("missing", ()):
                    print(f"    missing    {name}.{m}" + (f"  ({why})" if why else ""))
            for m, why in r.get("kind_bad", ()):
                print(f"    kind       {name}.{m}: {why}")
            for m, why, text in r.get("sig_bad", ()):
                print(f"    signature  {name}.{m}: {why}    [upstream {text}]")
            for m, good in r.get("members", ()):
                if not good:
                    print(f"    member     {name}.{m} missing")
            for m, why in r.get("member_problems", ()):
                print(f"    member     {name}.{m}: {why}")
    if live:
        print()
        print(f"{'live object':{w}}  {'attributes':>11}")
        for key in live:
            d = report["live_objects"][key]
            mark = "" if d["attributes_ok"] == d["attributes"] else "  *"
            print(f"{key:{w}}  {d['attributes_ok']:>5}/{d['attributes']:<5}{mark}")
            if d["error"]:
                print(f"{'':{w}}    {d['error']}")
            if args.list_missing:
                for m in d["missing"]:
                    print(f"    missing    {key}: .{m}")
                for m, why in d["signature_mismatches"]:
                    print(f"    signature  {key}: .{m}: {why}")
    print()
    for t in sorted(tiers):
        d = tiers[t]
        print(
            f"tier {t:14} names {d['nok']}/{d['n']} ({pct(d['nok'], d['n']):.1f}%), "
            f"signatures {d['sok']}/{d['s']} ({pct(d['sok'], d['s']):.1f}%), "
            f"members {d['mok']}/{d['m']} ({pct(d['mok'], d['m']):.1f}%)"
        )
    for name, lacking in skipped:
        print(f"skipped {name}: needs {', '.join(lacking)}")
    bad_mem = sum(len(r[7].get("member_problems", ())) for r in rows) + sum(
        len(d["signature_mismatches"]) for d in report["live_objects"].values()
    )
    print(
        f"MEMBERS {tot['mok']}/{tot['m']} ({pct(tot['mok'], tot['m']):.1f}%), "
        f"member signature mismatches {bad_mem}, "
        f"kind mismatches {sum(len(r[7].get('kind_bad', ())) for r in rows)}"
    )
    report["totals"] = {
        "names": tot["n"],
        "names_ok": tot["nok"],
        "signatures": tot["s"],
        "signatures_ok": tot["sok"],
        "members": tot["m"],
        "members_ok": tot["mok"],
    }
    if args.json:
        with open(args.json, "w") as f:
            json.dump(report, f, indent=1)
    pn, ps, pm = (
        pct(tot["nok"], tot["n"]),
        pct(tot["sok"], tot["s"]),
        pct(tot["mok"], tot["m"]),
    )
    print(
        f"api parity: NAMES {tot['nok']}/{tot['n']} ({pn:.1f}%), "
        f"SIGNATURES {tot['sok']}/{tot['s']} ({ps:.1f}%)"
    )
    for have, least in (
        (pn, args.min_names),
        (ps, args.min_signatures),
        (pm, args.min_members),
    ):
        if least is not None and have + 1e-9 < least:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
