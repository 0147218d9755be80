"""Lists of cases that decorators run a test on: samples of products, generated ones, ones with readable names."""

import functools as ft
import importlib
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from jax._src.base import errors
from jax._src.compat import options as compat_options


def _number(variable, default):
    return int(os.getenv(variable, default))


NUM_GENERATED_CASES = compat_options.int_flag(
    "jax_num_generated_cases",
    _number("JAX_NUM_GENERATED_CASES", "10"),
    help="how many cases of a product are tried",
)
MAX_CASES_SAMPLING_RETRIES = compat_options.int_flag(
    "max_cases_sampling_retries",
    _number("JAX_MAX_CASES_SAMPLING_RETRIES", "100"),
    help="after how many cases that were drawn before no more is drawn",
)
SKIP_SLOW_TESTS = compat_options.bool_flag(
    "jax_skip_slow_tests",
    os.getenv("JAX_SKIP_SLOW_TESTS", "").lower() in ("1", "true", "yes", "y", "on"),
    help="whether tests that take some seconds are left out",
)

_SEED = 42
_no_module = errors.maker(ModuleNotFoundError, errors.explain)


def parameterized() -> Any:
    """absl's decorators for tests of several cases.

    Raises:
        ModuleNotFoundError: absl is not installed.
    """
    try:
        return importlib.import_module("absl.testing.parameterized")
    except ModuleNotFoundError as error:
        raise _no_module(
            "Tests of several cases need the package absl-py, which is not installed.",
            [("module", "absl.testing.parameterized")],
            ways="Install it: pip install absl-py.",
        ) from error


def sanitize_test_name(s: str) -> str:
    """A name that filters of tests can select: brackets, quotes and the like become one underscore."""
    return re.sub(r"""[\s"'\[\](){}<>=,._]+""", "_", s)


def cases_from_gens(*gens: Callable[[int], Any]) -> Iterator[tuple]:
    """Cases of three sizes, from functions of the size, each with the end of its name first."""
    sizes = (1, 3, 10)
    for size in sizes:
        for i in range(NUM_GENERATED_CASES.value // len(sizes) + 1):
            yield (f"_{size}_{i}", *(generate(size) for generate in gens))


def named_cases_from_sampler(gen: Callable) -> Iterator[dict]:
    """Different cases of a generator that takes its choices from a function.

    Args:
        gen: from a function, which takes a list and returns one with one element of it, to the cases for this choice:
            none or one dict with a ``testcase_name``.

    Raises:
        RuntimeError: it made several cases for one choice.
    """
    rng = np.random.RandomState(_SEED)

    def choose_one(x):
        listed = x if isinstance(x, list | tuple) else list(x)
        return [listed[rng.randint(len(listed))]]

    names: set[str] = set()
    tries = 0
    most_tries = MAX_CASES_SAMPLING_RETRIES.value
    while len(names) < NUM_GENERATED_CASES.value and tries < most_tries:
        tries += 1
        cases = list(gen(choose_one))
        if len(cases) > 1:
            raise errors.runtime_error(
                "Generator is expected to only return a single case when sampling",
                [("cases", str(len(cases)))],
            )
        if cases and cases[0]["testcase_name"] not in names:
            tries = 0
            names.add(cases[0]["testcase_name"])
            yield cases[0]


@ft.cache
def _chosen(total, count):
    return np.random.RandomState(_SEED).choice(total, size=count, replace=False)


def sample_product_testcases(
    *args: Iterable[Mapping], **kw: Iterable
) -> list[dict[str, Any]]:
    """Some cases of a product of lists, the same ones in each run.

    Args:
        *args: lists of dicts; of each list a case has all that one dict has.
        **kw: lists of values, of each of which a case has one.
    """
    axes = [list(dicts) for dicts in args]
    axes += [[{name: value} for value in values] for name, values in kw.items()]
    sizes = [len(axis) for axis in axes]
    total = math.prod(sizes)
    cases = []
    for number in _chosen(total, min(total, NUM_GENERATED_CASES.value)):
        case: dict[str, Any] = {}
        for axis in axes:
            number, index = divmod(number, len(axis))
            case |= axis[index]
        cases.append(case)
    return cases


def sample_product(*args: Iterable[Mapping], **kw: Iterable) -> Any:
    """A decorator that runs a test on the cases of `sample_product_testcases`."""
    return parameterized().parameters(*sample_product_testcases(*args, **kw))


def _named(case, testcase_name):
    if testcase_name is not None:
        name = str(testcase_name(case))
    elif case.get("testcase_name") is not None:
        name = case["testcase_name"]
    else:
        name = "_".join(f"{key}={case[key]}" for key in sorted(case))
    return {**case, "testcase_name": sanitize_test_name(name)}


def parameterized_filterable(
    *,
    kwargs: Sequence[dict[str, Any]],
    testcase_name: Callable[[dict[str, Any]], str] | None = None,
    one_containing: str | None = None,
) -> Any:
    """A decorator that runs a test on named cases, whose names filters can select.

    Args:
        kwargs: the arguments of each case.
        testcase_name: from these to a name; None: their ``testcase_name``, or a text of all.
        one_containing: a part of a name; that case alone runs, under the test's own name.

    Raises:
        AssertionError: no name has that part.
    """
    cases = [_named(case, testcase_name) for case in kwargs]
    if one_containing is None:
        return parameterized().named_parameters(*cases)
    found = [case for case in cases if one_containing in case["testcase_name"]]
    if not found:
        names = "\n  ".join(case["testcase_name"] for case in cases)
        raise AssertionError(
            f"No testcase_name contains '{one_containing}'. The names are\n  {names}"
        )
    return parameterized().named_parameters([found[0] | {"testcase_name": ""}])
