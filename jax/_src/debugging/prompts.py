"""The prompts of `jax.debug.breakpoint`: in a terminal, in a notebook, and in a browser."""

import cmd
import functools
import importlib
import importlib.util
import inspect
import linecache
import os
import pprint
import sys
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jax._src.base import errors, records

# How many lines behind the one where a frame stands are shown; one more before it.
_LINES = 5


@records.record
class Frame:
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


class Prompt(cmd.Cmd):
    """Reads commands until one of them says to go on."""

    prompt = "(jdb) "
    use_rawinput = False

    def __init__(self, frames: Sequence[Frame], stdin: Any, stdout: Any):
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

    do_c = do_cont = do_continue

    def do_quit(self, arg):
        """quit: ends the program with an error."""
        raise KeyboardInterrupt("jax.debug.breakpoint: quit")

    do_q = do_exit = do_EOF = do_quit

    def default(self, line):
        self.do_p(line)

    def emptyline(self):
        return False


class _NotebookPrompt(Prompt):
    """Reads commands with `input`, which a notebook answers."""

    use_rawinput = True

    def __init__(self, frames: Sequence[Frame]):
        super().__init__(frames, sys.stdin, sys.stdout)


class _WebPrompt(Prompt):
    """Reads commands from a page that web-pdb serves, which shows the source and variables."""

    def __init__(self, frames: Sequence[Frame], console: Any):
        super().__init__(frames, console, console)
        # The console asks it what to show beside the commands.
        console._debugger = weakref.proxy(self)

    def get_current_frame_data(self) -> dict[str, Any]:
        """What the page shows of the chosen frame."""
        frame = self.frames[self.index]
        return {
            "dirname": os.path.dirname(os.path.abspath(frame.file)) + os.sep,
            "filename": os.path.basename(frame.file),
            "file_listing": "".join(linecache.getlines(frame.file)),
            "current_line": frame.line,
            "breakpoints": [],
            "globals": _listing(frame.globals),
            "locals": _listing(frame.values),
        }

    def cmdloop(self, intro: Any = None) -> None:
        """Reads commands, and lets the page show the last answers."""
        try:
            super().cmdloop(intro)
        finally:
            self.stdout.flush()


def _listing(variables):
    """Variables by name, one on each line."""
    rows = []
    for name, value in sorted(variables.items()):
        if not (name.startswith("__") and name.endswith("__")):
            try:
                rows.append(f"{name} = {value!r}")
            except Exception as error:  # noqa: BLE001  (the classes are the user's)
                rows.append(f"{name} = <{type(error).__name__} of its repr>")
    return "\n".join(rows)


class _Idle:
    """Stands for the prompt while a page has none yet."""


@functools.cache
def _console(host, port):
    """The page at an address, which is served as long as the process lives."""
    try:
        # The page is served by a thread, which could say nothing to the program.
        importlib.import_module("socket").create_server((host, port)).close()
    except OSError as error:
        raise errors.runtime_error(
            f"jax.debug.breakpoint: the page cannot be served: {error.strerror}.",
            [("host", repr(host)), ("port", str(port))],
            "The front end web serves a page for a browser.",
            "Pass another port=, or backend='cli'.",
        ) from error
    return importlib.import_module("web_pdb.web_console").WebConsole(
        host, port, _Idle()
    )


def _terminal(frames, stdin=None, stdout=None, **_):
    stdin = stdin or sys.stdin
    if stdin is None or getattr(stdin, "closed", False):
        raise errors.runtime_error(
            "jax.debug.breakpoint: there is no input to read commands from.",
            [("stdin", "closed")],
            ways="Run the program in a terminal, or pass stdin=.",
        )
    return Prompt(frames, stdin, stdout or sys.stdout)


def _notebook(frames, stdin=None, stdout=None, **options):
    if stdin or stdout:
        return _terminal(frames, stdin, stdout)
    return _NotebookPrompt(frames)


def _web(frames, host="localhost", port=5555, **_):
    return _WebPrompt(frames, _console(host, port))


def _is_in_notebook():
    """Whether the program runs in a kernel of IPython, whose front end answers `input`."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return getattr(shell, "kernel", None) is not None


Maker = Callable[..., Prompt]


def _front_ends() -> dict[str, Maker]:
    """The front ends that this process can use, the one to be preferred first."""
    found: dict[str, Maker] = {}
    if "google.colab" in sys.modules:
        found["colab"] = _notebook
    if _is_in_notebook():
        found["notebook"] = _notebook
    found["cli"] = _terminal
    if importlib.util.find_spec("web_pdb") is not None:
        found["web"] = _web
    return found


def prompt_of(
    backend: str | None, frames: Sequence[Frame], options: Mapping[str, Any]
) -> Prompt:
    """A prompt of a front end; of the preferred one where that is missing.

    Raises:
        RuntimeError: there is no input, or the page cannot be served.
    """
    makers = _front_ends()
    make = makers.get(backend or "") or next(iter(makers.values()))
    return make(frames, **options)
