"""The shardings that a compiler chose for the arguments and results of a program."""

import re
from typing import Any

from jax._src.base import errors, protobuf
from jax._src.core import hlo_sharding as hlo

Shardings = list[hlo.HloSharding] | None

# Of the message `HloModuleProto`.
_OUTPUT_SHARDING, _PARAMETER_SHARDING = 12, 14
_RESULTS_TEXT = re.compile(r'mhlo\.spmd_output_sharding = "([^"]*)"')
_PARAMETERS_TEXT = re.compile(
    r'mhlo\.spmd_parameters_shardings = \[((?:"[^"]*"(?:, )?)*)\]'
)

_SEEN_TEXT = re.compile(
    r'xla\.seen_shardings = \[((?:\[(?:"[^"]*"(?:, )?)*\](?:, )?)*)\]'
)


def inspected_shardings(
    executable: Any,
) -> list[tuple[str, list[hlo.HloSharding]]] | None:
    """Returns the shardings that a compiler chose around the custom calls of queries.

    For each, in the order of the program, its key and the shardings of its operands
    and results. None: it does not report them.
    """
    try:
        form, code = executable.optimized_program()
    except (NotImplementedError, errors.JaxRuntimeError):
        return None
    found = _SEEN_TEXT.search(code.decode(errors="replace")) if form == "mlir" else None
    if found is None:
        return None
    calls = [re.findall(r'"([^"]*)"', call) for call in _calls(found.group(1))]
    return [(key, [hlo.parse(text) for text in texts]) for key, *texts in calls]


def _calls(text):
    # Shardings have brackets too, but only inside of quotes.
    return re.findall(r'\[((?:"[^"]*"(?:, )?)*)\]', text)


def shardings_of(executable: Any, result_count: int) -> tuple[Shardings, Shardings]:
    """What an executable says of its parameters and of its results.

    Either is None where it says nothing.
    """
    found = _answered(executable)
    if found is None:
        found = _of_program(executable)
    parameters, results = found
    return parameters, _spread(results, result_count)


def _answered(executable):
    """By the documented queries, where the plugin has them."""
    ask = getattr(executable, "parameter_shardings", None)
    answers = (ask(), executable.result_shardings()) if ask else (None, None)
    if answers == (None, None):
        return None
    return tuple(
        None if part is None else [hlo.from_bytes(b) for b in part] for part in answers
    )


def _of_program(executable):
    """In the optimized program, which plugins without the queries show."""
    try:
        form, code = executable.optimized_program()
    except (NotImplementedError, errors.JaxRuntimeError):
        return None, None
    if form == "mlir":
        return _in_text(code)
    if form == "hlo_with_config":
        code = next((v for f, v in protobuf.fields_of(code) if f == 1), b"")
    parameters, results = [], None
    for field, value in protobuf.fields_of(code):
        if field == _PARAMETER_SHARDING:
            parameters.append(hlo.from_bytes(value))
        elif field == _OUTPUT_SHARDING:
            results = [hlo.from_bytes(value)]
    return parameters or None, results


def _in_text(code):
    text = code.decode(errors="replace")
    found = _RESULTS_TEXT.search(text)
    results = [hlo.parse(found.group(1))] if found else None
    listed = _PARAMETERS_TEXT.search(text)
    parameters = None
    if listed:
        parameters = [hlo.parse(t) for t in re.findall(r'"([^"]*)"', listed.group(1))]
    return parameters, results


def _spread(results, count):
    """One answer may stand for all, and a tuple holds one for each."""
    if results is None:
        return None
    if len(results) == 1 and results[0].kind is hlo.Kind.TUPLE:
        results = list(results[0].elements)
    if len(results) == 1:
        results = results * count
    return results if len(results) == count else None
