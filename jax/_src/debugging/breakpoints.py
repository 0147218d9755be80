"""`jax.debug.breakpoint`: a prompt in the middle of a running program."""

import cmd
import inspect
import linecache
import pprint
import sys
import types
from collections.abc import Mapping, Sequence
from typing import Any

from jax._src import tree
from jax._src.base import errors, records, source
from jax._src.callbacks import calls
from jax._src.core import avals, trace
from jax._src.debugging.callback import callback
from jax._src.runtime.arrays.array import Array


@records.record
class _Frame:
    """One of the user's frames: where it stands, and its variables."""

    code: types.CodeType
    line: int
    values: Mapping[str, Any]
    globals: Mapping[str, Any]

    @property
    def file(self) -> str:
        """The file where it stands."""
        return self.code.co_filename

    def around(self) -> list[str]:
        """The lines of its function around its own, which an arrow marks."""
        if self.code.co_name == "<module>":
            lines, first = linecache.getlines(self.file), 1
            return self._marked(lines, first)
        try:
            lines, first = inspect.getsourcelines(self.code)
        except (OSError, TypeError):
            return []
        return self._marked(lines, first)

    def _marked(self, lines, first):
        at = self.line - max(first, 1)
        shown = [line.rstrip("\n") for line in lines] + [""]
        return [
            f"{'->' if number == at else '  '}  {shown[number]}"
            for number in range(
                max(at - _LINES - 1, 0), min(at + _LINES + 1, len(shown))
            )
        ]


# How many lines behind the one where a frame stands are shown; one more before it.
_LINES = 5


class _Prompt(cmd.Cmd):
    """Reads commands until one of them says to go on."""

    prompt = "(jdb) "
    use_rawinput = False

    def __init__(self, frames: Sequence[_Frame], stdin: Any, stdout: Any):
        super().__init__(stdin=stdin, stdout=stdout)
        self.frames = frames
        self.index = 0

    def _show(self, text):
        self.stdout.write(f"{text}\n")

    def _evaluate(self, text):
        frame = self.frames[self.index]
        try:
            return True, eval(text, dict(frame.globals), dict(frame.values))  # noqa: S307
        except Exception as error:
            self._show(f"*** {type(error).__name__}: {error}")
            return False, None

    def do_p(self, arg):
        """p expression: prints its value."""
        known, value = self._evaluate(arg)
        if known:
            self._show(repr(value))

    def do_pp(self, arg):
        """pp expression: prints its value, laid out."""
        known, value = self._evaluate(arg)
        if known:
            self._show(pprint.pformat(value))

    def do_list(self, arg):
        """list: prints the lines around the one where the chosen frame stands."""
        frame = self.frames[self.index]
        self._show("\n".join([f"> {frame.file}({frame.line})", *frame.around()]))

    do_l = do_list

    def do_where(self, arg):
        """where: prints the frames, the innermost last."""
        self._show("Traceback:")
        for frame in reversed(self.frames):
            self._show(f'  File "{frame.file}", line {frame.line}')
            text = linecache.getline(frame.file, frame.line).strip()
            self._show(f"    {text or '<no source>'}")

    do_bt = do_w = do_where

    def do_up(self, arg):
        """up: goes to the frame that called this one."""
        if self.index == len(self.frames) - 1:
            self._show("At topmost frame.")
        self.index = min(self.index + 1, len(self.frames) - 1)
        self.do_list(arg)

    do_u = do_up

    def do_down(self, arg):
        """down: goes to the frame that this one called."""
        if self.index == 0:
            self._show("At bottommost frame.")
        self.index = max(self.index - 1, 0)
        self.do_list(arg)

    do_d = do_down

    def do_continue(self, arg):
        """continue: goes on with the program."""
        return True

    do_c = do_cont = do_EOF = do_continue

    def do_quit(self, arg):
        """quit: ends the program with an error."""
        raise KeyboardInterrupt("jax.debug.breakpoint: quit")

    do_q = do_exit = do_quit

    def default(self, line):
        self.do_p(line)

    def emptyline(self):
        return False


class _Break:
    """What the program calls."""

    def __init__(self, frames, stdin, stdout):
        self.frames = frames
        self.stdin = stdin
        self.stdout = stdout
        self.__name__ = "breakpoint"

    def __call__(self, values):
        frames = [
            records.replace(frame, values={**frame.values, **found})
            for frame, found in zip(self.frames, values, strict=True)
        ]
        stdin = self.stdin or sys.stdin
        if stdin is None or stdin.closed:
            raise errors.runtime_error(
                "jax.debug.breakpoint: there is no input to read commands from.",
                [("stdin", "closed")],
                ways="Run the program in a terminal, or pass stdin=.",
            )
        prompt = _Prompt(frames, stdin, self.stdout or sys.stdout)
        prompt.cmdloop("Entering jdb:")


def breakpoint(
    *,
    backend: str | None = None,
    filter_frames: bool = True,
    num_frames: int | None = None,
    ordered: bool = False,
    token: Any = None,
    **kwargs: Any,
) -> Any:
    """Stops the program when it comes by, and reads commands; works under `jit`.

    Commands: ``p expression``, ``pp expression``, ``list``, ``where``, ``up``, ``down``,
    ``continue``, ``quit``. Expressions see the variables of the chosen frame, with
    values in place of traced ones.

    Args:
        backend: the name of a front end; there is "cli", which stands in for others.
        filter_frames: accepted; frames of this package are never shown.
        num_frames: how many frames to keep; None: all.
        ordered: whether the program stops in the order in which it is written.
        token: a tree of arrays; the program stops where they are ready, before what is
            returned is used, and does not stop where that is not used.
        **kwargs: `stdin` and `stdout`, the files to use.

    Returns:
        `token`.

    Raises:
        ValueError: both `ordered` and `token` are given.
    """
    if ordered and token is not None:
        raise ValueError(
            "`ordered` and `token` are mutually exclusive arguments of "
            "jax.debug.breakpoint: a token orders the stop by what it is computed from. "
            "Give one of them."
        )
    frames, values = [], []
    frame: Any = sys._getframe(1)
    while frame is not None and (num_frames is None or len(frames) < num_frames):
        if not source.is_internal(frame.f_code.co_filename):
            found, fixed = _passed_and_fixed(frame.f_locals)
            frames.append(_Frame(frame.f_code, frame.f_lineno, fixed, frame.f_globals))
            values.append(found)
        frame = frame.f_back
    stop = _Break(tuple(frames), kwargs.get("stdin"), kwargs.get("stdout"))
    if token is None:
        callback(stop, values, ordered=ordered)
        return None

    def stop_at(token, values):
        stop(values)
        return token

    return calls.pure_callback(
        stop_at, tree.tree_map(avals.typeof, token), token, values
    )


def _passed_and_fixed(variables):
    """The variables that are trees of arrays, which the program passes; the others.

    What has traced values among others stays behind.
    """
    passed, fixed = {}, {}
    for name, value in variables.items():
        try:
            leaves = tree.tree_leaves(value)
        except Exception:  # noqa: BLE001  (the classes are the user's)
            continue
        if not any(isinstance(leaf, trace.Tracer | Array) for leaf in leaves):
            fixed[name] = value
        elif all(avals.is_value(leaf) for leaf in leaves):
            passed[name] = value
    return passed, fixed
