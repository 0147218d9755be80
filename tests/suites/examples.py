"""The examples in docstrings: finds those of packages, runs them, and compares what they showed.

    python examples.py find PACKAGE … > EXAMPLES
    python examples.py run EXAMPLES OUTCOMES

Finding reads sources and imports nothing. Running needs the packages alone, nothing of this repository: so it runs on
upstream's release too. Each docstring runs in a child of its own, which begins with the package imported.
"""

import ast
import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import json
import os
import pathlib
import re
import signal
import sys
import warnings

# A docstring that takes longer shows what it has shown.
LIMIT_S = 100
_NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
# Names of files, addresses and times differ from run to run.
_CHANCE = re.compile(r"0x[0-9a-f]+|/tmp/\w+|\d+\.\d+ ?(?:ms|s|µs)\b")
# Examples lean on rounding less than this.
_RELATIVE, _ABSOLUTE = 2e-3, 1e-6


def find(packages):
    """Lists (package, location, sources) by docstring, or any other string with examples."""
    found, seen = [], set()
    for package in packages:
        folder = pathlib.Path(importlib.util.find_spec(package).origin).parent
        for file in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(errors="replace"))):
                text = getattr(node, "value", None)
                if not isinstance(node, ast.Constant) or not isinstance(text, str):
                    continue
                if ">>>" not in text or text in seen:
                    continue
                seen.add(text)
                location = f"{package}/{file.relative_to(folder)}:{node.lineno}"
                if sources := _sources(text):
                    found.append((package, location, sources))
    return found


def _sources(text):
    try:
        examples = doctest.DocTestParser().get_examples(inspect.cleandoc(text))
    except ValueError:  # a drawing, or no Python
        return []
    return [example.source for example in examples]


def shown(sources):
    """What each example of a docstring prints, or its error."""
    names = {"__name__": "__main__"}
    for name in ("jax", "numpy"):
        names[name] = importlib.import_module(name)
    names |= {"np": names["numpy"], "jnp": names["jax"].numpy, "lax": names["jax"].lax}
    outcomes = []
    for source in sources:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(source, "<example>", "single"), names)
            except BaseException as error:
                out.write(f"raises {type(error).__name__}: {error}")
        outcomes.append(out.getvalue()[:3000])
    return outcomes


def in_a_child(call):
    """What a call returns in a child of this process, as JSON; None where the child dies."""
    read, write = os.pipe()
    if not (child := os.fork()):
        with os.fdopen(write, "w") as out:
            signal.alarm(LIMIT_S)
            json.dump(call(), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    try:
        return json.loads(text)
    except ValueError:
        return None


def run(examples):
    """Outcomes by location."""
    outcomes = {}
    for package, location, sources in examples:
        importlib.import_module(package)
        outcomes[location] = in_a_child(lambda s=sources: shown(s))
    return outcomes


def same(there, here):
    """Whether two texts say the same, but for layout, chance and rounding. Errors are compared by their class."""
    if there.startswith("raises ") and here.startswith("raises "):
        return there.split(":")[0] == here.split(":")[0]
    there, here = (" ".join(_CHANCE.sub("", text).split()) for text in (there, here))
    if _NUMBER.sub("#", there) != _NUMBER.sub("#", here):
        return False
    pairs = zip(_NUMBER.findall(there), _NUMBER.findall(here), strict=True)
    return all(
        abs(float(x) - float(y))
        <= _RELATIVE * max(abs(float(x)), abs(float(y))) + _ABSOLUTE
        for x, y in pairs
    )


def ends_of(examples, there, here):
    """The examples that upstream runs without an error, as two runs for `verdict.judge`: ours passes where it shows the same."""
    peer, ours = {}, {}
    for _, location, sources in examples:
        told = here.get(location) or []
        for number, text in enumerate(there.get(location) or []):
            test = f"{location} {sources[number].strip()}"
            if text.startswith("raises "):
                continue
            peer[f"{number} {test}"] = "passed", ""
            found = told[number] if number < len(told) else "not reached"
            reason = f"there {text!r}, here {found!r}"
            ours[f"{number} {test}"] = (
                "passed" if same(text, found) else "failed",
                reason,
            )
    return peer, ours


def main(task, *rest):
    if task == "find":
        json.dump(find(rest), sys.stdout)
    else:
        examples, outcomes = map(pathlib.Path, rest)
        outcomes.write_text(json.dumps(run(json.loads(examples.read_text()))))


if __name__ == "__main__":
    main(*sys.argv[1:])
