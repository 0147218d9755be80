#!/usr/bin/env python3
"""Replay the golden cases on the importable ``jax`` and compare.

Needs numpy and whatever ``jax`` is importable, nothing else.  Every
FILE.json next to this script lists cases; FILE.npz holds the stored arrays
(see README.md).  Cases run in worker processes, one per (file, configuration);
a case that kills or hangs its worker fails alone and the rest goes on in a new
worker.

The last line printed is ``golden: N passed, M failed``; the exit status is 1
when M > 0.

  --record FILE   evaluates the cases and rewrites their stored results.  Only
                  meant for the reference installation.
"""

import argparse
import collections
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))

# Smallest normal numbers: below these, flushing to zero is accepted.
TINY = {
    "float16": 2.0**-14,
    "bfloat16": 2.0**-126,
    "float32": 2.0**-126,
    "float64": 2.0**-1022,
    "complex64": 2.0**-126,
    "complex128": 2.0**-1022,
}


# --------------------------------------------------------------------------
# storage
# --------------------------------------------------------------------------
def encode(a):
    """numpy array (maybe of an extension dtype) -> plain numpy array."""
    n = a.dtype.name
    if n == "bfloat16":
        return a.view(np.uint16)
    if n.startswith("float8"):
        return a.view(np.uint8)
    if n in ("int2", "int4", "int1"):
        return a.astype(np.int8)
    if n in ("uint2", "uint4", "uint1"):
        return a.astype(np.uint8)
    if n.startswith(("float4_", "float6_")):
        return a.astype(np.float32)
    return a


def to_float(enc, dtype):
    """stored array -> float64 / complex128 for tolerance comparison, or None."""
    if dtype == "bfloat16":
        return (enc.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype.startswith("float8") or dtype.startswith("key"):
        return None
    if enc.dtype.kind == "f":
        return enc.astype(np.float64)
    if enc.dtype.kind == "c":
        return enc.astype(np.complex128)
    return None


# --------------------------------------------------------------------------
# evaluation (worker side)
# --------------------------------------------------------------------------
def namespace():
    import functools
    import operator
    import jax
    import jax.numpy as jnp
    import jax.scipy as jsp
    import jax.scipy.cluster.vq
    import jax.scipy.fft
    import jax.scipy.integrate
    import jax.scipy.interpolate
    import jax.scipy.linalg
    import jax.scipy.ndimage
    import jax.scipy.optimize
    import jax.scipy.signal
    import jax.scipy.sparse.linalg
    import jax.scipy.spatial.transform
    import jax.scipy.special
    import jax.scipy.stats
    from jax import lax

    return dict(
        jax=jax,
        jnp=jnp,
        np=np,
        lax=lax,
        jsp=jsp,
        nn=jax.nn,
        random=jax.random,
        functools=functools,
        partial=functools.partial,
        operator=operator,
    )


def load_input(ns, enc, dtype):
    jnp, jax = ns["jnp"], ns["jax"]
    if dtype == "bfloat16":
        return jax.lax.bitcast_convert_type(jnp.asarray(enc), jnp.bfloat16)
    return jnp.asarray(enc)


def leaves(x, out):
    if x is None:
        return
    if isinstance(x, dict):
        for k in sorted(x):
            leaves(x[k], out)
    elif isinstance(x, (tuple, list)):
        for v in x:
            leaves(v, out)
    else:
        out.append(x)


def leaf_value(ns, v):
    """(dtype text, encoded numpy array, weak_type)."""
    jax, jnp = ns["jax"], ns["jnp"]
    if isinstance(v, (bool, np.bool_)):
        return "py:bool", np.asarray(bool(v)), False
    if isinstance(v, int):
        return "py:int", np.asarray(v), False
    if isinstance(v, float):
        return "py:float", np.asarray(v), False
    if isinstance(v, complex):
        return "py:complex", np.asarray(v), False
    if isinstance(v, str):
        return "py:str", np.asarray(v), False
    if isinstance(v, (np.dtype, type)):
        return "py:dtype", np.asarray(np.dtype(v).name), False
    dt = getattr(v, "dtype", None)
    if dt is not None and jnp.issubdtype(dt, jax.dtypes.extended):
        return str(dt), np.asarray(jax.random.key_data(v)), False
    a = np.asarray(v)
    if a.dtype == object:
        return "py:object", np.asarray(str(v)), False
    return a.dtype.name, encode(a), bool(getattr(v, "weak_type", False))


def evaluate(case, inputs, upcast=False):
    """-> list of (dtype, array, weak) ; raises what the case raises."""
    ns = namespace()
    jnp = ns["jnp"]
    for var, (enc, dtype) in inputs.items():
        if upcast:
            f = to_float(enc, dtype)
            if f is not None:
                enc, dtype = f, f.dtype.name
        ns[var] = load_input(ns, enc, dtype)
    src = case.get("setup", "")
    if src:
        exec(src, ns)  # noqa: S102
    val = eval(case["expr"], ns)  # noqa: S307
    out = []
    leaves(val, out)
    res = [leaf_value(ns, v) for v in out]
    return val, res


def run_one(kind, case, inputs, upcast=False):
    """-> dict describing the outcome, plus list of arrays."""
    import jax

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if kind == "jaxpr":
                ns = namespace()
                exec(case.get("setup", ""), ns)  # noqa: S102
                fn = eval(case["expr"], ns)  # noqa: S307
                args = eval(case["args"], ns)  # noqa: S307
                if not isinstance(args, tuple):
                    args = (args,)
                return {"text": str(jax.make_jaxpr(fn)(*args))}, []
            val, res = evaluate(case, inputs, upcast)
            if kind == "aval":
                out = []
                leaves(val, out)
                av = []
                for v in out:
                    dt = getattr(v, "dtype", None)
                    if dt is None:
                        av.append([type(v).__name__, False, list(np.shape(v))])
                    else:
                        av.append(
                            [
                                str(dt),
                                bool(getattr(v, "weak_type", False)),
                                list(np.shape(v)),
                            ]
                        )
                return {"aval": av}, []
            if kind == "text":
                return {"text": str(val)}, []
    except Exception as e:  # noqa: BLE001
        names = [
            c.__name__ for c in type(e).__mro__ if c not in (object, BaseException)
        ]
        return {"raised": names, "message": str(e)[:300]}, []
    return {"out": [[d, list(a.shape), w] for d, a, w in res]}, [a for _, a, _ in res]


def save_name(cid):
    return hashlib.sha1(cid.encode()).hexdigest()[:20] + ".npz"


def apply_config(config):
    import jax

    for k, v in config.items():
        jax.config.update(k, v)


def worker(job_file):
    with open(job_file) as f:
        job = json.load(f)
    warnings.simplefilter("ignore")
    out = open(job["out"], "a")

    def say(d):
        out.write(json.dumps(d) + "\n")
        out.flush()

    say({"start": None})
    try:
        apply_config(job["config"])
        namespace()
    except BaseException as e:  # noqa: BLE001
        say({"fatal": f"{type(e).__name__}: {e}"[:300]})
        return
    with open(os.path.join(HERE, job["file"] + ".json")) as f:
        spec = json.load(f)
    npz = os.path.join(HERE, job["file"] + ".npz")
    store = np.load(npz) if os.path.exists(npz) else {}
    cases = {c["id"]: c for c in spec["cases"]}
    kind = spec["kind"]
    for cid in job["ids"]:
        case = cases[cid]
        say({"start": cid})
        t0 = time.time()
        try:
            inputs = {
                v: (store["in/" + k], spec["inputs"][k][0])
                for v, k in case.get("in", {}).items()
            }
            res, arrays = run_one(kind, case, inputs, job.get("upcast", False))
            if job.get("save"):
                np.savez(
                    os.path.join(job["save"], save_name(cid)),
                    **{f"a{i}": a for i, a in enumerate(arrays)},
                )
                verdict = None
            else:
                verdict = judge(spec, case, res, arrays, store, inputs, job["options"])
        except BaseException as e:  # noqa: BLE001
            res, verdict = (
                {"raised": [type(e).__name__]},
                [f"checker error {type(e).__name__}: {e}"[:300]],
            )
        say(
            {
                "case": cid,
                "result": res,
                "verdict": verdict,
                "seconds": time.time() - t0,
            }
        )


# --------------------------------------------------------------------------
# comparison
# --------------------------------------------------------------------------
def _close(a, e, rtol, atol, signed_zero):
    with np.errstate(all="ignore"):
        ok = (a == e) | (np.isnan(a) & np.isnan(e))
        fin = np.isfinite(a) & np.isfinite(e)
        ok |= fin & (np.abs(a - e) <= atol + rtol * np.abs(e))
        if signed_zero:
            both0 = (a == 0) & (e == 0)
            ok &= ~both0 | (np.signbit(a) == np.signbit(e))
    return ok


def close(a, e, tol, tiny, strict_sub):
    """elementwise verdict for float64/complex128 arrays."""
    rtol, atol = tol.get("rtol", 0.0), tol.get("atol", 0.0)
    sz = tol.get("signed_zero", False)
    if np.iscomplexobj(e):
        with np.errstate(all="ignore"):
            mag = np.abs(e)
            scale = np.where(np.isfinite(mag), mag * rtol, 0.0)
        ok = _close(a.real, e.real, rtol, atol + scale, sz) & _close(
            a.imag, e.imag, rtol, atol + scale, sz
        )
        if tol.get("complex_inf"):
            # any infinite representation equals any other
            ok |= np.isinf(a) & np.isinf(e)
        if tol.get("nan_loose"):
            ok |= np.isnan(a) & np.isnan(e)
    else:
        ok = _close(a, e, rtol, atol, sz)
        if not strict_sub:
            with np.errstate(all="ignore"):
                ok |= (np.abs(e) < tiny) & (np.abs(a) <= tiny) & ((e != 0) | (a != 0))
    return ok


def tolerance(spec, case, dtype):
    """A case names a tolerance class of its file, and may override parts."""
    tol = dict(
        spec.get("tolerances", {}).get(
            case.get("tol", spec.get("default_tolerance", "")), {}
        )
    )
    tol.update(tol.pop("per_dtype", {}).get(dtype, {}))
    tol.update(case.get("tol_over", {}))
    return tol


def judge(spec, case, res, arrays, store, inputs, options):
    """None when passed, otherwise a list of reasons."""
    kind = spec["kind"]
    if kind in ("jaxpr", "text"):
        if "text" not in res:
            return [f"raised {res['raised'][0]}: {res['message'][:160]}"]
        return None if res["text"] == case["text"] else ["text differs"]
    if "raises" in case:
        if "raised" not in res:
            return [f"nothing raised, expected {case['raises']}"]
        want = [case["raises"]] + case.get("accept", [])
        if any(w in res["raised"] for w in want):
            return None
        return [
            f"raised {res['raised'][0]} ({res['message'][:120]}), "
            f"expected {case['raises']}"
        ]
    if "raised" in res:
        return [f"raised {res['raised'][0]}: {res['message'][:200]}"]
    if kind == "aval":
        if res["aval"] == case["aval"]:
            return None
        return [f"got {res['aval']}, expected {case['aval']}"]

    why = []
    want = case["out"]
    if len(want) != len(arrays):
        return [f"{len(arrays)} results instead of {len(want)}"]
    for (key, dtype, shape), (d, s, _), a in zip(want, res["out"], arrays):
        if d != dtype:
            why.append(f"{key}: dtype {d}, expected {dtype}")
            continue
        if list(s) != list(shape):
            why.append(f"{key}: shape {s}, expected {shape}")
            continue
        e = store["o/" + key]
        tol = tolerance(spec, case, dtype)
        fe = to_float(e, dtype)
        if fe is None or fe.dtype.kind not in "fc":
            bad = a != e
            if np.any(bad):
                frac = np.mean(bad)
                if frac > tol.get("int_frac", 0.0):
                    why.append(_first_bad(key, a, e, ~np.asarray(bad), dtype))
            continue
        fa = to_float(a, dtype)
        if tol.get("exact"):
            ok = (a.view(e.dtype) == e) | (np.isnan(fa) & np.isnan(fe))
            if e.dtype.kind in "fc":
                ok &= (np.signbit(fa.real) == np.signbit(fe.real)) | np.isnan(fa)
        else:
            tiny = TINY.get(dtype, 0.0)
            strict = options.get("strict_subnormals", False)
            ok = close(fa, fe, tol, tiny, strict)
            if (
                case.get("alt")
                and "o/" + key + "/alt" in store
                and not options.get("no_alt")
            ):
                falt = to_float(store["o/" + key + "/alt"], dtype)
                ok |= close(fa, falt, tol, tiny, strict)
            if tol.get("elementwise") and not strict:
                for enc, idt in inputs.values():
                    f = to_float(enc, idt)
                    if f is None:
                        continue
                    with np.errstate(all="ignore"):
                        t = TINY.get(idt, 0.0)
                        parts = [f.real, f.imag] if np.iscomplexobj(f) else [f]
                        sub = np.zeros(f.shape, bool)
                        for p in parts:
                            sub |= (p != 0) & (np.abs(p) < t)
                    try:
                        ok = ok | np.broadcast_to(sub, ok.shape)
                    except ValueError:
                        pass
        if not np.all(ok) and (1.0 - np.mean(ok)) > tol.get("frac", 0.0):
            why.append(_first_bad(key, fa, fe, ok, dtype))
    return why or None


def _first_bad(key, a, e, ok, dtype):
    ok = np.asarray(ok)
    n = int(ok.size - np.count_nonzero(ok))
    idx = np.unravel_index(int(np.argmin(ok.ravel())), ok.shape) if ok.shape else ()
    av, ev = np.asarray(a)[idx], np.asarray(e)[idx]
    return (
        f"{key} ({dtype}): {n}/{ok.size} differ, first at "
        f"{tuple(int(i) for i in idx)}: {av!r}, expected {ev!r}"
    )


# --------------------------------------------------------------------------
# parent
# --------------------------------------------------------------------------
def run_jobs(jobs, nproc, timeout, done_with=lambda name, results: None):
    """jobs: list of dicts (file, config, ids, ...). Returns {(file,id): record}.

    done_with(name, results) is called when the last job of a file has ended.
    """
    results, lock, queue = {}, threading.Lock(), list(jobs)
    pending = collections.Counter(j["file"] for j in jobs)

    def run_job(job):
        ids = list(job["ids"])
        while ids:
            tmp = tempfile.mkdtemp(prefix="golden_")
            spec = dict(job, ids=ids, out=os.path.join(tmp, "out.jsonl"))
            open(spec["out"], "w").close()
            jf = os.path.join(tmp, "job.json")
            with open(jf, "w") as f:
                json.dump(spec, f)
            env = dict(os.environ)
            env.setdefault("JAX_PLATFORMS", "cpu")
            p = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), "--worker", jf],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=env,
            )
            err = []
            t = threading.Thread(target=lambda: err.append(p.stderr.read()))
            t.daemon = True
            t.start()
            size, last, hung = -1, time.time(), False
            while p.poll() is None:
                time.sleep(0.05)
                s = os.path.getsize(spec["out"])
                if s != size:
                    size, last = s, time.time()
                elif time.time() - last > timeout:
                    hung = True
                    p.kill()
                    p.wait()
            t.join(2)
            started, done, fatal = None, set(), None
            with open(spec["out"]) as f:
                for line in f:
                    try:
                        d = json.loads(line)
                    except ValueError:
                        continue
                    if "start" in d:
                        started = d["start"]
                    elif "fatal" in d:
                        fatal = d["fatal"]
                    else:
                        done.add(d["case"])
                        with lock:
                            results[(job["file"], d["case"])] = d
            shutil.rmtree(tmp, ignore_errors=True)
            left = [i for i in ids if i not in done]
            if not left:
                break
            text = b"".join(err).decode(errors="replace").strip().splitlines()
            if fatal:
                why = fatal
            elif hung:
                why = f"no answer within {timeout:g} s"
            else:
                why = f"worker died (status {p.returncode})"
                if text:
                    why += ": " + text[-1][:200]
            dead = (
                left
                if (fatal or (started is None and not hung))
                else [started if started in left else left[0]]
            )
            with lock:
                for i in dead:
                    results[(job["file"], i)] = {
                        "case": i,
                        "verdict": [why],
                        "result": {},
                        "seconds": 0.0,
                    }
            ids = [i for i in left if i not in set(dead)]

    def loop():
        while True:
            with lock:
                if not queue:
                    return
                job = queue.pop(0)
            run_job(job)
            with lock:
                pending[job["file"]] -= 1
                if not pending[job["file"]]:
                    done_with(job["file"], results)

    threads = [threading.Thread(target=loop) for _ in range(nproc)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def split_jobs(name, spec, ids, extra, chunk=150):
    groups = {}
    for c in spec["cases"]:
        if c["id"] in ids:
            k = json.dumps(
                {**spec.get("config", {}), **c.get("config", {})}, sort_keys=True
            )
            groups.setdefault(k, []).append(c["id"])
    for k, v in groups.items():
        for i in range(0, len(v), chunk):
            yield dict(file=name, config=json.loads(k), ids=v[i : i + chunk], **extra)


def dump_spec(spec, path):
    with open(path, "w") as f:
        f.write("{\n")
        for k, v in spec.items():
            if k in ("cases", "inputs"):
                continue
            f.write(f" {json.dumps(k)}: {json.dumps(v)},\n")
        f.write(
            ' "inputs": {'
            + ",".join(
                f"\n  {json.dumps(k)}: {json.dumps(v)}"
                for k, v in spec.get("inputs", {}).items()
            )
            + "},\n"
        )
        f.write(
            ' "cases": [\n'
            + ",\n".join("  " + json.dumps(c) for c in spec["cases"])
            + "\n ]\n}\n"
        )


def record(name, nproc, timeout):
    path = os.path.join(HERE, name + ".json")
    with open(path) as f:
        spec = json.load(f)
    npz = os.path.join(HERE, name + ".npz")
    old = dict(np.load(npz)) if os.path.exists(npz) else {}
    arrays = {k: v for k, v in old.items() if k.startswith("in/")}
    ids = {c["id"] for c in spec["cases"]}
    assert len(ids) == len(spec["cases"]), "duplicate ids in " + name
    tmp = tempfile.mkdtemp(prefix="golden_rec_")
    alt = os.path.join(tmp, "alt")
    os.makedirs(alt)
    jobs = list(split_jobs(name, spec, ids, dict(save=tmp, options={})))
    altids = {c["id"] for c in spec["cases"] if c.get("alt")}
    results = run_jobs(jobs, nproc, timeout)
    alts = []
    for j in split_jobs(name, spec, altids, dict(save=alt, upcast=True, options={})):
        j["config"] = {**j["config"], "jax_enable_x64": True}
        alts.append(j)
    altres = run_jobs(alts, nproc, timeout)
    problems = []
    for c in spec["cases"]:
        r = results[(name, c["id"])]
        for k in ("out", "raises", "aval", "text"):
            c.pop(k, None)
        if r["verdict"]:
            problems.append((c["id"], r["verdict"]))
            continue
        res = r["result"]
        if "raised" in res:
            c["raises"] = res["raised"][0]
            if c["raises"] in (
                "AssertionError",
                "NotImplementedError",
                "KeyError",
                "IndexError",
                "AttributeError",
                "MLIRError",
            ):
                c["accept"] = ["TypeError", "ValueError"]
            elif c["id"].startswith("empty"):
                c["accept"] = ["ValueError"]
            if not c.get("may_raise") and spec["kind"] != "raises":
                problems.append((c["id"], [res["raised"][0], res["message"]]))
            continue
        if spec["kind"] == "raises":
            problems.append((c["id"], ["nothing raised"]))
            continue
        for k in ("aval", "text"):
            if k in res:
                c[k] = res[k]
        if "out" in res:
            fn = save_name(c["id"])
            got = np.load(os.path.join(tmp, fn))
            c["out"] = []
            ga = None
            if c["id"] in altids and "out" in altres[(name, c["id"])]["result"]:
                ga = np.load(os.path.join(alt, fn))
            elif c["id"] in altids:
                problems.append(
                    (c["id"], ["alt failed", str(altres[(name, c["id"])])[:300]])
                )
            for i, (d, s, _) in enumerate(res["out"]):
                key = f"{c['id']}/{i}"
                c["out"].append([key, d, s])
                arrays["o/" + key] = got[f"a{i}"]
                if ga is not None and d in (
                    "float32",
                    "float16",
                    "bfloat16",
                    "complex64",
                ):
                    ad = ga[f"a{i}"]
                    with np.errstate(all="ignore"):
                        if d == "bfloat16":
                            b = ad.astype(np.float32).view(np.uint32).astype(np.uint64)
                            rnd = ((b + 0x7FFF + ((b >> 16) & 1)) >> 16).astype(
                                np.uint16
                            )
                            rnd = np.where(np.isnan(ad), np.uint16(0x7FC0), rnd)
                            arrays["o/" + key + "/alt"] = rnd
                        else:
                            arrays["o/" + key + "/alt"] = ad.astype(d)
    shutil.rmtree(tmp, ignore_errors=True)
    spec["case_count"] = len(spec["cases"])
    dump_spec(spec, path)
    if arrays:
        np.savez_compressed(npz, **arrays)
    slow = sorted(((r["seconds"], i) for (_, i), r in results.items()), reverse=True)[
        :3
    ]
    print(
        f"recorded {name}: {len(spec['cases'])} cases, {len(problems)} problems;"
        f" slowest {[(round(s, 1), i) for s, i in slow]}"
    )
    for cid, why in problems:
        print("   ", cid, why)


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--worker":
        worker(sys.argv[2])
        return 0
    ap = argparse.ArgumentParser(description="replay the golden cases")
    ap.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="NAME",
        help="only this case file (without .json; repeatable)",
    )
    ap.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="TEXT",
        help="only cases whose id contains TEXT (repeatable)",
    )
    ap.add_argument(
        "--except",
        action="append",
        default=[],
        metavar="FILE",
        dest="excepted",
        help="leave out the cases that this JSON "
        "file lists with reasons: {file: {id: reason}}",
    )
    ap.add_argument(
        "--every",
        type=int,
        default=1,
        metavar="K",
        help="only each K-th case of every file, for a quick look",
    )
    ap.add_argument("--list", action="store_true", help="list the case files")
    ap.add_argument(
        "--show",
        action="store_true",
        help="print the chosen cases' expressions, run nothing",
    )
    ap.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print all failures, not just 20 per file",
    )
    ap.add_argument("--json", metavar="FILE", help="write every verdict")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument(
        "--timeout", type=float, default=300.0, help="seconds one case may take"
    )
    ap.add_argument(
        "--strict-subnormals",
        action="store_true",
        help="subnormal inputs and results must match too",
    )
    ap.add_argument(
        "--no-alt",
        action="store_true",
        help="do not accept the higher-precision alternative value",
    )
    ap.add_argument(
        "--record",
        action="append",
        default=[],
        metavar="NAME",
        help="re-evaluate and overwrite stored results",
    )
    args = ap.parse_args()

    if args.record:
        for n in args.record:
            record(n, args.jobs, args.timeout)
        return 0

    names = sorted(n[:-5] for n in os.listdir(HERE) if n.endswith(".json"))
    if args.file:
        unknown = [n for n in args.file if n not in names]
        if unknown:
            ap.error("no such case file: " + ", ".join(unknown))
        names = [n for n in names if n in args.file]
    specs, jobs, chosen = {}, [], {}
    left_out = collections.defaultdict(set)
    for path in args.excepted:
        with open(path) as f:
            for n, reasons in json.load(f).items():
                left_out[n] |= set(reasons)
    options = {"strict_subnormals": args.strict_subnormals, "no_alt": args.no_alt}
    for n in names:
        with open(os.path.join(HERE, n + ".json")) as f:
            specs[n] = json.load(f)
        ids = [
            c["id"]
            for c in specs[n]["cases"]
            if c["id"] not in left_out[n]
            and (not args.case or any(t in c["id"] for t in args.case))
        ]
        ids = ids[:: max(1, args.every)]
        chosen[n] = ids
        jobs += list(split_jobs(n, specs[n], set(ids), dict(options=options)))
    if args.list:
        for n in names:
            print(f"{n:14} {len(specs[n]['cases']):5} cases  {specs[n]['title']}")
        return 0
    if args.show:
        for n in names:
            for c in specs[n]["cases"]:
                if c["id"] in chosen[n]:
                    print(
                        f"[{n}] {c['id']}: "
                        + (c["setup"] + "; " if c.get("setup") else "")
                        + c["expr"]
                        + (f"   with {c['in']}" if c.get("in") else "")
                        + (f"   config {c['config']}" if c.get("config") else "")
                    )
        return 0

    passed = failed = 0
    info = []
    log = {}

    def report(n, results):
        nonlocal passed, failed
        spec = specs[n]
        bad, ok = [], 0
        for cid in chosen[n]:
            r = results.get((n, cid)) or {"verdict": ["no result"]}
            log[f"{n}:{cid}"] = r["verdict"]
            if r["verdict"]:
                bad.append((cid, r["verdict"]))
            else:
                ok += 1
        if spec.get("informative"):
            info.append(f"{n}: {ok}/{ok + len(bad)} identical")
            return
        passed += ok
        failed += len(bad)
        print(f"{n:14} {ok:5} passed {len(bad):5} failed", flush=True)
        for cid, why in bad if args.verbose else bad[:20]:
            print(f"    {cid}: " + "; ".join(why)[:400])
        if len(bad) > 20 and not args.verbose:
            print(f"    ... {len(bad) - 20} more (-v shows them)")

    run_jobs(jobs, max(1, args.jobs), args.timeout, report)
    for line in info:
        print("informative, not counted:", line)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(log, f, indent=0)
    print(f"golden: {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
