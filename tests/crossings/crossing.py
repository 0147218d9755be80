"""One crossing: a function, under constructs, under settings, judged against the run without settings."""

import ast
import contextlib
import dataclasses
import re
import warnings

import numpy as np

import jax
import jax.extend.core
import jax.numpy as jnp
from tests.crossings import compositions as compositions, constructs, samples
from tests.crossings.settings import SETTINGS, Setting
from tests.programs import compare, worker

# What rounding may do: arguments are moved by so much, and results by this many times as much.
WIGGLE, SHARE = 1e-6, 30


@dataclasses.dataclass(frozen=True, slots=True)
class Crossing:
    """What is crossed: a sample's text, wrappers (the inner one first), an end, settings."""

    text: str
    wrappers: tuple[str, ...]
    end: str
    settings: tuple[str, ...]
    # Whether the program is traced as a whole and never run: types and refusals alone.
    is_traced: bool = False

    @property
    def words(self) -> str:
        nest = " of ".join([self.end, *reversed(self.wrappers)])
        nest = f"types of {nest}" if self.is_traced else nest
        return f"{nest}, {' and '.join(self.settings)}, {jax.device_count()} devices"


def _called(crossing: Crossing, function, arguments) -> dict:
    """The outcome of a program under the settings that are current."""
    constructs.seen.clear()
    try:
        for name in crossing.wrappers:
            function = constructs.WRAPPERS[name](function)
        end = constructs.ENDS[crossing.end]
        if crossing.is_traced:
            out = jax.eval_shape(lambda *a: end(function, a), *arguments)
        else:
            out = end(function, arguments)
            jax.effects_barrier()
        seen = sorted(map(float, constructs.seen))
        return worker.describe((out, np.asarray(seen, np.float32)))
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return {"error": kinds[0], "bases": kinds, "message": str(error)[:2000]}
    finally:
        constructs.seen.clear()


def plain(crossing: Crossing, wiggle: float = 0.0) -> dict:
    """The outcome without settings."""
    function, arguments = samples.made(crossing.text, wiggle)
    return _called(crossing, function, arguments)


def _inside(settings, function):
    """The function, called in blocks of settings; what has 64 bits there leaves with 32."""
    is_wide = any(s.has_64_bits for s in settings)

    def within(*args):
        with _entered(settings):
            out = function(*args)
        return jax.tree.map(constructs.narrowed, out) if is_wide else out

    return within


def _entered(settings) -> contextlib.ExitStack:
    stack = contextlib.ExitStack()
    for setting in settings:
        stack.enter_context(setting.enter())
    return stack


def under(crossing: Crossing) -> tuple[dict, dict | None]:
    """The outcome under the settings; and afterwards without them, of the same objects."""
    settings = [SETTINGS[name] for name in crossing.settings]
    function, arguments = samples.made(crossing.text)
    wide = [s.wide for s in settings if s.wide]
    given = arguments
    if "outside" in wide:
        with jax.enable_x64(True):
            given = samples.widened(arguments)
    within = [s for s in settings if s.is_within]
    with _entered([s for s in settings if not s.is_within]):
        if "inside" in wide:
            given = samples.widened(arguments)
        inner = _inside(within, function) if within else function
        found = _called(crossing, inner, given)
    # The text decides, so that a crossing is always the same.
    if wide or len(crossing.text) % 3 or crossing.is_traced:
        return found, None
    return found, _called(crossing, function, arguments)


# -- judging ----------------------------------------------------------------------------------


# By their texts.
PYTHON_NUMBERS = {
    "bool": lambda text: text == "True",
    "int": int,
    "float": float,
    "complex": complex,
}


def _narrowed(outcome: dict) -> dict:
    """An outcome as it would be with 32 bits."""
    leaves = []
    for leaf in outcome["leaves"]:
        kind = leaf.get("dtype", "")
        narrow = {v: k for k, v in samples.WIDE.items()}.get(kind)
        narrow = "uint32" if kind == "uint64" else narrow
        leaf = {k: v for k, v in leaf.items() if k != "weak"}
        if narrow and "bytes" in leaf:
            numbers = np.frombuffer(_bytes(leaf), kind).astype(narrow)
            leaf |= {"bytes": _text(numbers), "dtype": narrow}
        elif narrow:
            leaf |= {"dtype": narrow}
        leaves.append(leaf)
    return {**outcome, "leaves": leaves}


def _bytes(leaf):
    return compare.base64.b64decode(leaf["bytes"])


def _text(numbers):
    return compare.base64.b64encode(numbers.tobytes()).decode()


def _finite(outcome: dict) -> bool:
    return all(
        np.isfinite(found).all()
        for leaf in outcome["leaves"]
        if "bytes" in leaf and (found := compare.numbers(leaf)) is not None
    )


def _bad_value(jaxpr, consts, args) -> bool:
    """Whether an operation of a program, or of one that it calls, gives a NaN or an infinity."""
    values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))

    def read(atom):
        return atom.val if isinstance(atom, jax.extend.core.Literal) else values[atom]

    for eqn in jaxpr.eqns:
        operands = [read(v) for v in eqn.invars]
        inner = eqn.params.get("jaxpr", eqn.params.get("call_jaxpr"))
        if isinstance(inner, jax.extend.core.ClosedJaxpr):
            if len(inner.jaxpr.invars) == len(operands):
                with contextlib.suppress(Exception):
                    if _bad_value(inner.jaxpr, inner.consts, operands):
                        return True
        subfuns, params = eqn.primitive.get_bind_params(eqn.params), eqn.params
        if isinstance(subfuns, tuple):
            subfuns, params = subfuns
            outs = eqn.primitive.bind(*subfuns, *operands, **params)
        else:
            outs = eqn.primitive.bind(*operands, **subfuns)
        outs = outs if eqn.primitive.multiple_results else [outs]
        for out in outs:
            if jnp.issubdtype(out.dtype, jnp.inexact) and not np.isfinite(out).all():
                return True
        values.update(zip(eqn.outvars, outs, strict=True))
    return False


def _meets_bad_value(crossing: Crossing) -> bool:
    function, arguments = samples.made(crossing.text)
    for name in crossing.wrappers:
        function = constructs.WRAPPERS[name](function)
    end = constructs.ENDS[crossing.end]
    try:
        program = jax.make_jaxpr(lambda *a: end(function, a))(*arguments)
        leaves = jax.tree.leaves(arguments)
        return _bad_value(program.jaxpr, program.consts, leaves)
    except Exception as error:
        print(f"not evaluated: {error!r}"[:300])
        return False


def _is_unpromoted(text: str, message: str) -> bool:
    """Whether a program's own call of a function of jax.lax refuses a number beside a wide array.

    Functions of jax.lax promote nothing, and a Python number has the width of the setting at the
    call: upstream refuses such calls with the same words.
    """
    refused = re.search(
        r"lax\.(\w+) requires arguments to have the same dtypes", message
    )
    return refused is not None and any(
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == refused[0].split()[0]
        and any(_is_number(argument) for argument in node.args)
        for node in ast.walk(ast.parse(text))
    )


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _is_due(crossing: Crossing, setting: Setting, message: str) -> bool:
    """Whether a refusal of the setting's with this message is right for this program."""
    if setting.due == "bad value":
        return _meets_bad_value(crossing)
    if setting.due == "function":
        return _is_refused_alone(crossing, crossing.settings)
    if setting.due == "mixture":
        if setting.wide == "outside":
            if EXPLICIT.intersection(crossing.wrappers) or _is_unpromoted(
                crossing.text, message
            ):
                return True
        names = [s for s in crossing.settings if SETTINGS[s].due == "mixture"]
        if not _is_refused_alone(crossing, names):
            return False
        if re.search(NARROW, crossing.text.split("function, arguments")[0]):
            return True
        # Arguments of 32 bits are themselves narrow where numbers have 64: due if the
        # function of wide ones is not refused. Wide ones must be refused as they are.
        return _is_refused_alone(crossing, [INSIDE]) == bool(setting.wide)
    return True


# A dtype in a program's text, which the setting narrows; wrappers that name dtypes themselves.
NARROW = r'\.dtype|"(float|int|uint|bfloat|complex)(8|16|32|64)?[a-z0-9_]*"'
EXPLICIT = {"pallas", "pallas_grid", "pure_callback", "exported"}
INSIDE = "64-bit arguments inside"


def _is_refused_alone(crossing: Crossing, settings) -> bool:
    """Whether the function itself is refused, within what its wrappers set and as a kernel."""
    alone = dataclasses.replace(
        crossing,
        wrappers=tuple(w for w in crossing.wrappers if w.startswith(("in_", "pallas"))),
        end="call",
        settings=tuple(settings),
    )
    return "error" in under(alone)[0]


def _is_rounding(crossing: Crossing, wanted: dict, found: dict) -> bool:
    """Whether results move as far when arguments move by a rounding."""
    for step in (WIGGLE, -WIGGLE):
        moved = plain(crossing, step)
        if "error" in moved or moved["tree"] != wanted["tree"]:
            return True
        pairs = zip(wanted["leaves"], moved["leaves"], found["leaves"], strict=True)
        for one, other, mine in pairs:
            if "bytes" not in one or compare.numbers(one) is None:
                continue
            a, b, c = map(compare.numbers, (one, other, mine))
            if a.shape == c.shape and compare.distance(a, c) > SHARE * compare.distance(
                a, b
            ):
                break
        else:
            return True
    return False


def _with_arrays_for_numbers(wanted: dict, found: dict) -> dict:
    """An outcome in which a Python number is the array that equals it, where one is there.

    Without `jit` a function returns the numbers that it returns in Python.
    """
    if "error" in found or wanted["tree"] != found["tree"]:
        return found
    leaves = []
    for one, mine in zip(wanted["leaves"], found["leaves"], strict=True):
        if mine.get("kind") in PYTHON_NUMBERS and one.get("shape") == []:
            value = PYTHON_NUMBERS[mine["kind"]](mine["is"])
            mine = one if compare.numbers(one) == value else mine
        leaves.append(mine)
    return {**found, "leaves": leaves}


def _difference(crossing: Crossing, wanted: dict, found: dict, settings) -> str:
    if any(s.has_64_bits for s in settings) and "error" not in found:
        wanted, found = _narrowed(wanted), _narrowed(found)
    if "jax_disable_jit" in " ".join(crossing.settings):
        found = _with_arrays_for_numbers(wanted, found)
    different = compare.difference("result", found, wanted)
    if different is None:
        return ""
    # Random numbers are drawn in the default dtype, which has other bits.
    if different.sort == "value" and "random." in crossing.text:
        if any(s.has_64_bits for s in settings):
            return ""
    if different.sort == "shape" and ".view(" in crossing.text:
        # Arguments of 64 bits have twice as many elements of 32.
        if any(s.wide for s in settings):
            return ""
    if different.sort == "weak" and "jax_disable_jit" in " ".join(crossing.settings):
        return ""
    if different.sort == "value" and _is_rounding(crossing, wanted, found):
        return ""
    return str(different).replace("theirs", "plain")


def judge(crossing: Crossing, wanted: dict) -> str:
    """What is unexplained about a crossing; empty: nothing is.

    Args:
        crossing: the program and its settings.
        wanted: the outcome without settings, no error.
    """
    settings = [SETTINGS[name] for name in crossing.settings]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, after = under(crossing)
        if after is not None:
            later = _difference(crossing, wanted, after, [])
            if later:
                return f"afterwards, without settings: {later}"
        if "error" in found:
            return _judge_error(crossing, found, settings)
        for setting in settings:
            if setting.due == "bad value" and not setting.is_within:
                which = np.isnan if "nans" in setting.name else np.isinf
                if _has(which, found):
                    return f"a value that {setting.name} forbids was returned"
        return _difference(crossing, wanted, found, settings)


def _has(which, outcome: dict) -> bool:
    return any(
        which(found).any()
        for leaf in outcome["leaves"]
        if "bytes" in leaf and (found := compare.numbers(leaf)) is not None
    )


def _judge_error(crossing: Crossing, found: dict, settings) -> str:
    text = f"{' '.join(found['bases'])}: {found['message']}"
    meant = [s for s in settings if s.refusal and re.search(s.refusal, text)]
    if any(_is_due(crossing, setting, found["message"]) for setting in meant):
        return ""
    if meant:
        return f"refused, though the function alone is not: {text[:600]}"
    return f"{found['error']}: {found['message'][:600]}"
