"""Runs expressions over the public surface under each setting that a user may have.

The expressions are those of the golden cases; of them, the fewest that name every public
function once. What is written is the outcome of each under each setting: nothing where it
computes what it computes without the setting, else the class of the error or what differs.
It imports nothing of ours but `jax`, so it runs on JAX 0.10.2 too, which made
`baselines/under_settings.json`:

    python tests/golden/under_settings.py --pairs ours.json --write FILE  # with JAX 0.10.2
    python tests/golden/under_settings.py --against FILE
"""

import argparse
import contextlib
import json
import pathlib
import re
import signal
import sys
import warnings

import check_golden
import numpy as np

HERE = pathlib.Path(__file__).parent

FILES = """binary complex control conv einsum fft grads image indexing initializers integer
linalg nn numpy_misc prng random_dist reduce_sort scipy_misc special unary""".split()
LIMIT_S = 240  # for an expression
# What a public name looks like in an expression.
NAME = re.compile(r"\b(?:jnp|lax|nn|random|jsp|jax|x|a)(?:\.[A-Za-z_]\w*)+")

SETTINGS = {
    "rank": {"jax_numpy_rank_promotion": "raise"},
    "strict": {"jax_numpy_dtype_promotion": "strict"},
    "x64": {"jax_enable_x64": True},
    "nojit": {"jax_disable_jit": True},
    "nans": {"jax_debug_nans": True},
    "leaks": {"jax_check_tracer_leaks": True},
    "guard": {},
    "precision": {"jax_default_matmul_precision": "highest"},
    "threefry": {"jax_threefry_partitionable": False},
}
# Their values differ by what the setting is for.
OTHER_VALUES = {"x64", "threefry", "precision"}


def chosen_cases() -> list[tuple[str, dict, dict]]:
    """(file, its types of inputs, case): in the order of the files, the first to name something."""
    seen: set[str] = set()
    chosen = []
    for file in FILES:
        spec = json.loads((HERE / f"{file}.json").read_text())
        for case in spec["cases"]:
            if "out" not in case or case.get("config"):
                continue
            names = set(NAME.findall(case["expr"])) - seen
            if names:
                seen |= names
                chosen.append((file, spec["inputs"], case))
    return chosen


class TookTooLong(Exception):
    """An expression did not end."""


@contextlib.contextmanager
def time_limit():
    def stop(*_):
        raise TookTooLong

    old = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


@contextlib.contextmanager
def under(setting: str | None):
    import jax

    changes = SETTINGS.get(setting, {})
    old = {name: getattr(jax.config, name) for name in changes}
    try:
        for name, value in changes.items():
            jax.config.update(name, value)
        with jax.transfer_guard("disallow" if setting == "guard" else "allow"):
            yield
    finally:
        for name, value in old.items():
            jax.config.update(name, value)


def evaluate(case: dict, inputs: dict, setting: str | None):
    """The leaves of the results, as NumPy's."""
    ns = check_golden.namespace()
    for variable, (encoded, dtype) in inputs.items():
        ns[variable] = check_golden.load_input(ns, encoded, dtype)
    # Operands are made before, but for those that have other types by the setting.
    with under(setting if setting in OTHER_VALUES else None):
        exec(case.get("setup", ""), ns)
    with under(setting):
        value = eval(case["expr"], ns)
    found: list = []
    check_golden.leaves(value, found)
    return [check_golden.leaf_value(ns, leaf) for leaf in found]


def differ(now, plain, has_other_values: bool) -> str | None:
    if len(now) != len(plain):
        return "another number of results"
    for (dtype, array, _), (plain_dtype, plain_array, _) in zip(
        now, plain, strict=True
    ):
        if array.shape != plain_array.shape:
            return f"shape {array.shape}, else {plain_array.shape}"
        if has_other_values:
            continue
        if dtype != plain_dtype:
            return f"dtype {dtype}, else {plain_dtype}"
        wide = check_golden.to_float(array, dtype)
        if wide is None:
            continue
        plain_wide = check_golden.to_float(plain_array, dtype)
        with np.errstate(all="ignore"):
            if not np.allclose(wide, plain_wide, rtol=0.05, atol=1e-3, equal_nan=True):
                return "other values"
    return None


def _has_nan(leaves) -> bool:
    wide = [check_golden.to_float(array, dtype) for dtype, array, _ in leaves]
    return any(w is not None and np.isnan(w).any() for w in wide)


def outcome(case, inputs, setting, plain) -> str | None:
    try:
        with time_limit(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            now = evaluate(case, inputs, setting)
    except Exception as error:
        return f"raises {type(error).__name__}"
    return differ(now, plain, setting in OTHER_VALUES)


def replay(cases, settings: list[str], pairs: dict | None = None):
    """Yields (file: case, {setting: what differs}), of all cases or only some pairs."""
    for file, types, case in cases:
        selected = settings
        if pairs is not None:
            selected = [
                s for s in settings if s in pairs.get(f"{file}: {case['id']}", ())
            ]
            if not selected:
                continue
        with np.load(HERE / f"{file}.npz") as arrays:
            inputs = {
                variable: (arrays[f"in/{key}"], types[key][0])
                for variable, key in case.get("in", {}).items()
            }
        try:
            with time_limit(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                plain = evaluate(case, inputs, None)
        except Exception as error:
            yield f"{file}: {case['id']}", {"plain": f"raises {type(error).__name__}"}
            continue
        if _has_nan(plain) or _has_nan([(d, a, None) for a, d in inputs.values()]):
            selected = [s for s in selected if s != "nans"]
        found = {s: outcome(case, inputs, s, plain) for s in selected}
        yield f"{file}: {case['id']}", {s: o for s, o in found.items() if o}


def compare(name: str, found: dict, known: dict) -> list[str]:
    """What is refused here and not there: going further is no mistake."""
    return [
        f"{setting}: {name}: {what}; known: {known.get(setting, 'the same as without')}"
        for setting, what in found.items()
        if known.get(setting) != what
        and not (known.get(setting) or "").startswith("raises")
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--against", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument("--offset", type=int, default=0)
    parser.add_argument("--setting", action="append", choices=list(SETTINGS))
    parser.add_argument("--case", default="", help="only what contains this text")
    parser.add_argument(
        "--pairs",
        type=pathlib.Path,
        metavar="FILE",
        help="only the pairs in this file, which --write wrote",
    )
    options = parser.parse_args()
    known = json.loads(options.against.read_text()) if options.against else {}
    written, wrong, count = {}, [], 0
    settings = options.setting or list(SETTINGS)
    cases = [
        chosen
        for chosen in chosen_cases()[options.offset :: options.every]
        if options.case in f"{chosen[0]}: {chosen[2]['id']}"
    ]
    pairs = json.loads(options.pairs.read_text()) if options.pairs else None
    for name, found in replay(cases, settings, pairs):
        count += 1
        if found:
            written[name] = found
        new = compare(name, found, known.get(name, {})) if options.against else []
        wrong += new
        for line in new:
            print(line, flush=True)
        if options.write and (found or count % 20 == 0):
            options.write.write_text(json.dumps(written, indent=0) + "\n")
    print(
        f"settings: {count} expressions under {len(settings)} settings, {len(wrong)} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
