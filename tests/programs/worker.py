"""Runs programs that come as text and reports the outcome of each statement.

It imports nothing of ours but `jax`, so it runs on JAX 0.10.2 too. A request and an answer are a line of
JSON each: a request has `text` and `header`, which defines the names that it uses; perhaps `wiggle`, by how much inputs are moved to see what rounding does;
perhaps `traced`, and then the program is traced as a whole, which says types and refusals alone, but at
once. An answer is a list of (name, outcome).

    python worker.py     # requests on standard input, answers on standard output
"""

import ast
import base64
import functools
import json
import os
import signal
import sys
import warnings

import numpy as np

import jax

LIMIT_S = 60  # for a program
CLEAR_EVERY = 40  # programs

SETTINGS = (
    "jax_enable_x64",
    "jax_numpy_rank_promotion",
    "jax_numpy_dtype_promotion",
    "jax_default_matmul_precision",
    "jax_debug_nans",
    "jax_disable_jit",
    "jax_check_tracer_leaks",
    "jax_threefry_partitionable",
    "jax_default_prng_impl",
    "jax_enable_custom_prng",
    "jax_legacy_prng_key",
    "jax_softmax_custom_jvp",
    "jax_enable_checks",
)


class TookTooLong(BaseException):
    """A program did not end."""


def _stop(*_):
    raise TookTooLong


def _array(x) -> dict:
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        inner = _array(jax.random.key_data(x))
        return {**inner, "dtype": str(x.dtype), "shape": list(x.shape)}
    array = np.asarray(x)
    return {
        "kind": "array",
        "dtype": str(array.dtype),
        "shape": list(array.shape),
        "weak": bool(x.weak_type),
        "bytes": base64.b64encode(np.ascontiguousarray(array).tobytes()).decode(),
    }


def _leaf(x) -> dict:
    if isinstance(x, jax.core.Tracer):
        aval = x.aval
        return {
            "kind": "traced",
            "dtype": str(aval.dtype),
            "shape": list(aval.shape),
            "weak": bool(aval.weak_type),
        }
    if isinstance(x, jax.Array):
        return _array(x)
    if isinstance(x, np.ndarray | np.generic):
        array = np.asarray(x)
        return {
            "kind": "numpy" if isinstance(x, np.ndarray) else "numpy scalar",
            "dtype": str(array.dtype),
            "shape": list(array.shape),
            "bytes": base64.b64encode(array.tobytes()).decode(),
        }
    if isinstance(x, jax.ShapeDtypeStruct):
        weak = bool(getattr(x, "weak_type", False))
        return {
            "kind": "type",
            "dtype": str(x.dtype),
            "shape": list(x.shape),
            "weak": weak,
        }
    if x is None or isinstance(x, bool | int | float | complex | str | bytes):
        return {"kind": type(x).__name__, "is": repr(x)}
    if isinstance(x, np.dtype | type):
        return {"kind": "dtype", "is": str(x)}
    if type(x).__name__ == "ClosedJaxpr":
        return {
            "kind": "jaxpr",
            "in": [str(a) for a in x.in_avals],
            "out": [str(a) for a in x.out_avals],
        }
    return {"kind": "other"}


def describe(value) -> dict:
    """The structure of a value and what each of its leaves is."""
    leaves, structure = jax.tree.flatten(value)
    return {"tree": str(structure), "leaves": [_leaf(leaf) for leaf in leaves]}


def _outcome(statement: ast.stmt, names: dict, is_traced: bool) -> dict | None:
    """What a statement gave, or which error; None of what gives nothing."""
    try:
        module = ast.Module([statement], [])
        exec(compile(module, "<program>", "exec"), names)
        if not isinstance(statement, ast.Assign):
            return None
        name = statement.targets[0].id
        if is_traced and isinstance(names[name], jax.Array):
            names[name] = jax.lax.optimization_barrier(names[name])
        return describe(names[name])
    except TookTooLong:
        return {"error": "TookTooLong", "bases": [], "message": ""}
    except Exception as error:
        if isinstance(statement, ast.Assign):
            names.pop(statement.targets[0].id, None)
        public = [kind.__name__ for kind in type(error).__mro__]
        return {
            "error": type(error).__name__,
            "bases": public,
            "message": str(error)[:2000],
        }


def _statements(text: str, names: dict, found: list, is_traced: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for statement in ast.parse(text).body:
            outcome = _outcome(statement, names, is_traced)
            if outcome is None:
                continue
            target = ast.unparse(getattr(statement, "targets", [statement])[0])
            found.append((target, outcome))
            if outcome.get("error") == "TookTooLong":
                break


@functools.lru_cache
def _compiled(header: str):
    return compile(header, "<header>", "exec")


def run(text: str, header: str, wiggle: float = 0.0, traced: bool = False) -> list:
    """(name, outcome) of each top-level statement that has one."""
    names: dict = {}
    exec(_compiled(header), names)
    names["WIGGLE"] = wiggle
    old = {name: getattr(jax.config, name) for name in SETTINGS}
    found = []
    signal.signal(signal.SIGALRM, _stop)
    signal.alarm(LIMIT_S)
    try:
        if traced:

            def whole() -> None:
                _statements(text, names, found, True)
                names.clear()  # lest values outlive the trace

            jax.eval_shape(whole)
        else:
            _statements(text, names, found, False)
    except TookTooLong:
        found.append(("", {"error": "TookTooLong", "bases": [], "message": ""}))
    finally:
        signal.alarm(0)
        for name, value in old.items():
            if getattr(jax.config, name) != value:
                jax.config.update(name, value)
    return found


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what programs print is no answer
    for number, line in enumerate(sys.stdin):
        request = json.loads(line)
        answers.write(json.dumps(run(**request)))
        answers.write("\n")
        answers.flush()
        if number % CLEAR_EVERY == CLEAR_EVERY - 1:
            jax.clear_caches()


if __name__ == "__main__":
    main()
